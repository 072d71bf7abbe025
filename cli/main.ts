#!/usr/bin/env node
// The command of the package, bundled by scripts/bundle-cli.mjs. A verb is a subcommand in the table below.
import { version } from '../package.json';
import { isOptionError, nearest, OptionError } from './arguments';
import { parseBackup, parseRestore } from './backup/options';
import { BACKUP_USAGE, RESTORE_USAGE } from './backup/usage';
import { parseBench, parseBundle, parseGameDay, parseLogs } from './evidence/options';
import { BENCH_USAGE, BUNDLE_USAGE, GAMEDAY_USAGE, LOGS_USAGE } from './evidence/usage';
import { parseImages } from './images/options';
import { IMAGES_USAGE } from './images/usage';
import { parseOperation } from './operation/options';
import { START_USAGE, STOP_USAGE } from './operation/usage';
import { complain, type Output } from './output';
import { parseCompare, parsePlan } from './planner/options';
import { COMPARE_USAGE, PLAN_USAGE } from './planner/usage';
import { parsePreflight } from './preflight/options';
import { PREFLIGHT_USAGE } from './preflight/usage';
import { runPlan } from './run-plan';
import { parseStatus } from './status/options';
import { STATUS_USAGE } from './status/usage';
import type { Subcommand } from './subcommand';
import { EXAMPLE, PROGRAM, USAGE } from './usage';

const WRONG_OPTION = 2;

// Its reader of YAML and its compiler of schemas are a file of their own in the bundle: whoever plans does not wait. So
// are the clients of AWS.
const comparing = () => require('./run-compare') as typeof import('./run-compare');
const withAws = () => require('./with-aws') as typeof import('./with-aws');

const SUBCOMMANDS = new Map<string, Subcommand<unknown>>([
  ['plan', subcommand({ usage: PLAN_USAGE, parse: parsePlan, run: runPlan })],
  [
    'compare',
    subcommand({
      usage: COMPARE_USAGE,
      parse: parseCompare,
      run: (options, output) => comparing().runCompare(options, output),
    }),
  ],
  [
    'images',
    subcommand({
      usage: IMAGES_USAGE,
      parse: parseImages,
      run: (options, output) => withAws().runImages(options, output),
    }),
  ],
  [
    'preflight',
    subcommand({
      usage: PREFLIGHT_USAGE,
      parse: parsePreflight,
      run: (options, output) => withAws().runPreflight(options, output),
    }),
  ],
  [
    'stop',
    subcommand({
      usage: STOP_USAGE,
      parse: (args) => parseOperation('stop', args),
      run: (options, output) => withAws().runStop(options, output),
    }),
  ],
  [
    'start',
    subcommand({
      usage: START_USAGE,
      parse: (args) => parseOperation('start', args),
      run: (options, output) => withAws().runStart(options, output),
    }),
  ],
  [
    'status',
    subcommand({
      usage: STATUS_USAGE,
      parse: parseStatus,
      run: (options, output) => withAws().runStatus(options, output),
    }),
  ],
  [
    'logs',
    subcommand({
      usage: LOGS_USAGE,
      parse: parseLogs,
      run: (options, output) => withAws().runLogs(options, output),
    }),
  ],
  [
    'bundle',
    subcommand({
      usage: BUNDLE_USAGE,
      parse: parseBundle,
      run: (options, output) => withAws().runBundle(options, output),
    }),
  ],
  [
    'bench',
    subcommand({
      usage: BENCH_USAGE,
      parse: parseBench,
      run: (options, output) => withAws().runBench(options, output),
    }),
  ],
  [
    'gameday',
    subcommand({
      usage: GAMEDAY_USAGE,
      parse: parseGameDay,
      run: (options, output) => withAws().runGameDay(options, output),
    }),
  ],
  [
    'backup',
    subcommand({
      usage: BACKUP_USAGE,
      parse: parseBackup,
      run: (options, output) => withAws().runBackup(options, output),
    }),
  ],
  [
    'restore',
    subcommand({
      usage: RESTORE_USAGE,
      parse: parseRestore,
      run: (options, output) => withAws().runRestore(options, output),
    }),
  ],
]);

/** Whatever `parse` gives, only `run` sees it. */
function subcommand<Options>(given: Subcommand<Options>): Subcommand<unknown> {
  return given as Subcommand<unknown>;
}

/** Runs a command line. @returns the exit code */
export function main(args: readonly string[], output: Output): number | Promise<number> {
  const refuse = (error: unknown) => {
    if (!isOptionError(error)) throw error;
    const verb = SUBCOMMANDS.has(args[0] ?? '') ? ` ${args[0]}` : '';
    complain(output, `${error.message}\nAll options: ${PROGRAM}${verb} --help`);
    return WRONG_OPTION;
  };
  try {
    const code = run(args, output);
    return typeof code === 'number' ? code : code.catch(refuse);
  } catch (error) {
    return refuse(error);
  }
}

function run([verb, ...rest]: readonly string[], output: Output): number | Promise<number> {
  const print = (text: string) => {
    output.out.write(`${text}\n`);
    return 0;
  };
  if (verb === undefined || ['help', '--help', '-h'].includes(verb)) return print(USAGE);
  if (verb === '--version') return print(version);
  const { usage, parse, run } = SUBCOMMANDS.get(verb) ?? unknown(verb);
  if (rest.includes('--help') || rest.includes('-h')) return print(usage);
  return run(parse(rest), output);
}

/** @throws OptionError */
function unknown(verb: string): never {
  const known = [...SUBCOMMANDS.keys()];
  const example = nearest(verb, known) === 'compare' ? `${PROGRAM} compare A.yaml B.yaml` : EXAMPLE;
  throw new OptionError(`The first word has to be ${known.join(' or ')}; it is '${verb}'. Type ${example}`);
}

if (require.main === module) {
  // A reader such as 'head' has enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const { stdout: out, stderr: err, env } = process;
  void Promise.resolve(main(process.argv.slice(2), { out, err, env })).then((code) => {
    process.exitCode = code;
  });
}
