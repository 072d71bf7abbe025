/**
 * What the programs that run on the embedded AWS have in common: options, an orderly stop when interrupted, and their
 * exit codes.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Arguments, isOptionError, type OptionKinds } from '../../cli/arguments';
import { Terminal } from '../../cli/terminal';
import { DemoError, killAll, stopAll, tail } from './processes';

const ROOT = resolve(__dirname, '..', '..');

/** Options that every program has. */
export interface ProgramOptions {
  readonly help: boolean;
  /** Folder for logs and reports. */
  readonly out: string;
  /** Folder for the state of the embedded AWS. */
  readonly state: string;
}

/** The options of every program, and the Python that it starts the embedded AWS with. */
export const ENVIRONMENT_OPTIONS: OptionKinds = {
  out: 'value',
  state: 'value',
  python: 'value',
  help: 'flag',
};

/** @param defaultOut the folder for logs and reports where none is named */
export function environmentOf(
  { values, flags }: Pick<Arguments, 'values' | 'flags'>,
  defaultOut: string,
  env: NodeJS.ProcessEnv,
): ProgramOptions & { readonly python: string } {
  const out = values.out ?? defaultOut;
  return {
    out,
    state: values.state ?? `${out}/state`,
    python: values.python ?? (env.SAS_GRID_PYTHON || '.venv/bin/python'),
    help: flags.has('help'),
  };
}

/** What a program does. */
export interface Run {
  run(): Promise<void>;
  /** Notes why the run ended early. */
  fail(message: string): void;
  /** Finishes the reports and says how it went. Returns whether all held. */
  writeReports(): boolean;
}

/** One program. */
export interface Program<Options extends ProgramOptions> {
  readonly usage: string;
  readonly parse: (args: string[], environment: NodeJS.ProcessEnv) => Options;
  /** The folders of the options are absolute. */
  readonly make: (options: Options, root: string, terminal: Terminal) => Run;
}

let interrupted = false;

/**
 * Runs a program and ends the process: 0 when all held, 1 when it did not, 2 for a wrong option, 69 when this machine
 * lacks what was asked for, 130 when interrupted.
 */
export function start<Options extends ProgramOptions>(program: Program<Options>): void {
  // The SDK's notice that Node 20 will be dropped one day is nothing a user can act on.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  main(program).then(
    (code) => process.exit(code),
    (error) => {
      process.stderr.write(`${(error as Error).stack ?? error}\n`);
      process.exit(1);
    },
  );
}

async function main<Options extends ProgramOptions>({
  usage,
  parse,
  make,
}: Program<Options>): Promise<number> {
  let options: Options;
  try {
    options = parse(process.argv.slice(2), process.env);
  } catch (error) {
    if (!isOptionError(error)) throw error;
    process.stderr.write(`${error.message}\nUse --help to see the options.\n`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const terminal = new Terminal(process.stdout);
  const out = resolve(ROOT, options.out);
  mkdirSync(out, { recursive: true });
  const run = make({ ...options, out, state: resolve(ROOT, options.state) }, ROOT, terminal);
  stopOnSignals(terminal);
  let code = 1;
  try {
    await run.run();
  } catch (error) {
    // What breaks while everything is being stopped is no news; the handler of the signal ends the process.
    if (interrupted) await new Promise(() => {});
    run.fail(error instanceof DemoError ? error.message : ((error as Error).stack ?? String(error)));
    if (error instanceof DemoError) code = error.exitCode;
  } finally {
    terminal.status('  stopping the embedded AWS');
    await stopAll();
  }
  return run.writeReports() ? 0 : code;
}

/** Ctrl-C stops the children in order; a second one, or any way of ending, kills what is left. */
function stopOnSignals(terminal: Terminal): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (interrupted) process.exit(130);
      interrupted = true;
      terminal.line();
      terminal.line('Interrupted: stopping what was started (again to kill it at once).');
      void stopAll(20).finally(() => process.exit(130));
    });
  }
  process.on('exit', killAll);
}

/** Why a run ended early. Without the embedded AWS every other error is only a consequence. */
export function reasonOf(consequence: string, cloudEndedWith: number | undefined, out: string): string {
  if (cloudEndedWith === undefined) return consequence;
  return (
    `the embedded AWS ended with code ${cloudEndedWith} during the run; the end of its log:\n` +
    `${tail(join(out, 'localcloud.log'), 12).join('\n')}\nConsequence: ${consequence}`
  );
}
