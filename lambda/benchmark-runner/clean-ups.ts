import type { PlannedTest } from '../shared/benchmark/plan';

/** What is cleaned up on which hosts, by which account. */
export interface CleanUp {
  readonly user: string;
  readonly directories: string[];
  readonly hosts: string[];
}

/**
 * Who looks where for what a run has left. The account that wrote files removes them: on NFS root is nobody. A host
 * looks only into directories that a test wrote to on it: a storage server has none of them, and one that is not there
 * counts as not cleaned. Where nothing was written, only programs may be left.
 */
export function cleanUpsOf(tests: readonly PlannedTest[]): CleanUp[] {
  const users = new Map<string, { directories: Set<string>; hosts: Set<string> }>();
  for (const { path, parameters, waves } of tests) {
    if (!path || waves.length === 0) continue;
    const user = parameters.User ?? 'root';
    const found = users.get(user) ?? { directories: new Set(), hosts: new Set() };
    users.set(user, found);
    found.directories.add(path.directory);
    for (const host of waves.flat()) found.hosts.add(host);
  }
  const cleanUps = [...users].map(([user, { directories, hosts }]) => ({
    user,
    directories: [...directories],
    hosts: [...hosts],
  }));
  const looking = new Set(cleanUps.flatMap(({ hosts }) => hosts));
  const others = new Set(tests.flatMap(({ waves }) => waves.flat()).filter((host) => !looking.has(host)));
  return [...cleanUps, ...(others.size > 0 ? [{ user: 'root', directories: [], hosts: [...others] }] : [])];
}
