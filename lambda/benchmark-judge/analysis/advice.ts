import type { InstanceTypeFacts } from '../../../constructs/sizing/facts';
import { instanceTypeFacts, knownInstanceTypes } from '../../../constructs/sizing/instance-types';
import { NFS_SERVER_LIMITS } from '../../../constructs/sizing/nfs-server';
import type { DeviceDescription } from '../../shared/benchmark/plan';
import type { Measurement } from './figures';
import type { Bounds } from './limits';
import type { KnownLimit } from './storage-limits';
import { counted, listed, mbps, percent, rounded } from './text';

/** What there is to say of a figure that is to be explained. */
export interface Case {
  readonly figure: Measurement;
  readonly bounds: Bounds;
  /** MB/s per core that had to be reached. */
  readonly wanted?: number;
  readonly hostTypes: readonly string[];
  /** Tests that the run had: those that it had not are proposed. */
  readonly tests: readonly string[];
}

/** One or two sentences for an administrator: what held the figure down, and what would help. */
export function explain(about: Case): string {
  const { figure, bounds, wanted } = about;
  const { bound } = bounds;
  if (figure.plan.test === 'network')
    return 'What hosts can send each other bounds what they can get from servers.';
  if (figure.plan.test === 'raw-device')
    return 'What the disks give without a file system bounds what a file system on them can give.';
  if (figure.plan.test === 'lustre-server')
    return 'What the servers do by themselves, without the network and the hosts.';
  if (!bound) return 'Nothing is known of what is behind this path, so that no limit can be named.';
  const needed = wanted === undefined ? 0 : wanted * figure.physicalCores;
  const enough = figure.MBps >= needed;
  if (bound.kind === 'cache') {
    return `It came from ${bound.what}. Test with files of at least twice the memory, and with caches dropped between writing and reading.`;
  }
  if (bound.kind === 'unknown') return unknown(about);
  const held = `${capital(bound.what)}: ${mbps(figure.MBps)} of ${mbps(bound.MBps)}, ${percent(Math.min(1, figure.MBps / bound.MBps))} of it, ${enough ? 'is the first limit that it meets' : 'held it down'}.`;
  if (enough)
    return wanted === undefined ? held : `${held} It is enough for the wanted ${mbps(wanted)} per core.`;
  return `${held} ${help(about, bound, needed)}`;
}

function unknown({ figure, bounds, tests }: Case): string {
  const tightest = bounds.limits[0]!;
  const untried = ['network', 'raw-device', 'lustre-server'].filter((test) => !tests.includes(test));
  const next =
    untried.length > 0
      ? `The ${untried.length === 1 ? 'test' : 'tests'} ${listed(untried)} would tell which part is slow.`
      : 'Look for one slow server, disk or host: the tests of network, disks and servers each did more.';
  return `It is slower than every limit that is known; the tightest is ${tightest.what}, ${percent(figure.MBps / tightest.MBps)} of which it used. ${next}`;
}

function help(about: Case, bound: KnownLimit, needed: number): string {
  const { figure, wanted, hostTypes } = about;
  const storage = figure.plan.path?.storage;
  const goal = `${mbps(wanted!)} per core, ${mbps(needed)} in all`;
  const scalesOut = storage?.kind === 'lustre' && storage.servers > 0;
  const servers = scalesOut ? Math.ceil(needed / (figure.MBps / storage.servers)) : 0;
  const oss = `${servers} OSS like these ${storage?.servers} would give ${goal}`;
  switch (bound.kind) {
    case 'device': {
      if (!storage || bound.measured) return `Faster or more disks are needed for ${goal}.`;
      const more = moreVolumes(
        storage.devices,
        needed / figure.MBps,
        storage.servers > 0 ? 'server' : 'host',
      );
      return `${more} for ${goal}${scalesOut ? `; or ${oss}` : ''}.${nextLimit(about, bound, needed)}`;
    }
    case 'instance-ebs': {
      if (scalesOut) return `${oss}.`;
      const type = storage?.servers ? storage.serverType : hostTypes[0];
      const count = storage?.servers || hostTypes.length;
      const each = needed / count;
      return `Types with at least ${mbps(each)} of EBS bandwidth would give ${goal}${like(type, each, (facts) => facts.ebs?.baselineMbps)}.`;
    }
    case 'server-network':
    case 'server-count': {
      if (scalesOut) return `${oss}.`;
      const each = needed / Math.max(1, storage?.servers ?? 1);
      const tooMuch = storage?.kind === 'nfs' && needed > NFS_SERVER_LIMITS.throughputMBps;
      const other = tooMuch ? ' One NFS server is the wrong storage for more than 1 GB/s: use Lustre.' : '';
      return `A server with at least ${mbps(each)} of network bandwidth would give ${goal}${like(storage?.serverType, each, (facts) => facts.networkBaselineMbps)}.${other}`;
    }
    case 'client-network': {
      const each = needed / hostTypes.length;
      return `Hosts with at least ${mbps(each)} of network bandwidth each would give ${goal}${like(hostTypes[0], each, (facts) => facts.networkBaselineMbps)}.`;
    }
    case 'provisioned':
      return `Buy at least ${mbps(needed)} for ${goal}.`;
    case 'client-cpu':
      return `More or faster processors, or less work for each byte (encryption, checksums), are needed for ${goal}.`;
    default:
      return '';
  }
}

function moreVolumes(devices: readonly DeviceDescription[], factor: number, owner: string): string {
  const first = devices[0]!;
  const count = devices.reduce((sum, device) => sum + device.count, 0);
  const wanted = Math.ceil(count * factor);
  const each = `${wanted} instead of ${count} such volumes on each ${owner} are needed`;
  if (first.type === 'gp3' && first.throughputMiBps) {
    const throughput = Math.ceil(first.throughputMiBps * factor);
    if (throughput <= 2000)
      return `Volumes of ${rounded(throughput)} MiB/s instead of ${first.throughputMiBps}, or ${each},`;
  }
  if ((first.type === 'io2' || first.type === 'io1') && first.iops)
    return `${rounded(Math.ceil(first.iops * factor))} IOPS instead of ${rounded(first.iops)} are needed`;
  if (['gp2', 'st1', 'sc1'].includes(first.type) && first.sizeGiB)
    return `Volumes of ${rounded(Math.ceil(first.sizeGiB * factor))} GiB, whose throughput grows with their size, or ${each},`;
  return each;
}

/** Where the next limit would not allow it either, it is said right away. */
function nextLimit({ bounds }: Case, bound: KnownLimit, needed: number): string {
  const next = bounds.limits.find((limit) => limit !== bound && limit.MBps < needed);
  return next ? ` Then ${next.what} would be the limit, at ${mbps(next.MBps)}.` : '';
}

/** Types of the table with as many cores that have it, the least of it first. */
function like(
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
  return names.length > 0
    ? `, ${listed(names)} for example`
    : `; no type with ${counted(facts.cores, 'core')} has that`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
