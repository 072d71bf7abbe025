import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Journal } from '../../scripts/journal';
import { chosen, type Result, remaining, type Trial, trials } from '../../scripts/under-load/plan';

const ROOT = join(__dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'under-load-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'results.jsonl');
beforeEach(() => rmSync(file, { force: true }));

const trial = (name: string, times: number): Trial => ({ name, times, command: () => [] });
const [demo, test3] = [trial('demo', 2), trial('test', 1)];
const names = (list: Trial[]) => list.map(({ name }) => name);

test('the whole runs make demo ten times, and each other deployment and make test three times', () => {
  const times = Object.fromEntries(trials(ROOT).map((one) => [one.name, one.times]));
  expect(times).toMatchObject({ demo: 10, 'demo-sas-grid-nfs': 3, 'demo-service-catalog': 3, test: 3 });
  expect(times).not.toHaveProperty('demo-sas-grid-lustre');
});

test('a part of it is chosen by name and number, and a name that none has is refused', () => {
  expect(chosen(trials(ROOT), ['demo'], 2)).toMatchObject([{ name: 'demo', times: 2 }]);
  expect(() => chosen(trials(ROOT), ['dmo'])).toThrow(
    '--only names dmo; there are: demo, demo-nfs-storage-server',
  );
});

test('it takes turns, and goes on where it stopped', () => {
  const first = new Journal<Result>(file, 'abc');
  expect(names(remaining([demo, test3], first.results))).toEqual(['demo', 'test', 'demo']);
  first.add({ name: 'demo', passed: true, seconds: 1 });
  const second = new Journal<Result>(file, 'abc');
  expect(second.begunAnew).toBeUndefined();
  expect(names(remaining([demo, test3], second.results))).toEqual(['demo', 'test']);
});

test('what a killed run wrote of a line does not count, and does not spoil the next', () => {
  new Journal<Result>(file, 'abc').add({ name: 'demo', passed: false, seconds: 1, log: 'x' });
  appendFileSync(file, '{"name":"test","pas');
  const next = new Journal<Result>(file, 'abc');
  expect(next.results).toEqual([{ name: 'demo', passed: false, seconds: 1, log: 'x' }]);
  next.add({ name: 'test', passed: true, seconds: 2 });
  expect(new Journal<Result>(file, 'abc').results).toHaveLength(2);
});

test('with other code it begins anew, and says so', () => {
  new Journal<Result>(file, 'abc').add({ name: 'demo', passed: true, seconds: 1 });
  const other = new Journal<Result>(file, 'def');
  expect(other.begunAnew).toBe('1 results are of abc, and the code is def');
  expect(other.results).toEqual([]);
  expect(readFileSync(file, 'utf8')).toBe('{"code":"def"}\n');
});
