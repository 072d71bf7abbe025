import { ebsVolumeLimits } from '../../../constructs/sizing/ebs-volumes';
import type { InstanceTypeFacts } from '../../../constructs/sizing/facts';
import { instanceTypeFacts, knownInstanceTypes } from '../../../constructs/sizing/instance-types';
import { NFS_SERVER_LIMITS } from '../../../constructs/sizing/nfs-server';
import type { StorageDevices } from '../../../constructs/sizing/plan/configuration';
import type { ExplainedFigure } from './explained-figure';
import type { KnownLimit } from './storage-limits';
import { counted, listed, mbps, rounded } from './text';

/**
 * What would bring a figure to what is wanted, in a sentence or two. It reckons in proportion to what was measured, so
 * that what file systems and protocols take is in it.
 *
 * @param needed MB/s for all hosts together
 */
export function whatWouldHelp(about: ExplainedFigure, bound: KnownLimit, needed: number): string {
  const goal = `${mbps(about.wanted!)} per core, ${mbps(needed)} in all`;
  const storage = about.figure.plan.path?.storage;
  if (storage?.kind === 'nfs' && needed > NFS_SERVER_LIMITS.throughputMBps && bound.kind !== 'client-network')
    return `${goal}, are more than the 1 GB/s up to which one NFS server is right: Lustre is made for that.`;
  // Another server brings its disks, its EBS bandwidth and its network with it.
  const oss = moreServers(about, needed, goal);
  switch (bound.kind) {
    case 'device':
      return [moreOfDevices(about, bound, needed, goal, oss), thenNext(about, bound, needed)]
        .join(' ')
        .trim();
    case 'instance-ebs':
      return oss ? `${oss}.` : moreEbsBandwidth(about, needed, goal);
    case 'server-network':
    case 'server-count':
      return oss ? `${oss}.` : moreServerNetwork(about, needed, goal);
    case 'client-network':
      return (
        `Hosts with at least ${mbps(needed / about.hostTypes.length)} of network bandwidth each would give ` +
        `${goal}${typesLike(about.hostTypes[0], needed / about.hostTypes.length, networkOf)}.`
      );
    case 'provisioned':
      return `At least ${mbps(needed)} would have to be bought for ${goal}.`;
    case 'client-cpu':
      return `More processors, or less work for each byte, are needed for ${goal}.`;
    default:
      return '';
  }
}

function moreServers({ figure }: ExplainedFigure, needed: number, goal: string): string | undefined {
  const storage = figure.plan.path?.storage;
  if (storage?.kind !== 'lustre' || storage.servers === 0) return undefined;
  const servers = Math.ceil(needed / (figure.MBps / storage.servers));
  return `${servers} OSS like these ${storage.servers} would give ${goal}`;
}

function moreOfDevices(
  { figure }: ExplainedFigure,
  { measured }: KnownLimit,
  needed: number,
  goal: string,
  oss?: string,
): string {
  const storage = figure.plan.path?.storage;
  if (measured || !storage) return `Faster or more disks are needed for ${goal}.`;
  const ways = volumeWays(storage.devices, needed / figure.MBps, storage.servers > 0 ? 'server' : 'host');
  return `For ${goal}, ${ways.join(', or ')} are needed${oss ? `; or else ${oss}` : ''}.`;
}

/** Better volumes where their type allows it, and more of them. */
function volumeWays(all: readonly StorageDevices[], factor: number, owner: string): string[] {
  const [{ type, sizeGiB, iops, throughputMiBps }] = all as [StorageDevices];
  const count = all.reduce((sum, device) => sum + device.count, 0);
  const limits = ebsVolumeLimits(type);
  const more = `${Math.ceil(count * factor)} such volumes instead of ${count} on each ${owner}`;
  const largerVolumes = (now: number | undefined, most: number | undefined, unit: string) => {
    const then = Math.ceil((now ?? Number.NaN) * factor);
    return most !== undefined && then <= most
      ? [`volumes of ${rounded(then)} ${unit} instead of ${rounded(now!)}`]
      : [];
  };
  if (type === 'gp3') return [...largerVolumes(throughputMiBps, limits?.throughput?.max, 'MiB/s'), more];
  if (type === 'io1' || type === 'io2') return [...largerVolumes(iops, limits?.iops?.max, 'IOPS'), more];
  return [...largerVolumes(sizeGiB, limits?.maxSizeGiB, 'GiB'), more];
}

function moreEbsBandwidth({ figure, hostTypes }: ExplainedFigure, needed: number, goal: string): string {
  const storage = figure.plan.path?.storage;
  const [type, count] = storage?.servers
    ? [storage.serverType, storage.servers]
    : [hostTypes[0], hostTypes.length];
  const each = needed / count;
  return (
    `Types with at least ${mbps(each)} of EBS bandwidth would give ` +
    `${goal}${typesLike(type, each, ({ ebs }) => ebs?.baselineMbps)}.`
  );
}

function moreServerNetwork({ figure }: ExplainedFigure, needed: number, goal: string): string {
  const storage = figure.plan.path?.storage;
  const each = needed / (storage?.servers ?? 1);
  return (
    `A server with at least ${mbps(each)} of network bandwidth would give ` +
    `${goal}${typesLike(storage?.serverType, each, networkOf)}.`
  );
}

function networkOf({ networkBaselineMbps }: InstanceTypeFacts): number | undefined {
  return networkBaselineMbps;
}

/** Types of the table with as many cores that have it, the least of it first. */
function typesLike(
  type: string | undefined,
  MBps: number,
  rate: (facts: InstanceTypeFacts) => number | undefined,
): string {
  const facts = type ? instanceTypeFacts(type) : undefined;
  if (!facts) return '';
  const names = knownInstanceTypes()
    .filter((one) => one.cores === facts.cores && one.architecture === facts.architecture)
    .filter((one) => !one.previousGeneration && !one.burstable && (rate(one) ?? 0) / 8 >= MBps)
    .sort((a, b) => rate(a)! - rate(b)! || a.memoryGiB - b.memoryGiB)
    .slice(0, 2)
    .map(({ name }) => name);
  const cores = counted(facts.cores, 'core');
  return names.length > 0
    ? `, ${listed(names)} for example`
    : `; no type with ${cores} that is known here has it`;
}

/** Where the next limit would not allow it either, that is said right away. */
function thenNext({ bounds }: ExplainedFigure, bound: KnownLimit, needed: number): string {
  const next = bounds.limits.find((limit) => limit !== bound && limit.MBps < needed);
  return next ? `Then the next limit is ${next.what}, ${mbps(next.MBps)}.` : '';
}
