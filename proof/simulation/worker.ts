import { parentPort, workerData } from 'node:worker_threads';
import { useDefinition } from './definition';
import { hasFaults, planOf } from './faults/plan';
import type { Answer, Task, WorkerData } from './pool';
import { run } from './run';
import { shrink } from './shrink';
import { Summary } from './summary';
import { traceOf } from './trace';

/** Runs seeds, or shrinks one, as the parent asks. */
async function answer(task: Task): Promise<Answer> {
  if (task.kind === 'shrink') return shrunk(task.seed);
  const summary = new Summary();
  for (let seed = task.first; seed < task.first + task.count; seed++) {
    const plan = planOf(seed);
    if (!hasFaults(plan, task.having)) continue;
    const result = await run(plan);
    summary.add(result);
    if (task.stopAtFailure && result.violations.length > 0) break;
  }
  return { kind: 'ran', summary: summary.data };
}

async function shrunk(seed: number): Promise<Answer> {
  const plan = planOf(seed);
  const first = await run(plan, { trace: true });
  const wanted = first.violations[0]?.invariant;
  if (wanted === undefined) return { kind: 'shrunk', seed, runs: 1, trace: traceOf(first) };
  // Another failure than this one would be shown instead of it.
  const fails = async (candidate: typeof plan): Promise<boolean> =>
    (await run(candidate)).violations[0]?.invariant === wanted;
  const shortest = await shrink(plan, fails);
  const result = await run(shortest.plan, { trace: true });
  return { kind: 'shrunk', seed, runs: shortest.runs, trace: traceOf(result) };
}

const port = parentPort;
if (port) {
  useDefinition((workerData as WorkerData).definition);
  port.on('message', (task: Task) => {
    answer(task).then(
      (found) => port.postMessage(found),
      (error: unknown) =>
        port.postMessage({
          kind: 'broken',
          task,
          error: error instanceof Error ? (error.stack ?? '') : String(error),
        }),
    );
  });
}
