import { bundleWorker } from '../bundle';
import type { Definition } from '../definition';
import { Pool } from '../pool';
import type { Mutation } from './mutation';

/** How a deliberate bug fared. */
export interface Catch {
  readonly mutation: string;
  readonly bug: string;
  /** The invariant that it violated first; undefined when it got through. */
  readonly caughtBy?: string;
  readonly seed?: number;
  readonly message?: string;
  /** Runs until it was caught, or all. */
  readonly runs: number;
}

/** Runs seeds against the code with a bug in it, until it is caught or the seeds are used up. */
export async function catchMutation(
  mutation: Mutation,
  definition: Definition,
  options: { readonly runs: number; readonly seed: number; readonly workers: number },
): Promise<Catch> {
  const bundle = await bundleWorker(mutation);
  const { workers } = options;
  const pool = new Pool({ bundle, definition, workers, stopAtFailure: true, progress: () => undefined });
  try {
    const summary = await pool.run(options.seed, options.runs);
    const first = summary.failures[0];
    return {
      mutation: mutation.name,
      bug: mutation.bug,
      caughtBy: first?.invariant,
      seed: first?.seed,
      message: first?.message,
      runs: first ? first.seed - options.seed + 1 : summary.runs,
    };
  } finally {
    await pool.close();
  }
}
