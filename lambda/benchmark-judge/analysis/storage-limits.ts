import { ebsVolumeLimits } from '../../../constructs/sizing/ebs-volumes';
import type { InstanceTypeFacts } from '../../../constructs/sizing/facts';
import { instanceTypeFacts } from '../../../constructs/sizing/instance-types';
import { sustainedVolumeMBps } from '../../../constructs/sizing/nfs-server';
import type { KnownStorage, StorageDevices } from '../../../constructs/sizing/plan/configuration';
import type { Limit } from '../../shared/benchmark/result';
import { counted, listed, rounded } from './text';

/** A limit with what is known of it besides. */
export interface KnownLimit extends Limit {
  /** What it allows for a while, at least `MBps`. Infinity where nobody knows. */
  readonly mostMBps: number;
  /** The figure was above what it holds all day. */
  readonly exceeded?: boolean;
  /** Measured in this run, not read in a table. */
  readonly measured?: boolean;
}

const MANAGED = /^(fsx-|efs$)/;

/** Whether AWS runs the servers. */
export function isManaged({ kind }: KnownStorage): boolean {
  return MANAGED.test(kind);
}

/** What the tables say of a storage's own limits, for all of it. The hosts' are in `hostLimits`. */
export function storageLimits(storage: KnownStorage, hostTypes: readonly string[]): KnownLimit[] {
  if (isManaged(storage)) return provisioned(storage);
  if (storage.servers > 0) return serverLimits(storage);
  return localLimits(storage, hostTypes);
}

function provisioned({ provisionedMBps, kind }: KnownStorage): KnownLimit[] {
  if (!provisionedMBps) return [];
  const what = `${rounded(provisionedMBps)} MB/s that were bought for the ${kind} file system`;
  return [{ kind: 'provisioned', MBps: provisionedMBps, mostMBps: Number.POSITIVE_INFINITY, what }];
}

function serverLimits(storage: KnownStorage): KnownLimit[] {
  const { servers, serverType, devices } = storage;
  const facts = serverType ? instanceTypeFacts(serverType) : undefined;
  const on = `on ${counted(servers, 'server')}`;
  const found = deviceLimit(devices, servers, on);
  if (!facts) return found;
  const volumes = hasVolumes(devices);
  if (volumes && facts.ebs) found.push(ebsLimit([facts.name], servers, facts));
  if (facts.networkBaselineMbps !== undefined) {
    // Volumes' and clients' traffic on one interface (c3.8xlarge): each gets half of it.
    const shared = volumes && !facts.ebs;
    const each = facts.networkBaselineMbps / 8 / (shared ? 2 : 1);
    const what = shared
      ? `the network interface of ${counted(servers, `server ${facts.name}`, `servers ${facts.name}`)}, which ` +
        `carries the volumes' traffic and the clients' (${rounded(each)} MB/s of each a server)`
      : `the network interface of ${counted(servers, `server ${facts.name}`, `servers ${facts.name}`)} ` +
        `(${rounded(each)} MB/s a server)`;
    found.push({
      kind: 'server-network',
      MBps: each * servers,
      mostMBps: networkMost(facts, each) * servers,
      what,
    });
  }
  return found;
}

function localLimits(storage: KnownStorage, hostTypes: readonly string[]): KnownLimit[] {
  const { kind, devices } = storage;
  // All nodes of a GFS2 cluster have the same volumes attached.
  const copies = kind === 'gfs2' ? 1 : hostTypes.length;
  const where = kind === 'gfs2' ? 'shared by the hosts' : `on ${counted(hostTypes.length, 'host')}`;
  const found = deviceLimit(devices, copies, where);
  const facts = hostTypes.map(instanceTypeFacts);
  if (!hasVolumes(devices) || !facts.every((one) => one !== undefined)) return found;
  const ways = facts.map(ebsWay);
  if (!ways.every((way) => way !== undefined)) return found;
  found.push({
    kind: 'instance-ebs',
    MBps: sum(ways.map((way) => way.baselineMbps)) / 8,
    mostMBps: sum(ways.map((way) => way.maximumMbps)) / 8,
    what: `the EBS bandwidth of ${typesInWords(hostTypes)}`,
  });
  return found;
}

