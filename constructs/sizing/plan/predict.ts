import { EFS_CLIENT, EFS_METERING } from '../data/throughput-rules';
import { instanceTypeFacts } from '../instance-types';
import type { KnownStorage, Limit, Load, Prediction } from './configuration';
import type { Both } from './devices';
import { limitOf, limitsOfMachines } from './limits';

const MIB_IN_MB = 1.048576;

/**
 * What a storage delivers to hosts that read or write from one end of large files to the other, all at the same time,
 * and which limit decides. Nothing is fitted to a row of the papers: see docs/planner.md for how near it comes to what
 * they measured.
 */
export function predict(storage: KnownStorage, load: Load): Prediction {
  const [limits, unknown]: [Limit[], string[]] = [[], []];
  const problem = countProblem('servers', storage.servers) ?? countProblem('hosts', load.hosts);
  if (problem) return { limits, binding: {}, unknown: [problem] };
  const add = (found: { limits: Limit[]; unknown: string[] }) => {
    limits.push(...found.limits);
    unknown.push(...found.unknown);
  };
  if (storage.provisionedMBps !== undefined) {
    limits.push(provisioned(storage));
    if (storage.kind === 'efs') limits.push(ofEfsClients(load));
  } else if (storage.devices.length) {
    add(machines(storage, load));
  } else {
    unknown.push('What is behind this storage is not known.');
  }
  if (storage.servers > 0 || storage.provisionedMBps !== undefined) add(clients(load));
  return { ...smallest(limits), limits, unknown };
}

/**
 * What reads and writes in turns come to, MB/s of both together: each limit is used up by both, and the one that is
 * used up first decides.
 *
 * @param readShare which part of the bytes is read, from 0 to 1
 * @returns undefined when nothing is known that limits it
 */
export function mixedMBps({ limits }: Pick<Prediction, 'limits'>, readShare: number): number | undefined {
  return limits.length === 0 ? undefined : Math.min(...limits.map((limit) => mixOf(limit, readShare)));
}

/** What one limit lets through of reads and writes in turns. */
export function mixOf({ readMBps, writeMBps }: Both, readShare: number): number {
  if (readMBps <= 0 || writeMBps <= 0) return 0;
  return 1 / (readShare / readMBps + (1 - readShare) / writeMBps);
}

function countProblem(what: string, value: number): string | undefined {
  if (Number.isFinite(value) && value >= 0) return undefined;
  return `The number of ${what} is ${value}: it has to be 0 or more.`;
}

function machines(storage: KnownStorage, load: Load) {
  const served = storage.servers > 0;
  const type = served ? storage.serverType : load.hostType;
  return limitsOfMachines({
    count: served ? storage.servers : load.hosts,
    noun: served ? 'server' : 'host',
    facts: type === undefined ? undefined : instanceTypeFacts(type),
    devices: storage.devices,
    sharedVolumes: storage.kind === 'gfs2',
    credits: load.credits ?? 'spent',
    served,
  });
}

function provisioned({ kind, provisionedMBps }: KnownStorage): Limit {
  const writeMBps = Number.isFinite(provisionedMBps) ? Math.max(0, provisionedMBps!) : 0;
  const readMBps = writeMBps * (kind === 'efs' ? EFS_METERING.readsForOneWrite : 1);
  return limitOf('provisioned', false, 1, 'file system', { readMBps, writeMBps }, 'what it was bought with');
}

function ofEfsClients({ hosts }: Load): Limit {
  const mbps = EFS_CLIENT.mibps * MIB_IN_MB;
  const what = 'what EFS lets a client have';
  return limitOf('client-limit', true, hosts, 'host', { readMBps: mbps, writeMBps: mbps }, what);
}

function clients({ hosts, hostType }: Load): { limits: Limit[]; unknown: string[] } {
  if (hostType === undefined) return { limits: [], unknown: ['The network of the hosts is not known.'] };
  const mbps = instanceTypeFacts(hostType)?.networkBaselineMbps;
  if (mbps === undefined)
    return {
      limits: [],
      unknown: [`AWS names no number for the network of ${hostType}, or it is not in the tables.`],
    };
  const each = { readMBps: mbps / 8, writeMBps: mbps / 8 };
  return {
    limits: [limitOf('client-network', true, hosts, 'host', each, `network of ${hostType}`)],
    unknown: [],
  };
}

function smallest(limits: readonly Limit[]): Pick<Prediction, 'readMBps' | 'writeMBps' | 'binding'> {
  const smallestBy = (key: 'readMBps' | 'writeMBps') =>
    limits.reduce<Limit | undefined>(
      (best, limit) => (best && best[key] <= limit[key] ? best : limit),
      undefined,
    );
  const [read, write] = [smallestBy('readMBps'), smallestBy('writeMBps')];
  return { readMBps: read?.readMBps, writeMBps: write?.writeMBps, binding: { read, write } };
}
