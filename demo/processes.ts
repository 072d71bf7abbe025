import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A failure that the demo explains itself; shown without a stack trace. */
export class DemoError extends Error {}

/** A command to run as a child, its output going to a file. */
export interface Command {
  readonly program: string;
  readonly args: string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly logFile: string;
}

/** A running child and the code it ended with. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<number>;
}

const running = new Set<Running>();

/**
 * Starts a command in a process group of its own, so that stopping it stops what it started as well, and so that
 * Ctrl-C reaches the demo alone, which then stops the children in order.
 */
export function start(command: Command): Running {
  const log = openSync(command.logFile, 'w');
  const child = spawn(command.program, command.args, {
    cwd: command.cwd,
    env: command.env,
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', (error) =>
      reject(new DemoError(`cannot start ${command.program}: ${error.message}`)),
    );
    child.once('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)));
  });
  const entry: Running = { child, ended };
  running.add(entry);
  ended.then(
    () => running.delete(entry),
    () => running.delete(entry),
  );
  return entry;
}

/**
 * Runs a command to its end.
 * @returns its exit code
 * @throws DemoError when it takes longer than allowed; it is stopped then.
 */
export async function run(command: Command, limitSeconds: number): Promise<number> {
  const entry = start(command);
  const limit = new AbortController();
  const late = sleep(limitSeconds * 1000, 'late' as const, { signal: limit.signal }).catch(
    () => 'late' as const,
  );
  const result = await Promise.race([entry.ended, late]).finally(() => limit.abort());
  if (result !== 'late') return result;
  await stop(entry);
  throw new DemoError(
    `'${command.args.slice(0, 3).join(' ')}' did not end within ${limitSeconds} s and was stopped; ` +
      `its output is in ${command.logFile}`,
  );
}

/** Stops a child and its process group: asks first, insists after the grace time. */
export async function stop(entry: Running, graceSeconds = 20): Promise<void> {
  const { child } = entry;
  if (child.pid === undefined) return;
  signalGroup(child.pid, 'SIGTERM');
  const ended = entry.ended.then(
    () => true,
    () => true,
  );
  const timer = new AbortController();
  const patience = sleep(graceSeconds * 1000, false, { signal: timer.signal }).catch(() => false);
  await Promise.race([ended, patience]).finally(() => timer.abort());
  // Also when the child ended: something in its group may have outlived it.
  signalGroup(child.pid, 'SIGKILL');
}

/** Stops all children that still run, the latest first. */
export async function stopAll(graceSeconds?: number): Promise<void> {
  for (const entry of [...running].reverse()) await stop(entry, graceSeconds);
}

/** For the very end of the process, where nothing can be waited for. */
export function killAll(): void {
  for (const { child } of running) if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already, which is what was wanted.
  }
}

/** Minified code in a stack trace would bury the message. */
const LONGEST_LINE = 400;

/** The last lines of a log file, for error messages, without blank ones; [] when there is no such file. */
export function tail(file: string, lines: number): string[] {
  try {
    const filled = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.trim());
    return filled
      .slice(-lines)
      .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} ...` : line));
  } catch {
    return [];
  }
}

/** Repeats a question until it is answered with something else than undefined, within a bound. */
export async function waitFor<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  limitSeconds: number,
  everySeconds = 0.25,
): Promise<T> {
  const deadline = Date.now() + limitSeconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new DemoError(`waited ${limitSeconds} s for ${what}, in vain`);
    await sleep(everySeconds * 1000);
  }
}
