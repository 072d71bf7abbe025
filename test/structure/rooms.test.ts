import { circleIn, importsOf } from './imports';

const PRODUCT = ['bin', 'lib', 'constructs', 'lambda', 'cli'];

/** Imports of files in some folders that lead to others. */
function leadingTo(folders: readonly string[], others: RegExp): string[] {
  return importsOf(folders, 'all').flatMap(({ file, imported }) =>
    imported.filter((one) => others.test(one)).map((one) => `${file} imports ${one}`),
  );
}

test('the product imports nothing of what proves it', () => {
  expect(
    leadingTo(PRODUCT, /^(proof|test|scripts)\//).filter((one) => !/^bin\/start\.mjs/.test(one)),
  ).toEqual([]);
});

test('constructs import nothing of the application, and functions no constructs but facts and plain data', () => {
  expect(leadingTo(['constructs'], /^(lib|cli|bin)\//)).toEqual([]);
  expect(leadingTo(['lambda'], /^(lib|cli|bin)\//)).toEqual([]);
});

test('what the houses of the proof share is in the kit, which imports none of them', () => {
  expect(leadingTo(['proof/kit'], /^proof\/(?!kit\/)/)).toEqual([]);
});

test.each(PRODUCT)('%s: no circle of files', (room) => {
  expect(circleIn(importsOf([room], 'all'))).toBeUndefined();
});

// The services of the simulated AWS know each other's types, as the services themselves do.
test('proof: no circle of files that load each other', () => {
  expect(circleIn(importsOf(['proof'], 'at run time'))).toBeUndefined();
});

test('a circle is found', () => {
  const imports = [
    { file: 'a', imported: ['b'] },
    { file: 'b', imported: ['c', 'd'] },
    { file: 'd', imported: ['b'] },
  ];
  expect(circleIn(imports)).toEqual(['b', 'd', 'b']);
});
