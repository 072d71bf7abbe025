// Runs a command in a process group of its own until it ends, or until whoever started this is gone: however that
// ended, its pipe to this process is closed then. So nothing is left of a run, even by SIGKILL.
// Usage: node guard.mjs LOG COMMAND [ARGUMENT ...]
import { spawn } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';

const GRACE_MS = 60_000;
const [logFile, command, ...args] = process.argv.slice(2);
const log = openSync(logFile, 'w');
const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log] });

/** Whether the signal reached anybody of the group; with 0 it is only asked. */
const signal = (name) => {
  try {
    process.kill(-child.pid, name);
    return true;
  } catch {
    return false;
  }
};
let code = 1;
let deadline = Number.POSITIVE_INFINITY;
const end = () => {
  deadline = Date.now() + GRACE_MS;
  signal('SIGTERM');
};

child.on('exit', (ended) => {
  code = ended ?? 1;
  // What it left in its group gets the same time: it may be stopping what it started.
  deadline = Math.min(deadline, Date.now() + GRACE_MS);
});
child.on('error', (error) => {
  writeSync(log, `${error.message}\n`);
  process.exit(127);
});
setInterval(() => {
  if (Date.now() > deadline) signal('SIGKILL');
  // Some systems never take away what is dead.
  if (!signal(0) || Date.now() > deadline + 5000) process.exit(code);
}, 100);
process.stdin.on('end', end).on('error', end).resume();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, end);
