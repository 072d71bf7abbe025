/** What is run beside the load, and how often. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** One command of the README, which has to pass each time. */
export interface Trial {
  /** 'test', or 'demo' and the deployment. */
  readonly name: string;
  readonly times: number;
  /** The variables that `make` gets, with the folder for its reports. */
  command(out: string): string[];
}

/** One run that ended by itself. */
export interface Result {
  readonly name: string;
  readonly passed: boolean;
  /** From its start to its end. */
  readonly seconds: number;
  /** Its log, where it failed. */
  readonly log?: string;
}

/** The deployment of `make demo` alone. */
const DEFAULT = 'sas-grid-lustre';
const TIMES = { demo: 10, deployment: 3, test: 3 };

/** All trials: that of 'make demo' first, since most people begin with it. */
export function trials(root: string): Trial[] {
  const names = (folder: string) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => file.slice(0, -'.yaml'.length))
      .sort();
  const others = [...names('config'), ...names('config/catalogs')].filter((name) => name !== DEFAULT);
  return [
    { name: 'demo', times: TIMES.demo, command: (out) => ['demo', `DEMO_OPTIONS=--out ${out}`] },
    ...others.map((name) => ({
      name: `demo-${name}`,
      times: TIMES.deployment,
      command: (out: string) => ['demo', `DEPLOYMENT=${name}`, `DEMO_OPTIONS=--out ${out}`],
    })),
    { name: 'test', times: TIMES.test, command: () => ['test'] },
  ];
}

/**
 * Those that were asked for.
 * @param only their names; all without
 * @param times how often each, instead of its own number
 * @throws Error for a name that none has
 */
export function chosen(all: Trial[], only: string[] = [], times?: number): Trial[] {
  const unknown = only.filter((name) => !all.some((trial) => trial.name === name));
  if (unknown.length > 0) {
    const there = all.map(({ name }) => name).join(', ');
    throw new Error(`--only names ${unknown.join(', ')}; there are: ${there}`);
  }
  return all
    .filter(({ name }) => only.length === 0 || only.includes(name))
    .map((trial) => ({ ...trial, times: times ?? trial.times }));
}

/** The results of a trial. */
export const resultsOf = (trial: Trial, results: readonly Result[]): Result[] =>
  results.filter(({ name }) => name === trial.name);

/** The trials that are still to be run, each once for each time: in turns, so that early on each has been tried. */
export function remaining(trials: Trial[], results: readonly Result[]): Trial[] {
  const left = trials.map((trial) => Math.max(0, trial.times - resultsOf(trial, results).length));
  const rounds = Array.from({ length: Math.max(0, ...left) }, (_, round) => round);
  return rounds.flatMap((round) => trials.filter((_, index) => left[index]! > round));
}
