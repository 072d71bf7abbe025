import type { RunRecord } from '../shared/benchmark/plan';
import type { BenchmarkResult } from '../shared/benchmark/result';
import { describeError } from '../shared/log';
import { historyEntryOf, shortReasons } from './history';
import { messageOf } from './message';
import { metricLines } from './metrics';
import { readOutputs } from './outputs';
import type { Ports } from './ports';
import { plainReport } from './report/plain';
import type { Settings } from './settings';

/** What the workflow asks for. */
export interface JudgeEvent {
  readonly action: 'judge';
  readonly bucket: string;
  /** `runs/<runId>/run.json`. */
  readonly runKey: string;
}

/** What the workflow gets: little, since its state is limited; the rest lies in the bucket. */
export interface Judged {
  readonly verdict: BenchmarkResult['verdict'];
  readonly reasons: string[];
  readonly resultKey: string;
  readonly reportKey: string;
  /** What could not be written or told, a sentence each. The verdict stands all the same. */
  readonly problems: string[];
}

/** Runs that a report shows besides its own. */
const SHOWN_RUNS = 50;

const MOST_RUN_BYTES = 20_000_000;

/** Checks what the function was called with; an error says what is wrong. */
export function eventOf(event: unknown): JudgeEvent {
  const { action, bucket, runKey } = (event ?? {}) as Partial<Record<keyof JudgeEvent, unknown>>;
  if (action !== 'judge') throw new Error(`action is ${JSON.stringify(action)}; it has to be "judge"`);
  if (typeof bucket !== 'string' || bucket === '') throw new Error('bucket has to be the name of a bucket');
  if (typeof runKey !== 'string' || !/^(.+\/)?runs\/[^/]+\/run\.json$/.test(runKey))
    throw new Error(`runKey is ${JSON.stringify(runKey)}; it has to be like "runs/<run id>/run.json"`);
  return { action, bucket, runKey };
}

/**
 * Judges a run and writes down and tells what came of it. May be called again after any error, or for a run of long
 * ago: it writes the same again; only a mail may come twice. It throws if there is no verdict, or none that lasts; what
 * fails after the verdict is written (report, history, mail) is told, and keeps nothing else from being done.
 */
export async function judge({ runKey }: JudgeEvent, ports: Ports, settings: Settings): Promise<Judged> {
  const folder = runKey.slice(0, -'run.json'.length);
  const { run, endedAt } = await runOf(runKey, ports);
  const problems = new Problems(ports);
  const history = await problems.attempt(
    'the history could not be read, so that nothing was compared with earlier runs',
    () => ports.history.before(run.benchmark, run.runId, SHOWN_RUNS),
  );
  const read = await readOutputs(run, ports);
  const judged = ports.judge(read.run, read.outputs, history ?? [], endedAt);
  const known = [...(judged.problems ?? []), ...problems.found];
  const result = known.length > 0 ? { ...judged, problems: known } : judged;

  const resultKey = `${folder}result.json`;
  const reportKey = `${folder}report.html`;
  await ports.bucket.write(resultKey, `${JSON.stringify(result)}\n`, 'application/json');
  const reported = await problems.attempt('the report could not be written', async () => {
    await ports.bucket.write(reportKey, pageOf(result, ports, problems), 'text/html; charset=utf-8');
    return true;
  });
  await problems.attempt('the history could not be written', () =>
    ports.history.put(historyEntryOf(result, resultKey, reportKey)),
  );
  for (const line of metricLines(result)) ports.print(line);
  await problems.attempt('the verdict could not be told to the topic', async () => {
    const message = messageOf(result, reported ? reportKey : undefined, settings);
    await ports.topic?.publish(message.subject, message.text);
  });
  const { verdict, reasons } = result;
  ports.log.info('judged', {
    run: run.runId,
    verdict,
    figures: result.figures.length,
    problems: problems.found,
  });
  return { verdict, reasons: shortReasons(reasons), resultKey, reportKey, problems: problems.found };
}

/** The record of a run, and when its last test ended. */
async function runOf(runKey: string, ports: Ports): Promise<{ run: RunRecord; endedAt: string }> {
  const stored = await ports.bucket.read(runKey, MOST_RUN_BYTES);
  if (stored === undefined)
    throw new Error(
      `there is no ${runKey}, or it may not be read: the run was never prepared, or its files have expired`,
    );
  if (stored.cutOff) throw new Error(`${runKey} is longer than ${MOST_RUN_BYTES} bytes`);
  let run: RunRecord;
  try {
    run = JSON.parse(stored.text);
  } catch (error) {
    throw new Error(`${runKey} is no JSON (${describeError(error)})`);
  }
  if (run?.format !== 1)
    throw new Error(`${runKey} has the format ${run?.format}; this version reads format 1`);
  for (const name of ['benchmark', 'runId', 'tests', 'hosts', 'outcomes'] as const) {
    if (run[name] === undefined) throw new Error(`${runKey} has no ${name}`);
  }
  // The time of the record is that of the last host's end. Not the present: a later call has to come to the same.
  const endedAt = run.endedAt ?? stored.lastModified ?? new Date(ports.clock.now()).toISOString();
  return { run, endedAt };
}

/** A page there is in any case: who looks for the verdict must find it. */
function pageOf(result: BenchmarkResult, ports: Ports, problems: Problems): string {
  try {
    return ports.report(result);
  } catch (error) {
    problems.add('the report could not be drawn', error);
    return plainReport(result);
  }
}

/** What went wrong without keeping the rest from being done. */
class Problems {
  readonly found: string[] = [];

  constructor(private readonly ports: Ports) {}

  add(what: string, error: unknown): void {
    this.ports.log.error(what, { error: describeError(error) });
    this.found.push(`${what} (${describeError(error)})`.slice(0, 500));
  }

  async attempt<T>(what: string, call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      this.add(what, error);
      return undefined;
    }
  }
}
