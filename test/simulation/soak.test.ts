import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseOptions } from '../../proof/simulation/options';
import { codeOf, Soak } from '../../proof/simulation/soak';
import { Summary, type SummaryData } from '../../proof/simulation/summary';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'soak-'));
  file = join(folder, 'deeper', 'soak.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What some seeds came to. */
const of = (runs: number, failed: readonly number[] = []): SummaryData => ({
  ...new Summary().data,
  runs,
  calls: 10 * runs,
  injected: { terminate: runs },
  failed: failed.length,
  failures: failed.map((seed) => ({ seed, invariant: 'released-after-end', message: 'taken' })),
});

test('a soak that was interrupted goes on, and its results add up', () => {
  const first = Soak.open(file, 'abc', 1000);
  expect(first.runs).toBe(0);
  first.note(1000, 25, of(25));
  first.note(1025, 25, of(25, [1030]));
  first.write();
  const second = Soak.open(file, 'abc', 1000);
  expect(second.runs).toBe(50);
  second.note(1050, 25, of(25));
  second.write();
  expect(Soak.open(file, 'abc', 1000).data).toMatchObject({
    nextSeed: 1075,
    sessions: 3,
    summary: { runs: 75, calls: 750, injected: { terminate: 75 }, failed: 1, failures: [{ seed: 1030 }] },
  });
});

test('what was done beyond a gap is done again: workers end in any order', () => {
  const soak = Soak.open(file, 'abc', 0);
  soak.note(25, 25, of(25));
  soak.note(75, 25, of(25));
  expect(soak.runs).toBe(0);
  soak.note(0, 25, of(25));
  soak.write();
  expect(soak.data.summary.runs).toBe(50);
  expect(Soak.open(file, 'abc', 0).runs).toBe(50);
});

test.each([
  ['other code', 'abd', 0],
  ['another first seed', 'abc', 1],
])('%s begins anew, and the results so far are kept', (_, code, seed) => {
  const soak = Soak.open(file, 'abc', 0);
  soak.note(0, 25, of(25));
  soak.write();
  const anew = Soak.open(file, code, seed);
  expect(anew.data).toMatchObject({ nextSeed: seed, sessions: 1, summary: { runs: 0 } });
  expect(JSON.parse(readFileSync(`${file}.before`, 'utf8')).summary.runs).toBe(25);
});

test('a file that is no result of a soak is left alone', () => {
  const other = join(folder, 'notes.json');
  for (const text of ['{"seeds":1}', 'notes']) {
    writeFileSync(other, text);
    expect(() => Soak.open(other, 'abc', 0)).toThrow(`${other} is no result of a soak`);
    expect(readFileSync(other, 'utf8')).toBe(text);
  }
});

test('the code is the bundle and what the construct synthesizes', () => {
  const bundle = join(folder, 'worker.js');
  writeFileSync(bundle, 'one');
  const definition = { 900: { tier: 'oss' } } as never;
  const code = codeOf(bundle, definition);
  expect(code).toMatch(/^[0-9a-f]{16}$/);
  expect(codeOf(bundle, definition)).toBe(code);
  expect(codeOf(bundle, { 900: { tier: 'mds' } } as never)).not.toBe(code);
  writeFileSync(bundle, 'two');
  expect(codeOf(bundle, definition)).not.toBe(code);
});

test.each([['--stop'], ['--mutation=no-fencing-wait'], ['--with=edit']])(
  '%s does not go with a soak that adds up',
  (option) => {
    expect(() => parseOptions(['--resume', 'a.json', option])).toThrow(
      'with none of --stop, --mutation and --with',
    );
    expect(parseOptions(['--resume', 'a.json']).resume).toBe('a.json');
  },
);

test('the document tells of the soak whose state lies beside it', () => {
  const docs = resolve(__dirname, '../../docs');
  const document = readFileSync(join(docs, 'simulation.md'), 'utf8');
  const { code, firstSeed, nextSeed, summary } = JSON.parse(
    readFileSync(join(docs, 'simulation-soak.json'), 'utf8'),
  );
  expect(summary.runs).toBe(nextSeed - firstSeed);
  const runs = summary.runs.toLocaleString('en-US');
  expect(document).toContain(`| runs | ${runs}, seeds ${firstSeed} to ${nextSeed - 1} |`);
  expect(document).toContain(`| violations | ${summary.failed} |`);
  expect(document).toContain(`| code | ${code} |`);
});