/** What volumes have of a host: bandwidth of their own, or all of its interface. */
function ebsWay(facts: InstanceTypeFacts): InstanceTypeFacts['ebs'] {
  const network = facts.networkBaselineMbps;
  return facts.ebs ?? (network ? { baselineMbps: network, maximumMbps: network } : undefined);
}

function ebsLimit(types: readonly string[], count: number, { ebs }: InstanceTypeFacts): KnownLimit {
  const what =
    `the EBS bandwidth of ${counted(count, `server ${types[0]}`, `servers ${types[0]}`)} ` +
    `(${rounded(ebs!.baselineMbps / 8)} MB/s a server)`;
  const [MBps, mostMBps] = [ebs!.baselineMbps, ebs!.maximumMbps].map((mbps) => (mbps / 8) * count) as [
    number,
    number,
  ];
  return { kind: 'instance-ebs', MBps, mostMBps, what };
}

/**
 * The limit of all volumes together; none where it is not known of each of them. Nobody publishes what a disk of
 * instance store does.
 */
function deviceLimit(devices: readonly StorageDevices[], copies: number, where: string): KnownLimit[] {
  if (devices.length === 0 || copies === 0) return [];
  const each = devices.map((device) => ({ device, rates: volumeRates(device) }));
  if (each.some(({ rates }) => rates === undefined)) return [];
  const [sustained, most] = [
    sum(each.map(({ device, rates }) => device.count * rates!.sustained)),
    sum(each.map(({ device, rates }) => device.count * rates!.most)),
  ];
  const what = each.map(
    ({ device, rates }) =>
      `${counted(device.count * copies, `${device.type} volume`)} of ${rounded(rates!.sustained)} ` +
      `MB/s${device.count * copies === 1 ? '' : ' each'}`,
  );
  return [
    { kind: 'device', MBps: sustained * copies, mostMBps: most * copies, what: `${listed(what)} ${where}` },
  ];
}

function volumeRates(device: StorageDevices): { sustained: number; most: number } | undefined {
  const sustained = sustainedVolumeMBps(device);
  const limits = ebsVolumeLimits(device.type);
  if (sustained === undefined || !limits) return undefined;
  // gp2, st1 and sc1 do more for a while; the others do what they were bought with.
  const bursts = ['gp2', 'st1', 'sc1'].includes(device.type);
  const most = bursts ? (limits.maxThroughputMiBps * 2 ** 20) / 1e6 : sustained;
  return { sustained, most: Math.max(sustained, most) };
}

/** The network of the hosts that measure, for storage that they reach through it. */
export function hostNetworkLimit(hostTypes: readonly string[]): KnownLimit[] {
  const facts = hostTypes.map(instanceTypeFacts);
  if (facts.length === 0 || !facts.every((one) => one?.networkBaselineMbps !== undefined)) return [];
  const rates = facts.map((one) => one!.networkBaselineMbps! / 8);
  return [
    {
      kind: 'client-network',
      MBps: sum(rates),
      mostMBps: sum(facts.map((one, index) => networkMost(one!, rates[index]!))),
      what: `the network interfaces of ${typesInWords(hostTypes)}`,
    },
  ];
}

/**
 * Types with up to 16 vCPUs have more than their baseline for a while ("up to 10 Gigabit"), and the tables do not say
 * how much (EC2 User Guide, "Amazon EC2 instance network bandwidth").
 */
function networkMost(facts: InstanceTypeFacts, baselineMBps: number): number {
  return facts.vcpus > 16 ? baselineMBps : Number.POSITIVE_INFINITY;
}

/** `4 i2.8xlarge and 2 r5b.4xlarge`. */
function typesInWords(types: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return listed([...counts].map(([type, count]) => `${count} ${type}`));
}

function hasVolumes(devices: readonly StorageDevices[]): boolean {
  return devices.some(({ type }) => type !== 'instance-store');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
