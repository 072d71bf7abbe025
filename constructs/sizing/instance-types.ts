import { GENERAL_FAMILIES } from './data/families-general';
import { PAPER_FAMILIES } from './data/families-papers';
import { STORAGE_FAMILIES } from './data/families-storage';
import { expand } from './data/family';
import type { InstanceTypeFacts } from './facts';
import { compareNames } from './name-order';

const TABLE: ReadonlyMap<string, InstanceTypeFacts> = new Map(
  [...PAPER_FAMILIES, ...STORAGE_FAMILIES, ...GENERAL_FAMILIES]
    .flatMap(expand)
    .map((facts) => [facts.name, facts] as const),
);

/**
 * What is known about an instance type, for example `i4i.8xlarge`.
 * Undefined means that the type is not in the table, not that it does not exist: a user may use a type newer than
 * the table, and each caller decides what then.
 */
export function instanceTypeFacts(name: string): InstanceTypeFacts | undefined {
  return TABLE.get(name.toLowerCase());
}

/** Every type in the table, in its order. */
export function knownInstanceTypes(): readonly InstanceTypeFacts[] {
  return [...TABLE.values()];
}

/** Whether a cluster placement group accepts the type; undefined when it is not in the table. */
export function placementGroupSupport(name: string): boolean | undefined {
  return instanceTypeFacts(name)?.clusterPlacementGroup;
}

/**
 * Names of current types with NVMe instance store, those nearest in size first.
 *
 * @param near a type to be near to: its vCPUs when it is in the table, else what its size says (`8xlarge`), and its
 *   architecture. Left out: the large ones first.
 * @param count how many names, one per family
 */
export function typesWithInstanceStore(near?: string, count = 5): string[] {
  const [facts, vcpus] = [near ? instanceTypeFacts(near) : undefined, near ? likelyVcpus(near) : undefined];
  const distance = (candidate: InstanceTypeFacts): number =>
    vcpus === undefined ? -candidate.vcpus : Math.abs(Math.log2(candidate.vcpus / vcpus));
  const candidates = knownInstanceTypes().filter(
    (candidate) =>
      candidate.instanceStore?.kind === 'nvme-ssd' &&
      candidate.hypervisor === 'nitro' &&
      !candidate.previousGeneration &&
      candidate.architecture === (facts?.architecture ?? 'x86_64'),
  );
  // The families that were made for it have the most disk for their size: they come first among equals.
  const ordered = [...candidates].sort(
    (a, b) => distance(a) - distance(b) || storeSizeGB(b) - storeSizeGB(a) || compareNames(a, b),
  );
  const families = new Set<string>();
  const names: string[] = [];
  for (const candidate of ordered) {
    if (names.length === count) break;
    if (families.has(candidate.family)) continue;
    families.add(candidate.family);
    names.push(candidate.name);
  }
  return names;
}

function storeSizeGB(facts: InstanceTypeFacts): number {
  return (facts.instanceStore?.disks ?? 0) * (facts.instanceStore?.diskSizeGB ?? 0);
}

/** vCPUs of a type; for one not in the table a guess from its size, for suggestions only. */
function likelyVcpus(name: string): number | undefined {
  const known = instanceTypeFacts(name)?.vcpus;
  if (known !== undefined) return known;
  const size = /\.(\d*)xlarge$/.exec(name.toLowerCase());
  if (size) return 4 * Number(size[1] || 1);
  return /\.large$/.test(name) ? 2 : undefined;
}
