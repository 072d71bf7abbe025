/**
 * Whether whatever is the same with other values is tried with all of them. Continuous integration does, `make test`
 * tries a sample (CONTRIBUTING.md, "Run some checks").
 */
export const EXHAUSTIVE = process.env.EXHAUSTIVE === '1';

/** Each so-manieth from the first on; all of them in continuous integration. */
export const sample = <T>(all: readonly T[], every: number): T[] =>
  all.filter((_, index) => EXHAUSTIVE || index % every === 0);

/** How many to try: so many in continuous integration, and fewer in `make test`. */
export const upTo = (all: number, few: number): number => (EXHAUSTIVE ? all : few);
