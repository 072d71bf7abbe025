import { isConcrete } from '../private/validation';
import type { StorageDescription, StorageDevices } from '../shared-file-system/storage-description';
import type { SlotVolume, VolumeReattachmentProps } from './props';

/** What each server of a tier has, as far as it is known at synthesis: its part of a storage's description. */
export type ServerDescription = Pick<StorageDescription, 'serverType' | 'devices'>;

type TierProps = Pick<VolumeReattachmentProps, 'instanceType' | 'volumes' | 'existingVolumes' | 'slotCount'>;

/** Of volumes that are all kept from before nothing is known; one kept server is taken to have what the others have. */
export function describeServer({
  instanceType,
  volumes,
  existingVolumes = [],
  slotCount,
}: TierProps): ServerDescription {
  const serverType = instanceType.toString();
  const allKept = existingVolumes.length === slotCount * volumes.length;
  return {
    ...(isConcrete(serverType) && { serverType }),
    ...(!allKept && { devices: devicesOf(volumes) }),
  };
}

/** Equal volumes are counted together. */
function devicesOf(volumes: readonly SlotVolume[]): StorageDevices[] {
  const kinds = new Map<string, StorageDevices>();
  for (const volume of volumes) {
    const device = deviceOf(volume);
    const key = JSON.stringify(device);
    kinds.set(key, { ...device, count: (kinds.get(key)?.count ?? 0) + 1 });
  }
  return [...kinds.values()];
}

function deviceOf({ volumeType, size, iops, throughputMiBps }: SlotVolume): StorageDevices {
  return {
    count: 1,
    type: isConcrete(volumeType) ? volumeType : 'gp2',
    ...(!size.isUnresolved() && { sizeGiB: size.toGibibytes() }),
    ...(isConcrete(iops) && { iops }),
    ...(isConcrete(throughputMiBps) && { throughputMiBps }),
  };
}
