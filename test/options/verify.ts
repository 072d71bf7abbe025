import { attempts } from './attempts';
import { FIXED, FIXED_IN } from './fixed';
import { Walk } from './walk';

/** Makes tests of what becomes of deployed deployments when their keys are switched and changed. */
export function verifyKeys(names: readonly string[]): void {
  describe.each(names)('%s', (name) => {
    const walk = new Walk();
    afterAll(() => walk.close());

    test.each(attempts(name).map((paths) => [paths.join(', '), paths] as const))('%s', (_, paths) => {
      const steps = walk.steps(name, paths);
      expect(steps.filter(({ problems }) => problems.length > 0)).toEqual([]);
      expect(walk.unread(paths)).toEqual([]);
      // What nobody has to refuse stays possible.
      const fixed = [...FIXED, ...(FIXED_IN[name] ?? [])];
      if (!fixed.includes(paths[0]!)) expect(steps.filter(({ refused }) => refused)).toEqual([]);
    });
  });
}
