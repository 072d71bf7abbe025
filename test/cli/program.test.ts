import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json';
import { PLAN } from './terminal';

// What the package runs. scripts/setup.sh makes it anew when a source is newer.
const ROOT = join(__dirname, '..', '..');
const PROGRAM = join(ROOT, manifest.bin['cdk-sas-grid']);

const start = (line: string) =>
  spawnSync(process.execPath, [PROGRAM, ...line.split(' ').filter(Boolean)], { cwd: ROOT, encoding: 'utf8' });

test('the program of the package is packed with its licences, and can be started', () => {
  expect(manifest.files).toContain('build/cli');
  expect(readFileSync(PROGRAM, 'utf8').startsWith('#!/usr/bin/env node\n')).toBe(true);
  expect(statSync(PROGRAM).mode & 0o111).toBe(0o111);
  const licences = readFileSync(join(PROGRAM, '..', 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  for (const name of ['@aws-sdk/client-ec2', 'ajv', 'yaml']) {
    expect(licences).toMatch(new RegExp(`^${name}$`, 'm'));
  }
});

test.each([
  ['--version', 0, `${manifest.version}\n`],
  ['--help', 0, 'Usage: npx cdk-sas-grid plan'],
  ['plan --help', 0, 'Exit code: 0; 1 when no design'],
  [PLAN, 0, 'Recommended\nTake FSx for OpenZFS'],
  [PLAN.replace('--shared 75', '--shared 75000'), 1, 'No design gives what is wanted.'],
  [`${PLAN} --colour`, 2, ''],
  ['compare config/sas-grid-lustre.yaml config/sas-grid-fsx.yaml', 0, 'together, USD/month'],
  ['compare config/sas-grid-lustre.yaml config/none.yaml', 2, ''],
  ['compare config/sas-grid-lustre.yaml package.json', 2, ''],
  ['preflight --help', 0, 'Exit code: 0 when it can be deployed; 1 when something would fail'],
  ['preflight', 2, ''],
  ['preflight mine yours', 2, ''],
  ['preflight ../mine', 2, ''],
  ['preflight mine --templates docs', 2, ''],
])('%s: exit code %d', (line, code, text) => {
  const { status, stdout, stderr } = start(line);
  expect(status).toBe(code);
  expect(stdout).toContain(text);
  expect(stderr === '').toBe(code !== 2);
  // A sentence that says what to type, and not where in the program it was found out.
  expect(stderr).not.toMatch(/^ +at /m);
  if (code === 2) expect(stderr).toMatch(/All options: npx cdk-sas-grid \w+ --help\n$/);
});

test('a reader that has enough is no error', () => {
  const command = `set -o pipefail; "$0" "$1" ${PLAN} --json | head -c 1`;
  expect(execFileSync('bash', ['-c', command, process.execPath, PROGRAM], { encoding: 'utf8' })).toBe('{');
});

// Against Node.js itself in the same run: a machine at work takes several times as long for both.
test('a plan takes less than three times the processor time of Node.js itself', () => {
  const report =
    "process.on('exit', () => { const { user, system } = process.cpuUsage(); " +
    'process._rawDebug(String((user + system) / 1000)); })';
  const preload = `data:text/javascript,${encodeURIComponent(report)}`;
  const milliseconds = (...args: string[]) =>
    Math.min(
      ...[1, 2, 3].map(() => {
        const { stderr } = spawnSync(process.execPath, ['--import', preload, ...args], { encoding: 'utf8' });
        return Number(stderr.trim());
      }),
    );
  const floor = milliseconds('--eval', '0');
  expect(floor).toBeGreaterThan(0);
  expect(milliseconds(PROGRAM, ...PLAN.split(' ')) / floor).toBeLessThan(3);
});
