import { paginateListCommands } from '@aws-sdk/client-ssm';
import { COMMAND_INSTANCES } from '../../constructs/facts/services';
import { CommandedHosts } from '../shared/commanded-hosts';

/** A command that was sent. */
export interface SentCommand {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
}

/** Hosts that are sent one document, of which Systems Manager knows when. */
export class RememberedHosts extends CommandedHosts {
  /**
   * The commands with this document that were sent since, by whomever.
   *
   * @param since milliseconds since 1970
   */
  async sent(since: number): Promise<SentCommand[]> {
    const found: SentCommand[] = [];
    const pages = paginateListCommands(
      { client: this.client, pageSize: COMMAND_INSTANCES.value },
      {
        Filters: [
          { key: 'DocumentName', value: this.documentName },
          { key: 'InvokedAfter', value: new Date(since).toISOString().replace(/\.\d+Z$/, 'Z') },
        ],
      },
    );
    for await (const page of pages) {
      for (const { CommandId, RequestedDateTime } of page.Commands ?? [])
        if (CommandId && RequestedDateTime)
          found.push({ id: CommandId, sentAt: RequestedDateTime.getTime() });
    }
    return found;
  }
}
