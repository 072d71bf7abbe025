import type { SSMClient } from '@aws-sdk/client-ssm';
import { paginateListCommandInvocations } from '@aws-sdk/client-ssm';
import { COMMAND_INVOCATIONS_PAGE } from '../../constructs/facts/services';
import { statusOf } from './command-status';
import type { CommandStatus, SentCommand } from './ports';

/** The largest page that Systems Manager gives. */
const PAGE = COMMAND_INVOCATIONS_PAGE.value;

/**
 * Pages beyond those that the commands would fill: hosts that were told again and again have earlier invocations in
 * between.
 */
const MORE_PAGES = 2;

/** The clocks of a function and of Systems Manager may differ by so much. */
const CLOCKS_MS = 60_000;

/**
 * What became of many commands, by slot, in a few calls: all that ran the tier's document since the first of them was
 * sent. One that is on none of the pages is left out; this list may also be behind GetCommandInvocation.
 */
export async function listedStatuses(
  client: SSMClient,
  documentName: string,
  asked: readonly SentCommand[],
): Promise<{ [slot: string]: CommandStatus }> {
  const wanted = new Map(asked.map((each) => [`${each.id} ${each.instanceId}`, each.slot]));
  const found: { [slot: string]: CommandStatus } = {};
  let pages = Math.ceil(asked.length / PAGE) + MORE_PAGES;
  const filters = [{ key: 'DocumentName' as const, value: documentName }, ...invokedAfter(asked)];
  const listing = paginateListCommandInvocations(
    { client, pageSize: PAGE },
    { Filters: filters, Details: true },
  );
  for await (const { CommandInvocations } of listing) {
    for (const { CommandId, InstanceId, Status, StatusDetails, CommandPlugins } of CommandInvocations ?? []) {
      const slot = wanted.get(`${CommandId} ${InstanceId}`);
      // The document has one step; its exit code and what it said are in the plugin.
      const { ResponseCode, Output } = CommandPlugins?.[0] ?? {};
      if (slot !== undefined) found[slot] = statusOf({ Status, StatusDetails, ResponseCode, said: Output });
    }
    pages -= 1;
    if (pages === 0 || Object.keys(found).length === asked.length) break;
  }
  return found;
}

/** Systems Manager takes a time to the second. */
function invokedAfter(asked: readonly SentCommand[]): { key: 'InvokedAfter'; value: string }[] {
  const times = asked.map(({ sentAt }) => Date.parse(sentAt)).filter(Number.isFinite);
  if (times.length < asked.length) return [];
  const first = new Date(Math.min(...times) - CLOCKS_MS).toISOString();
  return [{ key: 'InvokedAfter', value: `${first.slice(0, 19)}Z` }];
}
