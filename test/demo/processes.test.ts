import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, start, stop, waitFor } from '../../proof/kit/processes';

const folder = mkdtempSync(join(tmpdir(), 'demo-processes-'));
const command = (script: string) => ({
  program: 'bash',
  args: ['-c', script],
  cwd: folder,
  env: process.env,
  logFile: join(folder, 'log'),
});
const alive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('a command runs to its end, its output is in the file and its code is told', async () => {
  expect(await run(command('echo out; echo err >&2; exit 3'))).toBe(3);
  expect(readFileSync(join(folder, 'log'), 'utf8')).toBe('out\nerr\n');
});

test('a command that gets no further is stopped, and the error says where its output is', async () => {
  await expect(run(command('sleep 60'), 0.2)).rejects.toThrow(join(folder, 'log'));
});

test('a program that does not exist is an error, not a crash', async () => {
  await expect(run({ ...command(''), program: 'no-such-program' })).rejects.toThrow('no-such-program');
});

test('stopping reaches what the command started, also when it ignores the request', async () => {
  const entry = start(command('trap "" TERM; (trap "" TERM; echo $BASHPID; exec sleep 60) & wait; sleep 60'));
  const child = await waitFor(
    'the grandchild',
    () => Number(readFileSync(join(folder, 'log'), 'utf8')) || undefined,
  );
  expect(alive(child)).toBe(true);
  await stop(entry, 0.3);
  await waitFor('its end', () => (alive(child) ? undefined : true), 0.05);
});

test('waiting ends when nothing moves, and the error says for what', async () => {
  await expect(waitFor('the impossible', () => undefined, 0.02, 0.1)).rejects.toThrow('the impossible');
});
