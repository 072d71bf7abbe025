import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Catch } from '../../proof/simulation/mutations/catch';
import { mutate } from '../../proof/simulation/mutations/mutation';
import { MUTATIONS } from '../../proof/simulation/mutations/mutations';
import { CAUGHT_BY } from './caught-by';
import { BASE_SEED, MUTATION_RUNS } from './seeds';

const ROOT = resolve(__dirname, '../..');

describe('deliberate bugs', () => {
  let caught: Catch[];

  beforeAll(() => {
    // In a process of its own: the bugs are put into the text of the source, and only bundled.
    const args = [
      'proof/simulation/mutations/run.ts',
      '--runs',
      String(MUTATION_RUNS),
      '--seed',
      String(BASE_SEED),
    ];
    const done = spawnSync(join(ROOT, 'node_modules/.bin/tsx'), args, { cwd: ROOT, encoding: 'utf8' });
    expect([0, 1]).toContain(done.status);
    caught = JSON.parse(readFileSync(join(ROOT, 'out/simulation/mutations.json'), 'utf8'));
  }, 1_200_000);

  test.each(MUTATIONS.map(({ name, bug }) => [name, bug]))('%s is caught by what it breaks: %s', (name) => {
    const found = caught.find((each) => each.mutation === name);
    expect(CAUGHT_BY[name]).toContain(found?.caughtBy);
    expect(found?.message).toMatch(/\w/);
  });
});

test('a bug that no longer fits its place in the source is an error, not a bug that is not there', () => {
  const edit = { file: 'a.ts', find: 'one', replace: 'two' };
  expect(mutate('one;', edit)).toBe('two;');
  expect(() => mutate('none;', { ...edit, find: 'some' })).toThrow(
    'a.ts holds 0 times what a mutation replaces',
  );
  expect(() => mutate('one; one;', edit)).toThrow('a.ts holds 2 times');
});
