import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { follow, Patience, signsOfGroup } from './patience';

const LOOK_MS = 500;
const SETTLE_SECONDS = 15;

/** A failure that the demo explains itself; shown without a stack trace. */
export class DemoError extends Error {
  /** @param exitCode of the program that ends by it */
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

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
 * @throws DemoError when it gets no further; it is stopped then.
 */
export async function run(command: Command, quietSeconds?: number): Promise<number> {
  const entry = start(command);
  const { pid } = entry.child;
  const forget = [
    follow(() => String(statSync(command.logFile, { throwIfNoEntry: false })?.size)),
    ...(pid === undefined ? [] : [follow(signsOfGroup(pid))]),
  ];
  const patience = new Patience(quietSeconds);
  try {
    for (;;) {
      const timer = new AbortController();
      const pause = sleep(LOOK_MS, undefined, { signal: timer.signal }).catch(() => undefined);
      const code = await Promise.race([entry.ended, pause]).finally(() => timer.abort());
      if (code !== undefined) return code;
      const reason = patience.lost();
      if (!reason) continue;
      await stop(entry);
      throw new DemoError(
        `'${command.args.slice(0, 3).join(' ')}' did not end: ${reason}, and it was stopped; ` +
          `its output is in ${command.logFile}`,
      );
    }
  } finally {
    for (const one of forget) one();
  }
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

/** Repeats a question until it is answered with something else than undefined, as long as something moves. */
export async function waitFor<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  everySeconds = 0.25,
  quietSeconds?: number,
): Promise<T> {
  const patience = new Patience(quietSeconds);
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    const reason = patience.lost();
    if (reason) throw new DemoError(`waited for ${what}, in vain: ${reason}`);
    await sleep(everySeconds * 1000);
  }
}

/** What checks say as soon as all hold, or once nothing moves that could change it. Describes may lag behind. */
export async function settled<T>(look: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  const patience = new Patience(SETTLE_SECONDS);
  for (;;) {
    const found = await look();
    if (holds(found) || patience.lost()) return found;
    await sleep(LOOK_MS);
  }
}
