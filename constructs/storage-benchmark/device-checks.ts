import type { IConstruct } from 'constructs';
import { requireInteger, requireKnownInteger } from '../private/validation';
import type { StorageDevices } from '../shared-file-system';

/** Rejects devices that no server has. How many there are may decide whether a deployment can wait for them. */
export function checkDevices(
  scope: IConstruct | undefined,
  where: string,
  devices: readonly StorageDevices[] = [],
): void {
  const fix = 'Leave out what is not known.';
  for (const { count, sizeGiB, iops, throughputMiBps } of devices) {
    requireKnownInteger(scope, `${where}count`, count, 1, 1000, 'Count the devices of one server.');
    requireInteger(scope, `${where}sizeGiB`, sizeGiB, 1, 1_000_000, fix);
    requireInteger(scope, `${where}iops`, iops, 1, 10_000_000, fix);
    requireInteger(scope, `${where}throughputMiBps`, throughputMiBps, 1, 1_000_000, fix);
  }
}
