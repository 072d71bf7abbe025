import { availableParallelism } from 'node:os';
import { OptionError, readOptions, wholeNumber } from '../../cli/arguments';

/** What the command line asked for. */
export interface SimulationOptions {
  readonly runs: number;
  readonly seed: number;
  readonly workers: number;
  /** Name of a deliberate bug to be put into the code. */
  readonly mutation?: string;
  /** Print the trace of the one seed, shrunk if it fails. */
  readonly trace: boolean;
  /** Run only seeds whose plans have a fault of each of these kinds, as the report names them. */
  readonly having: readonly string[];
  /** Stop at the first violation. */
  readonly stop: boolean;
  /** Begin no more runs after this many minutes. */
  readonly minutes?: number;
  /** File with the results so far of a soak, which goes on from there. */
  readonly resume?: string;
  /** Document that gets the result between its markers. */
  readonly writeSoak?: string;
  readonly report: string;
  readonly help: boolean;
}

export const USAGE = `Runs the real reconciler and workflow against a simulated AWS, with faults that a seed determines.

Usage: make simulate RUNS=n SEED=s [SIMULATE_OPTIONS="..."]
       npx tsx proof/simulation/cli.ts [options]

  --runs N          how many runs; each has its own seed: SEED, SEED+1 and so on (default: 1000)
  --seed S          the first seed (default: 1)
  --workers N       how many run at the same time (default: as many as the machine has cores)
  --with KINDS      run only those seeds that have faults of all these kinds, by the names in the table of faults
                    without their commas, or by the first words of these: --with "edit,deploy grow rolled back"
  --trace           with one run: print what happened in it; a run that fails is shrunk first
  --stop            begin no more runs after the first violation
  --minutes N       begin no more runs after N minutes
  --resume FILE     a soak that may be interrupted: goes on after the seeds that FILE says are done, and adds to it;
                    begins anew when the code is another than FILE says (the old one is kept as FILE.before)
  --mutation NAME   put a deliberate bug into the code, to see that it is caught
                    (proof/simulation/mutations/mutations.ts)
  --write-soak FILE put the result into FILE, between its markers
  --report FILE     where the report goes (default: out/simulation/report.json)
  --help            this text

Exit codes: 0 no invariant was violated, 1 one was, 2 wrong options, 70 the simulation itself broke.`;

/** @throws OptionError for unknown options and values out of range */
export function parseOptions(args: string[]): SimulationOptions {
  const { values, flags } = readOptions(args, {
    runs: 'value',
    seed: 'value',
    workers: 'value',
    mutation: 'value',
    with: 'value',
    trace: 'flag',
    stop: 'flag',
    minutes: 'value',
    resume: 'value',
    'write-soak': 'value',
    report: 'value',
    help: 'flag',
  });
  const { mutation, resume, minutes } = values;
  const having = (values.with ?? '').split(',').filter((kind) => kind !== '');
  const stop = flags.has('stop');
  if (resume !== undefined && (stop || mutation !== undefined || having.length > 0))
    throw new OptionError(
      '--resume adds up all runs of the code as it is, to their end: it goes with none of ' +
        '--stop, --mutation and --with',
    );
  return {
    runs: wholeNumber('--runs', values.runs ?? '1000', 1, 1e9),
    seed: wholeNumber('--seed', values.seed ?? '1', 0, 2 ** 52),
    workers: wholeNumber('--workers', values.workers ?? String(availableParallelism()), 1, 256),
    mutation,
    having,
    trace: flags.has('trace'),
    stop,
    minutes: minutes === undefined ? undefined : wholeNumber('--minutes', minutes, 1, 10_000),
    resume,
    writeSoak: values['write-soak'],
    report: values.report ?? 'out/simulation/report.json',
    help: flags.has('help'),
  };
}
