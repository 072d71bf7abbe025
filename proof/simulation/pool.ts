import { Worker } from 'node:worker_threads';
import type { Definition } from './definition';
import { Summary, type SummaryData } from './summary';

/** What a worker is asked. */
export type Task =
  | {
      readonly kind: 'run';
      readonly first: number;
      readonly count: number;
      /** Other seeds are left out (`hasFaults`). */
      readonly having: readonly string[];
      readonly stopAtFailure: boolean;
    }
  | { readonly kind: 'shrink'; readonly seed: number };

/** What a worker answers. */
export type Answer =
  | { readonly kind: 'ran'; readonly summary: SummaryData }
  | { readonly kind: 'shrunk'; readonly seed: number; readonly runs: number; readonly trace: string[] }
  | { readonly kind: 'broken'; readonly task: Task; readonly error: string };

export interface WorkerData {
  readonly definition: Definition;
}

/** Seeds that a worker runs before it says how far it is. */
const CHUNK = 25;

/**
 * A run leaves much that is short-lived: with room for it less of it has to be looked at twice.
 *
 * @see https://nodejs.org/api/worker_threads.html#workerresourcelimits
 */
const LIMITS = { maxYoungGenerationSizeMb: 96 };

/** How the runs are to be done. */
export interface PoolOptions {
  /** Path of the bundled worker. */
  readonly bundle: string;
  readonly definition: Definition;
  readonly workers: number;
  /** Seeds whose plans lack a fault of one of these kinds are left out (default: none is). */
  readonly having?: readonly string[];
  /** No more runs are begun after a violation. */
  readonly stopAtFailure: boolean;
  readonly progress: (summary: SummaryData) => void;
  /** Told what each part of the seeds came to, in the order in which they end. */
  readonly ran?: (first: number, count: number, summary: SummaryData) => void;
  /** No more runs are begun after this time, milliseconds since 1970. */
  readonly until?: number;
}

/** Workers that each run seeds, one process thread for each. */
export class Pool {
  private readonly workers: Worker[];

  constructor(private readonly options: PoolOptions) {
    const workerData: WorkerData = { definition: options.definition };
    this.workers = Array.from(
      { length: options.workers },
      () => new Worker(options.bundle, { workerData, resourceLimits: LIMITS }),
    );
  }

  /** Runs the seeds from `first` on; fewer than `count` when it has to stop before. */
  async run(first: number, count: number): Promise<SummaryData> {
    const summary = new Summary();
    const { having = [], stopAtFailure, progress, ran, until } = this.options;
    let next = first;
    const end = first + count;
    const work = async (worker: Worker): Promise<void> => {
      while (next < end && !(stopAtFailure && summary.data.failed > 0) && !(until && Date.now() >= until)) {
        const size = Math.min(CHUNK, end - next);
        const task: Task = { kind: 'run', first: next, count: size, having, stopAtFailure };
        next += size;
        const answer = await ask(worker, task);
        if (answer.kind === 'ran') {
          summary.merge(answer.summary);
          ran?.(task.first, size, answer.summary);
        }
        progress(summary.data);
      }
    };
    await Promise.all(this.workers.map(work));
    return summary.data;
  }

  /** The shortest trace of a seed that fails, as lines. */
  async shrink(seed: number): Promise<{ runs: number; trace: string[] }> {
    const answer = await ask(this.workers[0]!, { kind: 'shrink', seed });
    return answer.kind === 'shrunk' ? answer : { runs: 0, trace: [] };
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.terminate()));
  }
}

function ask(worker: Worker, task: Task): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      worker.off('message', heard);
      worker.off('error', died);
      then();
    };
    const heard = (answer: Answer) =>
      settle(() =>
        answer.kind === 'broken'
          ? reject(new Error(`${JSON.stringify(answer.task)}: ${answer.error}`))
          : resolve(answer),
      );
    const died = (error: Error) => settle(() => reject(error));
    worker.on('message', heard);
    worker.on('error', died);
    worker.postMessage(task);
  });
}
