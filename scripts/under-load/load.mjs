// A load until the pipe from whoever started this is closed, and at most for SECONDS.
// Usage: node load.mjs cpu SECONDS
//        node load.mjs disk SECONDS FOLDER
import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const SLICE_MS = 50;
const MIB = 1 << 20;
/** So much is on the disk at a time. */
const FILE_MIB = 256;

const [kind, seconds, folder] = process.argv.slice(2);
const end = () => {
  if (folder) rmSync(folder, { recursive: true, force: true });
  process.exit(0);
};
process.stdin.on('end', end).on('error', end).resume();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, end);
setTimeout(end, Number(seconds) * 1000);

function compute() {
  const until = Date.now() + SLICE_MS;
  while (Date.now() < until);
  setImmediate(compute);
}

function write() {
  const file = openSync(join(folder, 'load'), 'w');
  const block = Buffer.alloc(MIB, 1);
  let written = 0;
  const step = () => {
    for (let mib = 0; mib < 16 && written < FILE_MIB; mib++, written++) writeSync(file, block);
    fsyncSync(file);
    if (written < FILE_MIB) return setImmediate(step);
    closeSync(file);
    setImmediate(write);
  };
  step();
}

if (kind === 'disk') {
  mkdirSync(folder, { recursive: true });
  write();
} else {
  compute();
}
