import { DemoError } from './processes';

/** How often faults took effect since the embedded AWS was started. */
export interface FaultCounts {
  readonly throttledCalls: number;
  readonly functionsKilled: number;
  readonly launchesRefused: number;
  readonly eventsLost: number;
  readonly eventsRepeated: number;
  readonly eventsDelayed: number;
}

const PATH = '/_sas_grid/faults';

/** Where the embedded AWS is asked for faults; see proof/localcloud/README.md. */
export class FaultDoor {
  constructor(private readonly endpoint: string) {}

  /** @throws DemoError when the embedded AWS does not know such a fault */
  async ask(kind: string, fields: Record<string, unknown> = {}): Promise<void> {
    const body = JSON.stringify({ kind, ...fields });
    const answer = await fetch(`${this.endpoint}${PATH}`, { method: 'POST', body });
    if (!answer.ok) throw new DemoError(`the embedded AWS refused the fault ${body}: ${await answer.text()}`);
  }

  async counts(): Promise<FaultCounts> {
    return (await (await fetch(`${this.endpoint}${PATH}`)).json()) as FaultCounts;
  }
}
