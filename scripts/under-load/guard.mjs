// Runs a command in a process group of its own until it ends, or until whoever started this is gone: however that ended, its pipe to this
// process is closed then. So nothing is left of a run, even by SIGKILL.
// Usage: node guard.mjs LOG COMMAND [ARGUMENT ...]
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';

const GRACE_MS = 60_000;
const [logFile, command, ...args] = process.argv.slice(2);
const log = openSync(logFile, 'w');
const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log] });

const signal = (name) => {
  try {
    process.kill(-child.pid, name);
  } catch {
    // The group is gone.
  }
};
const end = () => {
  signal('SIGTERM');
  setTimeout(() => signal('SIGKILL'), GRACE_MS).unref();
};

child.on('exit', (code) => {
  signal('SIGKILL'); // what the command left in its group
  process.exit(code ?? 1);
});
child.on('error', () => process.exit(127));
process.stdin.on('end', end).on('error', end).resume();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, end);
