import { bundlesOf, DEPLOYMENTS, keysFor } from './configs';
import { FIXED, FIXED_IN } from './fixed';
import { Walk } from './walk';

/** Whether each key is tried by itself in every deployment, as the check 'options' does. */
const EVERYTHING = process.env.OPTIONS === 'all';

/**
 * What is switched together. Each key is tried in each deployment that can have it; those that do not fit together, only in the first one. Those
 * of the tiers of Lustre mean the same for each.
 */
function attempts(name: string): string[][] {
  const paths = keysFor(name);
  if (EVERYTHING) return paths.map((path) => [path]);
  const earlier = DEPLOYMENTS.slice(0, DEPLOYMENTS.indexOf(name)).flatMap(keysFor);
  return bundlesOf(paths).filter(
    ([path, another]) => another || !(earlier.includes(path!) || /^storage\.(mgs|mds)\./.test(path!)),
  );
}

/** Makes tests of what becomes of deployed deployments when their keys are switched and changed. */
export function verifyKeys(names: readonly string[]): void {
  describe.each(names)('%s', (name) => {
    const walk = new Walk();
    afterAll(() => walk.close());

    test.each(attempts(name).map((paths) => [paths.join(', '), paths] as const))('%s', (_, paths) => {
      const steps = walk.steps(name, paths);
      expect(steps.filter(({ problems }) => problems.length > 0)).toEqual([]);
      // What nobody has to refuse stays possible.
      const fixed = [...FIXED, ...(FIXED_IN[name] ?? [])];
      if (!fixed.includes(paths[0]!)) expect(steps.filter(({ refused }) => refused)).toEqual([]);
    });
  });
}
