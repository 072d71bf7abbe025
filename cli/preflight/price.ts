import { billOf, type MonthlyCost, type Part } from '../../lib/bill';
import type { FileSystem, Hosts, Needs, Volumes } from './needs/needs';

/** What the deployment costs a month by the dated prices of its region; undefined when it has nothing of the kind. */
export function priceOf({ hosts, volumes, fileSystems, place }: Needs): MonthlyCost | undefined {
  const parts = [
    ...hosts.map(ofHosts),
    ...volumes.filter(({ system }) => !system).map(ofVolumes),
    ...fileSystems.map(ofFileSystem),
  ];
  return billOf(parts, place.region);
}

const ofHosts = ({ count, type }: Hosts): Part =>
  type === undefined
    ? { count, unknown: 'servers that are known at deployment' }
    : { count, instanceType: type };

function ofVolumes({ count, type, sizeGiB, iops, throughputMiBps }: Volumes): Part {
  if (sizeGiB === undefined) return { count, unknown: 'volumes that are known at deployment' };
  return { count, volume: { type, sizeGiB, iops, throughputMiBps } };
}

function ofFileSystem({ kind, ...lustre }: FileSystem): Part {
  if (kind === 'LUSTRE') return { count: 1, lustre };
  return { count: 1, unknown: kind === 'EFS' ? 'EFS, by what is stored' : `FSx for ${kind}` };
}
