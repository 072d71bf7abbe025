import { maxDataVolumes } from './attachments';
import type { InstanceTypeFacts } from './facts';
import { instanceTypeFacts, knownInstanceTypes } from './instance-types';
import { compareNames } from './name-order';

/** What a type has to keep that takes the place of another. */
export interface Place {
  /** Data volumes that are attached to it; left out: none. */
  readonly dataVolumes?: number;
  /** Network interfaces; left out: one. */
  readonly networkInterfaces?: number;
}

/**
 * Names of the types that can take the place of one in a template that was made for it: everything that is computed
 * from a type is the same (architecture, hypervisor, the number and kind of its disks, whether EBS has bandwidth of its
 * own, placement groups), and nothing that the sizing rests on is less (cores, memory, bandwidth to the network and to
 * volumes, attachments). None is more than four times as large.
 *
 * @param name the type that the template was made for
 * @param place what is attached to it
 * @returns the type itself first, then the others, the smallest first; only itself when it is not in the table
 */
export function interchangeableTypes(name: string, place: Place = {}): string[] {
  const facts = instanceTypeFacts(name);
  if (!facts) return [name];
  const others = knownInstanceTypes()
    .filter((other) => other.name !== facts.name && fits(other, facts, place))
    .sort((a, b) => a.vcpus - b.vcpus || a.memoryGiB - b.memoryGiB || compareNames(a, b));
  return [facts.name, ...others.map((other) => other.name)];
}

// Larger ones would be another deployment.
const MOST_TIMES_LARGER = 4;

function fits(other: InstanceTypeFacts, facts: InstanceTypeFacts, place: Place): boolean {
  const same = (key: 'architecture' | 'hypervisor' | 'clusterPlacementGroup' | 'burstable') =>
    other[key] === facts[key];
  const volumes = maxDataVolumes(other.name, place.networkInterfaces ?? 1) ?? 0;
  return (
    same('architecture') &&
    same('hypervisor') &&
    same('clusterPlacementGroup') &&
    same('burstable') &&
    // A type that AWS is about to give up is no replacement for one that it is not.
    (!other.previousGeneration || facts.previousGeneration) &&
    other.instanceStore?.disks === facts.instanceStore?.disks &&
    other.instanceStore?.kind === facts.instanceStore?.kind &&
    (other.ebs === undefined) === (facts.ebs === undefined) &&
    // Software is licensed by core: a grid node keeps its number. A server may be larger.
    (facts.instanceStore ? other.cores === facts.cores : other.cores >= facts.cores) &&
    other.vcpus <= MOST_TIMES_LARGER * facts.vcpus &&
    other.memoryGiB >= facts.memoryGiB &&
    (other.ebs?.baselineMbps ?? 0) >= (facts.ebs?.baselineMbps ?? 0) &&
    (other.networkBaselineMbps ?? 0) >= (facts.networkBaselineMbps ?? 0) &&
    volumes >= (place.dataVolumes ?? 0)
  );
}
