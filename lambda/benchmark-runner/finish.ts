import { runKey } from '../../constructs/private/benchmark-definition';
import type { HostOutcome } from '../shared/benchmark/plan';
import { messageOfCause } from '../shared/caught';
import type { Ports } from './ports';
import { isOver, notBegun } from './start';
import type { Step } from './steps';

export interface FinishCall {
  readonly runId: string;
  /** What broke the run off; undefined when all its steps were taken. */
  readonly problem?: unknown;
}

const MAX_PROBLEM = 500;

/** Writes the outcomes of all steps into the run's record and releases the lock. Repeated, it writes the same again. */
export async function finish({ runId, problem }: FinishCall, ports: Ports): Promise<{ runKey: string }> {
  const [run, steps] = await Promise.all([ports.store.run(runId), ports.store.steps(runId)]);
  if (!run || !steps) throw new Error(`run ${runId} has no record`);
  const words = problemOf(problem);
  const outcomes: Record<string, HostOutcome[]> = Object.fromEntries(run.tests.map(({ id }) => [id, []]));
  const cleanUp: HostOutcome[] = [];
  for (const step of steps) {
    const found = (await ports.store.outcomes(runId, step.id)) ?? notTaken(step, words, ports.clock.now());
    if (step.testId) outcomes[step.testId]!.push(...found);
    if (step.kind === 'clean-up') cleanUp.push(...found.filter(({ status }) => status !== 'done'));
  }
  const problems = [...(run.problems ?? []), ...(words && !run.problems?.includes(words) ? [words] : [])];
  await ports.store.saveRun({
    ...run,
    outcomes,
    endedAt: run.endedAt ?? new Date(ports.clock.now()).toISOString(),
    ...(cleanUp.length > 0 && { cleanUp }),
    ...(problems.length > 0 && { problems }),
  });
  await ports.table.unlock(runId);
  if (cleanUp.length > 0) ports.log.error('test files may be left behind', { runId, cleanUp });
  return { runKey: runKey(runId) };
}

function notTaken(step: Step, problem: string | undefined, now: number): HostOutcome[] {
  if (!problem && isOver(step, now)) return notBegun(step);
  const reason = problem ? `it was not done: ${problem}` : 'it was not done';
  return step.hosts.map((instanceId) => ({ instanceId, status: 'failed', reason }));
}

/** What Step Functions has caught: an error's name, and a text in which the function's own is. */
function problemOf(problem: unknown): string | undefined {
  if (typeof problem !== 'object' || problem === null) return undefined;
  const { Error: name, Cause: cause } = problem as { Error?: unknown; Cause?: unknown };
  return `The run was broken off: ${String(name)}: ${messageOfCause(cause)}`.slice(0, MAX_PROBLEM);
}
