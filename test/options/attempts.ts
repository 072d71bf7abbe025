import { bundlesOf, DEPLOYMENTS, keysFor } from './configs';

/** Whether each key is tried by itself in every deployment, as the check 'options-all' does. */
const EVERYTHING = process.env.OPTIONS === 'all';

/**
 * What is switched together. Each key is tried in each deployment that can have it; those that do not fit together,
 * only in the first one. Those of the tiers of Lustre mean the same for each.
 */
export function attempts(name: string): string[][] {
  const paths = keysFor(name);
  if (EVERYTHING) return paths.map((path) => [path]);
  const earlier = DEPLOYMENTS.slice(0, DEPLOYMENTS.indexOf(name)).flatMap(keysFor);
  return bundlesOf(paths).filter(
    ([path, another]) => another || !(earlier.includes(path!) || /^storage\.(mgs|mds)\./.test(path!)),
  );
}
