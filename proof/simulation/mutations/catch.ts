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
  /** How many seeds there are up to the one that caught it, or all. */
  readonly runs: number;
}

/** Which seeds to run, and how. */
interface Search {
  readonly runs: number;
  readonly seed: number;
  readonly workers: number;
  /** A seed that has caught the bug before: it is run first, if it is one of these. */
  readonly likely?: number;
}

/** Runs seeds against the code with a bug in it, until it is caught or the seeds are used up. */
export async function catchMutation(
  mutation: Mutation,
  definition: Definition,
  { runs, seed, workers, likely }: Search,
): Promise<Catch> {
  const bundle = await bundleWorker(mutation);
  const pool = new Pool({ bundle, definition, workers, stopAtFailure: true, progress: () => undefined });
  const known = likely !== undefined && likely >= seed && likely < seed + runs;
  try {
    let summary = known ? await pool.run(likely, 1) : undefined;
    if (!summary?.failed) summary = await pool.run(seed, runs);
    const first = summary.failures[0];
    return {
      mutation: mutation.name,
      bug: mutation.bug,
      caughtBy: first?.invariant,
      seed: first?.seed,
      message: first?.message,
      runs: first ? first.seed - seed + 1 : summary.runs,
    };
  } finally {
    await pool.close();
  }
}
