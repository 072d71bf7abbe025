import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SCRIPT = join(__dirname, '..', '..', 'scripts', 'leftovers.mjs');

interface Found {
  readonly left: string[];
  readonly remarks: string[];
}

let system: string;
let temporary: string;

beforeEach(() => {
  system = mkdtempSync(join(tmpdir(), 'leftovers-'));
  temporary = join(system, 'sas-grid-test-1');
  mkdirSync(temporary);
});
afterEach(() => rmSync(system, { recursive: true, force: true }));

/**
 * What is found after these statements, which run after the first look, in a Node of its own: the script is a module.
 */
async function foundAfter(statements: string): Promise<Found> {
  const program = `
    import { writeFileSync, mkdirSync } from 'node:fs';
    import { watch } from ${JSON.stringify(SCRIPT)};
    const [system, temporary] = ${JSON.stringify([system, temporary])};
    const look = watch({ system, temporary, root: system, graceSeconds: 0 });
    ${statements}
    console.log(JSON.stringify(await look()));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return JSON.parse(stdout);
}

/** This test is another run, whose names would be the same: what has them is told of, and does not count. */
const named = ({ left, remarks }: Found) => [...left, ...remarks].join('\n');

test('nothing is left by a run that leaves nothing, whatever was there and whoever else makes something', async () => {
  mkdirSync(join(system, 'cdk.outBefore'));
  const found = await foundAfter(`writeFileSync(system + '/of-somebody-else', '');`);
  expect(found).toEqual({ left: [], remarks: [] });
});

test.each(['cdk.outAbc123', 'cdk-abc', 'sas-grid-jest-1', '.cdk.staging'])(
  'a file %s beside the run is named',
  async (name) => {
    expect(named(await foundAfter(`mkdirSync(system + '/${name}');`))).toContain(join(system, name));
  },
);

test('a process of the run that still runs is named with its command', async () => {
  let child: ChildProcess | undefined;
  try {
    child = spawn('sleep', ['120'], { env: { ...process.env, TMPDIR: join(temporary, 'demo-1') } });
    expect((await foundAfter('')).left).toEqual([`process ${child.pid}: sleep 120`]);
  } finally {
    child?.kill('SIGKILL');
  }
});

test('what a check leaves in its own folder is named, but for the caches of tools', async () => {
  for (const name of ['tsx-0', 'pytest-of-root', 'node-compile-cache']) mkdirSync(join(temporary, name));
  writeFileSync(join(temporary, 'cdk.outAbc123'), '');
  const program = `
    import { leftBy } from ${JSON.stringify(SCRIPT)};
    console.log(JSON.stringify(leftBy('demo', ${JSON.stringify(temporary)})));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(JSON.parse(stdout)).toEqual(['file cdk.outAbc123 of demo']);
});
