import type { DefinedPath, DefinedTest } from '../../constructs/private/benchmark-definition';
import type { Instance } from './ports';
import { SIZES } from './request';

/** Hosts that run a test at the same time, and what is only for them. */
export interface Wave {
  readonly hosts: string[];
  readonly parameters: Record<string, string>;
}

/**
 * Which hosts run a test, one list after the other. A host that runs and does not report takes part all the same: it is missing in the result
 * then. Where hosts need each other, only those that report do.
 */
export function wavesOf(
  test: DefinedTest,
  machines: readonly Instance[],
  online: ReadonlySet<string>,
  parallel: boolean,
): Wave[] {
  const reporting = machines.filter(({ instanceId }) => online.has(instanceId));
  if (reporting.length === 0) return [];
  if (test.test === 'iozone' && (test.parameters.RemoteShell ?? 'none') !== 'none') {
    // One host drives the others.
    return [{ hosts: [reporting[0]!.instanceId], parameters: { Clients: addressesOf(reporting) } }];
  }
  if (test.test === 'network') {
    // Each finds its own place in the list, which is the same for all.
    const parameters = { Peers: addressesOf(reporting) };
    return reporting.length < 2 ? [] : [{ hosts: reporting.map(({ instanceId }) => instanceId), parameters }];
  }
  const ids = machines.map(({ instanceId }) => instanceId);
  return (parallel ? [ids] : ids.map((id) => [id])).map((hosts) => ({
    hosts,
    parameters: { Hosts: String(isHostsOwn(test.path) ? 1 : hosts.length) },
  }));
}

/**
 * Whether it is known that each host has a file system of its own there: what one writes takes no room from another. Temporary space of which
 * nothing is said may be shared as well: hosts that each take all of its room would fill it.
 */
function isHostsOwn(path: DefinedPath | undefined): boolean {
  return path?.storage?.servers === 0 && path.storage.kind === 'xfs';
}

const addressesOf = (machines: readonly Instance[]): string =>
  machines
    .map(({ privateIp }) => privateIp)
    .filter(Boolean)
    .join(',');

/** The parameters of a test, with the sizes that were chosen by hand where it has them. */
export function parametersOf(
  test: DefinedTest,
  sizes: Readonly<Record<string, number>>,
): Record<string, string> {
  const changes = Object.entries(sizes)
    .map(([name, size]) => [SIZES[name]!.parameter, String(size)] as const)
    // Jobs of fio are names.
    .filter(([parameter]) => /^\d+$/.test(test.parameters[parameter] ?? ''));
  return { ...test.parameters, ...Object.fromEntries(changes) };
}
