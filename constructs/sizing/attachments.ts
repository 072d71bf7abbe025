import { instanceTypeFacts } from './instance-types';

/**
 * How many data volumes a type takes besides its root volume, given its network interfaces.
 * On types with a shared limit each interface and each NVMe instance-store disk takes one away.
 *
 * @returns undefined when the type is not in the table
 */
export function maxDataVolumes(name: string, networkInterfaces = 1): number | undefined {
  const facts = instanceTypeFacts(name);
  if (!facts) return undefined;
  const rootVolume = 1;
  if (facts.attachments.kind === 'dedicated') return facts.attachments.limit - rootVolume;
  // On bare metal the instance-store disks do not count (AWS reports 31 volumes for m5d.metal as for m5.metal).
  const nvme =
    facts.instanceStore?.kind === 'nvme-ssd' && facts.hypervisor !== 'none' ? facts.instanceStore.disks : 0;
  return facts.attachments.limit - rootVolume - networkInterfaces - nvme;
}
