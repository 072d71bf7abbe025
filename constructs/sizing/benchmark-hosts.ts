import { WANTED_MBPS_PER_CORE } from './data/published-results';
import type { EbsVolumeSpec } from './ebs-volumes';
import { instanceTypeFacts } from './instance-types';
import { sustainedVolumeMBps } from './nfs-server';

/** Disks of one kind. */
export interface EstimatedDisks extends Partial<EbsVolumeSpec> {
  readonly count: number;
}

/** What is known of a host before a test. */
export interface EstimatedHost {
  readonly cores: number;
  readonly memoryGiB: number;
  /** Its EBS volumes besides that of its system. Undefined: not known, taken for one. */
  readonly volumes?: readonly EstimatedDisks[];
  /** Its NVMe disks; the test of raw devices finds no others of its own. */
  readonly instanceStore?: EstimatedDisks;
  /** What all its volumes together give all day. */
  readonly ebsMBps?: number;
}

/** A host whose type is in no table. */
export const UNKNOWN_HOST: EstimatedHost = { cores: 8, memoryGiB: 64 };

/**
 * What is known of a host for the estimate; a type that is in no table is taken for a middling one.
 *
 * @param volumes its EBS volumes besides that of its system; left out: not known
 */
export function estimatedHost(instanceType: string, volumes?: readonly EstimatedDisks[]): EstimatedHost {
  const facts = instanceTypeFacts(instanceType);
  const attached = volumes && { volumes };
  if (!facts) return { ...UNKNOWN_HOST, ...attached };
  const { cores, memoryGiB, instanceStore: store, ebs } = facts;
  return {
    cores,
    memoryGiB,
    ...attached,
    ...(store?.kind === 'nvme-ssd' && {
      instanceStore: { count: store.disks, sizeGiB: Math.floor((store.diskSizeGB * 1e9) / 2 ** 30) },
    }),
    ...(ebs && { ebsMBps: ebs.baselineMbps / 8 }),
  };
}

/** The disks that the test of raw devices reads. Nothing known of them: one, since without any it does not begin. */
export function rawDisks({ volumes, instanceStore }: EstimatedHost): readonly EstimatedDisks[] {
  const own = instanceStore ? [instanceStore] : [];
  return volumes || instanceStore ? [...(volumes ?? []), ...own] : [{ count: 1 }];
}

/** How many targets an object storage server of Lustre has: each of its volumes is one. */
export const targetsOf = ({ volumes }: EstimatedHost): number => (volumes ? diskCount(volumes) : 1);

const diskCount = (disks: readonly EstimatedDisks[]): number =>
  disks.reduce((sum, { count }) => sum + count, 0);

/** MiB that are read when at most so much is read of each disk. */
export function mibOfDisks(disks: readonly EstimatedDisks[], most: number): number {
  return disks.reduce(
    (sum, { count, sizeGiB }) =>
      sum + count * Math.min(most, sizeGiB === undefined ? most : Math.max(1, sizeGiB * 1024)),
    0,
  );
}

/**
 * What a host is expected to get of its own disks, in MB/s: what is wanted of temporary space for its cores, unless the
 * disks, or the way to them, have less. Instance store has no figure of AWS: with it, nothing but the wish is known.
 */
export function expectedDiskMBps(host: EstimatedHost): number {
  const wanted = host.cores * WANTED_MBPS_PER_CORE.temporary.least;
  if (!host.volumes || host.instanceStore) return wanted;
  const each = host.volumes.map((disks) => {
    const { count, type, ...rest } = disks;
    const mbps = type === undefined ? undefined : sustainedVolumeMBps({ type, ...rest });
    return mbps === undefined ? undefined : mbps * count;
  });
  const known = each.filter((mbps) => mbps !== undefined);
  const together = known.length === each.length ? known.reduce((sum, mbps) => sum + mbps, 0) : wanted;
  return Math.max(1, Math.min(wanted, together, host.ebsMBps ?? wanted));
}
