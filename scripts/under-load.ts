/**
 * Runs the two commands of the README beside a load on all processors and the disk, again and again: a command that
 * fails now and then is broken. It may be interrupted in any way; the next call goes on where it stopped, as long as
 * the code is the same.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from '../cli/terminal';
import { codeOf, Journal } from './journal';
import { chosen, type Result, remaining, resultsOf, type Trial, trials } from './under-load/plan';

const USAGE = `Runs 'make demo' and 'make test' beside a load on all processors and the disk, until each has run often
enough. Interrupted, it goes on at the next call. Results: <out>/results.jsonl; logs of runs that failed: <out>.

Usage: npx tsx scripts/under-load.ts [options]

  --only NAME   only this trial; may be given more than once: demo, demo-<deployment>, test
  --times N     each so often (default: demo 10, the others 3)
  --out DIR     folder for results and logs (default: out/under-load)
  --anew        begin anew
  --no-load     start no load: the machine has enough to do, such as other runs of this
  --help        this text

Exit code: 0 when all passed, 1 when one failed, 2 for a wrong option, 130 when interrupted.`;

const ROOT = resolve(__dirname, '..');
/** No run takes longer, and neither does the load beside it. */
const LOAD_SECONDS = 2 * 3600;

const LOAD = join(__dirname, 'under-load', 'load.mjs');
const GUARD = join(__dirname, 'guard.mjs');
const children = new Set<ChildProcess>();
let interrupted = false;

/** Starts a program that ends when its standard input does. */
function start(args: string[]): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    // Of its own group: Ctrl-C reaches this program alone, which ends it.
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { ...process.env, CI: process.env.CI ?? 'true' },
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

const ended = (child: ChildProcess) =>
  new Promise<number>((done) => child.once('exit', (code) => done(code ?? 1)));

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = ended(child);
  child.stdin?.end();
  await end;
}

/** A load on all processors and the disk. */
function startLoad(out: string): ChildProcess[] {
  const disk = ['disk', String(LOAD_SECONDS), join(out, 'disk')];
  const processors = Array.from({ length: availableParallelism() }, () => ['cpu', String(LOAD_SECONDS)]);
  return [...processors, disk].map((args) => start([LOAD, ...args]));
}

async function run(trial: Trial, number: number, out: string, loaded: boolean): Promise<Result> {
  const folder = join(out, `${trial.name}-${number}`);
  const log = `${folder}.log`;
  const load = loaded ? startLoad(out) : [];
  const begun = Date.now();
  const code = await ended(
    start([GUARD, log, 'make', '--no-print-directory', '-C', ROOT, ...trial.command(folder)]),
  );
  const seconds = Math.round((Date.now() - begun) / 100) / 10;
  await Promise.all(load.map(stop));
  if (code === 0) {
    rmSync(folder, { recursive: true, force: true });
    rmSync(log, { force: true });
    return { name: trial.name, passed: true, seconds };
  }
  const checks = join(ROOT, 'out', 'test');
  if (trial.name === 'test' && existsSync(checks) && !interrupted)
    cpSync(checks, folder, { recursive: true });
  return { name: trial.name, passed: false, seconds, log };
}

function show(all: Trial[], results: Result[]): void {
  const rows = all.map((trial) => {
    const own = resultsOf(trial, results);
    const seconds = own.map((result) => result.seconds);
    const range = seconds.length ? `${Math.min(...seconds)} to ${Math.max(...seconds)}` : '';
    const failed = own.filter(({ passed }) => !passed).length;
    return [trial.name, String(trial.times), String(own.length - failed), String(failed), range];
  });
  for (const line of table(['Command', 'wanted', 'passed', 'failed', 'seconds'], rows)) console.log(line);
  for (const { name, log } of results.filter(({ passed }) => !passed)) console.log(`failed: ${name}, ${log}`);
}

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', multiple: true },
      times: { type: 'string' },
      out: { type: 'string' },
      anew: { type: 'boolean' },
      'no-load': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (values.times !== undefined && !/^[1-9]\d{0,3}$/.test(values.times))
    throw new Error(`--times is '${values.times}'; allowed: a whole number from 1 to 9999`);
  const all = chosen(
    trials(ROOT),
    values.only,
    values.times === undefined ? undefined : Number(values.times),
  );
  const out = resolve(ROOT, values.out ?? join('out', 'under-load'));
  mkdirSync(out, { recursive: true });
  const file = join(out, 'results.jsonl');
  const code = codeOf(ROOT);
  const journal = new Journal<Result>(file, code, values.anew);
  if (journal.begunAnew) console.log(`begun anew: ${journal.begunAnew}`);
  else if (journal.results.length) console.log(`going on after ${journal.results.length} runs of ${code}`);
  for (const trial of remaining(all, journal.results)) {
    const number = resultsOf(trial, journal.results).length + 1;
    console.log(`${new Date().toISOString()}  ${trial.name}, ${number} of ${trial.times}`);
    const result = await run(trial, number, out, !values['no-load']);
    if (interrupted) return 130;
    journal.add(result);
    console.log(`    ${result.passed ? 'passed' : `FAILED, ${result.log}`} in ${result.seconds} s`);
  }
  show(all, journal.results);
  return all.flatMap((trial) => resultsOf(trial, journal.results)).every(({ passed }) => passed) ? 0 : 1;
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => {
    if (!interrupted) console.log('interrupted: what runs is ended first; the next call goes on here');
    interrupted = true;
    for (const child of children) child.stdin?.end();
  });

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
  },
);
