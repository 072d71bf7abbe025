import type { DefinedPath, DefinedTest } from '../../constructs/private/benchmark-definition';
import type { Instance } from './ports';
import { refused, SIZES } from './request';

/** Hosts that run a test at the same time, and what is only for them. */
export interface Wave {
  readonly hosts: string[];
  readonly parameters: Record<string, string>;
}

/** The waves of a test, or why it is left out. */
export interface Waves {
  readonly waves: Wave[];
  readonly leftOut?: string;
}

/**
 * Which hosts run a test, one list after the other. A host that runs and does not report takes part all the same: it is
 * missing in the result then. Where hosts need each other, only those that report do.
 */
export function wavesOf(
  test: DefinedTest,
  machines: readonly Instance[],
  online: ReadonlySet<string>,
  parallel: boolean,
): Waves {
  const reporting = machines.filter(({ instanceId }) => online.has(instanceId));
  if (reporting.length === 0) return { waves: [], leftOut: 'none of its hosts runs' };
  if (test.test === 'iozone' && (test.parameters.RemoteShell ?? 'none') !== 'none') {
    // One host drives the others.
    return oneWave([reporting[0]!.instanceId], 'Clients', reporting);
  }
  if (test.test === 'network') {
    // Each finds its own place in the list, which is the same for all.
    const reachable = reporting.filter(({ privateIp }) => privateIp);
    if (reachable.length < 2) return { waves: [], leftOut: 'it takes two hosts' };
    return oneWave(
      reachable.map(({ instanceId }) => instanceId),
      'Peers',
      reachable,
    );
  }
  const ids = machines.map(({ instanceId }) => instanceId);
  return {
    waves: (parallel ? [ids] : ids.map((id) => [id])).map((hosts) => ({
      hosts,
      parameters: { Hosts: String(isHostsOwn(test.path) ? 1 : hosts.length) },
    })),
  };
}

/**
 * The longest parameter with addresses (constructs/storage-benchmark/document-parameters.ts). Systems Manager refuses a
 * command with a longer one.
 */
const MOST_CHARACTERS = 4096;

/** One wave, whose hosts know the addresses of all. */
function oneWave(hosts: string[], parameter: 'Clients' | 'Peers', known: readonly Instance[]): Waves {
  const addresses = addressesOf(known);
  if (addresses.length <= MOST_CHARACTERS)
    return { waves: [{ hosts, parameters: { [parameter]: addresses } }] };
  const leftOut =
    `the addresses of its ${known.length} hosts do not fit into a parameter; ` +
    'choose fewer of them by hand';
  return { waves: [], leftOut };
}

/**
 * Whether it is known that each host has a file system of its own there: what one writes takes no room from another.
 * Temporary space of which nothing is said may be shared as well: hosts that each take all of its room would fill it.
 */
function isHostsOwn(path: DefinedPath | undefined): boolean {
  return path?.storage?.servers === 0 && path.storage.kind === 'xfs';
}

const addressesOf = (machines: readonly Instance[]): string =>
  machines
    .map(({ privateIp }) => privateIp)
    .filter(Boolean)
    .join(',');

/** Sizes with another range than in `SIZES` (the `number` lines of constructs/storage-benchmark/programs). */
const OWN_RANGES: Readonly<Record<string, readonly [min: number, max: number]>> = {
  'network Seconds': [1, 3600],
  'network Streams': [1, 128],
  'lustre-server Seconds': [10, 86_400],
};

/**
 * The parameters of a test, with the sizes that were chosen by hand where it has them.
 *
 * @throws BenchmarkRefused when its program does not take the size
 */
export function parametersOf(
  test: DefinedTest,
  sizes: Readonly<Record<string, number>>,
): Record<string, string> {
  const changes = Object.entries(sizes)
    .map(([name, size]) => ({ name, size, parameter: SIZES[name]!.parameter }))
    // Jobs of fio are names.
    .filter(({ parameter }) => /^\d+$/.test(test.parameters[parameter] ?? ''));
  for (const { name, size, parameter } of changes) {
    const [min, max] = OWN_RANGES[`${test.test} ${parameter}`] ?? [0, Number.POSITIVE_INFINITY];
    if (size >= min && size <= max) continue;
    const allowed = `a whole number from ${min} to ${max} for ${test.test}; other tests can be chosen with "tests"`;
    throw refused(`sizes.${name}`, size, allowed, String(min));
  }
  return {
    ...test.parameters,
    ...Object.fromEntries(changes.map(({ parameter, size }) => [parameter, String(size)])),
  };
}
