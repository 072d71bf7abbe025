import { DEPLOYMENTS, keysFor } from './configs';
import { FIXED } from './fixed';
import { keysOf } from './keys';
import { CHOICES } from './values';

test('somebody has said what each key of the schema is given, and no other', () => {
  const keys = keysOf().map(({ path }) => path);
  expect(keys.length).toBeGreaterThan(200);
  expect(Object.keys(CHOICES).sort()).toEqual(keys.sort());
  expect(keys).toEqual(expect.arrayContaining([...FIXED]));
});

test('each key is tried with a deployment', () => {
  const tried = new Set(DEPLOYMENTS.flatMap(keysFor));
  expect(Object.keys(CHOICES).filter((path) => !tried.has(path))).toEqual([]);
});
