import type { HostOutcome, RunRecord } from '../shared/benchmark/plan';
import { describeError } from '../shared/log';
import type { Ports } from './ports';

/** Outputs by test id and instance id. */
export type Outputs = Record<string, Record<string, string>>;

const MB = 1_000_000;

/** Of one output. The longest that the programs print, fio's JSON for each of a hundred processes, is a tenth of it. */
export const OUTPUT_BYTES = 20 * MB;

/** Of all outputs together: they lie in memory at once. */
export const ALL_BYTES = 200 * MB;

/** Reads under way at once. */
const PARALLEL = 8;

/**
 * A command may have ended, by Systems Manager, before the last of its output is in the bucket. What is missing is
 * looked for again.
 */
export const PAUSES_MS: readonly number[] = [2_000, 5_000, 10_000];

/** The run as the judge gets to see it: outcomes whose output is missing or not whole say why. */
export interface Read {
  readonly run: RunRecord;
  readonly outputs: Outputs;
}

interface Wanted {
  readonly testId: string;
  readonly outcome: HostOutcome;
  readonly key: string;
}

/** Reads what the hosts printed. What is wrong with one output stops no other: it becomes the reason of its outcome. */
export async function readOutputs(run: RunRecord, ports: Ports): Promise<Read> {
  const reader = new Reader(ports);
  const wanted: Wanted[] = [];
  for (const [testId, outcomes] of Object.entries(run.outcomes)) {
    for (const outcome of outcomes) {
      if (outcome.outputKey !== undefined) wanted.push({ testId, outcome, key: outcome.outputKey });
      else if (outcome.output !== undefined) reader.keep(testId, outcome.instanceId, outcome.output);
    }
  }
  let missing = await reader.readAll(wanted);
  for (const pause of PAUSES_MS) {
    if (missing.length === 0) break;
    await ports.clock.sleep(pause);
    missing = await reader.readAll(missing);
  }
  for (const { testId, outcome, key } of missing) {
    if (outcome.output !== undefined) reader.keep(testId, outcome.instanceId, outcome.output);
    else reader.blame(testId, outcome, `its output is not in the bucket, or may not be read (${key})`);
  }
  return { run: { ...run, outcomes: reader.explained(run.outcomes) }, outputs: reader.outputs };
}

class Reader {
  readonly outputs: Outputs = {};
  private readonly reasons = new Map<string, string>();
  private bytes = 0;

  constructor(private readonly ports: Ports) {}

  /** Reads some at a time; those that are not there. */
  async readAll(wanted: readonly Wanted[]): Promise<Wanted[]> {
    const queue = [...wanted];
    const missing: Wanted[] = [];
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        if (!(await this.readOne(next))) missing.push(next);
      }
    };
    await Promise.all(Array.from({ length: Math.min(PARALLEL, wanted.length) }, worker));
    return missing;
  }

  /** False when there is no such object. */
  private async readOne({ testId, outcome, key }: Wanted): Promise<boolean> {
    if (this.bytes >= ALL_BYTES) {
      this.blame(
        testId,
        outcome,
        `its output was not read: the outputs of this run exceed ${ALL_BYTES / MB} MB`,
      );
      return true;
    }
    try {
      const stored = await this.ports.bucket.read(key, OUTPUT_BYTES);
      if (stored === undefined) return false;
      this.bytes += stored.bytes;
      this.keep(testId, outcome.instanceId, stored.text);
      if (stored.cutOff)
        this.blame(
          testId,
          outcome,
          `its output is longer than ${OUTPUT_BYTES / MB} MB, and was cut off there`,
        );
    } catch (error) {
      this.ports.log.error('an output cannot be read', { key, error: describeError(error) });
      this.blame(testId, outcome, `its output could not be read (${describeError(error)})`);
    }
    return true;
  }

  keep(testId: string, instanceId: string, output: string): void {
    this.outputs[testId] ??= {};
    this.outputs[testId][instanceId] = output;
  }

  blame(testId: string, { instanceId }: HostOutcome, reason: string): void {
    this.reasons.set(`${testId} ${instanceId}`, reason);
  }

  explained(outcomes: RunRecord['outcomes']): RunRecord['outcomes'] {
    const explain = (testId: string) => (outcome: HostOutcome) => {
      const reason = this.reasons.get(`${testId} ${outcome.instanceId}`);
      if (reason === undefined) return outcome;
      return { ...outcome, reason: outcome.reason === undefined ? reason : `${outcome.reason}; ${reason}` };
    };
    return Object.fromEntries(
      Object.entries(outcomes).map(([testId, list]) => [testId, list.map(explain(testId))]),
    );
  }
}
