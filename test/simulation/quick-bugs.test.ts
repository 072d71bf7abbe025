import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Catch } from '../../simulation/mutations/catch';
import { MUTATIONS } from '../../simulation/mutations/mutations';
import { CAUGHT_BY } from './caught-by';
import { BASE_SEED } from './seeds';

const ROOT = resolve(__dirname, '../..');

/** Deliberate bugs that are soon caught, one for each promise that data hang on. All of them: mutations.test.ts, which takes minutes. */
const QUICK = [
  'no-fencing-wait',
  'unconditional-claim',
  'complete-before-serving',
  'format-again',
  'offer-not-recorded',
  'served-when-told',
  'lost-path-counts',
];

/** Each is caught within a hundred now; what a seed draws changes with the faults. */
const RUNS = 300;

let caught: Catch[];

beforeAll(() => {
  const args = ['simulation/mutations/run.ts', '--mutation', QUICK.join(), '--runs', String(RUNS)];
  const tsx = join(ROOT, 'node_modules/.bin/tsx');
  const done = spawnSync(tsx, [...args, '--seed', String(BASE_SEED)], { cwd: ROOT, encoding: 'utf8' });
  expect([0, 1]).toContain(done.status);
  caught = JSON.parse(readFileSync(join(ROOT, 'out/simulation/chosen-mutations.json'), 'utf8'));
}, 300_000);

test.each(QUICK)('%s is caught by what it breaks', (name) => {
  const found = caught.find(({ mutation }) => mutation === name);
  expect(CAUGHT_BY[name]).toContain(found?.caughtBy);
});

test('of each bug it is known what may catch it', () => {
  expect(Object.keys(CAUGHT_BY).sort()).toEqual(MUTATIONS.map(({ name }) => name).sort());
});
