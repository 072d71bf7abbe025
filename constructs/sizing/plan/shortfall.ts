import type { KnownStorage, Limit, Load, Prediction } from './configuration';
import { mixedMBps, predict } from './predict';
import { slowest } from './servers-needed';
import { short, throughputText } from './text';

/** What is wanted of a storage. */
export interface Demand {
  /** Physical cores of all hosts together. */
  readonly cores: number;
  readonly mbpsPerCore: number;
  /** Which part of the bytes is read, from 0 to 1. Left out: a half. */
  readonly readShare?: number;
}

/** A storage against what is wanted of it. */
export interface Verdict {
  readonly enough: boolean;
  /** `3 servers give 1.5 GB/s = 23 MB/s per core for 64 cores; 50 needs 7.` */
  readonly text: string;
  readonly prediction: Prediction;
  /** Undefined: nothing is known that limits it. */
  readonly mbpsPerCore?: number;
  /** What keeps it from more. */
  readonly limit?: Limit;
  /** With how many servers it would do. Undefined: with none, or it has no servers, or one as NFS has. */
  readonly serversNeeded?: number;
}

/** Whether a storage is fast enough, with numbers. */
export function compareWithDemand(storage: KnownStorage, load: Load, demand: Demand): Verdict {
  const { cores, mbpsPerCore: wanted, readShare = 0.5 } = demand;
  const prediction = predict(storage, load);
  const mbps = mixedMBps(prediction, readShare);
  if (mbps === undefined || !(cores > 0)) {
    return { enough: true, text: prediction.unknown.join(' ') || 'Nothing to compare.', prediction };
  }
  const mbpsPerCore = mbps / cores;
  const enough = mbpsPerCore >= wanted;
  const more = withMoreServers(storage, load, wanted * cores, readShare);
  const serversNeeded = more?.enough ? more.servers : undefined;
  const after = enough
    ? `${wanted} are wanted.`
    : need(wanted, storage, serversNeeded, more?.prediction ?? prediction);
  return {
    enough,
    text: `${deliveryText(storage, mbps, cores)}; ${after}`,
    prediction,
    mbpsPerCore,
    limit: slowest(prediction.limits, readShare),
    serversNeeded,
  };
}

/** `3 servers give 1.5 GB/s = 23 MB/s per core for 64 cores`; without cores the first half. */
export function deliveryText(
  { servers }: Pick<KnownStorage, 'servers'>,
  mbps: number,
  cores?: number,
): string {
  const subject =
    servers === 0 ? 'The storage gives' : servers === 1 ? '1 server gives' : `${servers} servers give`;
  const all = `${subject} ${throughputText(mbps)}`;
  if (!cores) return all;
  return `${all} = ${short(mbps / cores)} MB/s per core for ${cores} ${cores === 1 ? 'core' : 'cores'}`;
}

function need(
  wanted: number,
  { kind, servers }: KnownStorage,
  needed: number | undefined,
  { binding }: Prediction,
) {
  if (needed !== undefined) return `${wanted} needs ${needed}.`;
  const slower = [...new Set([binding.read, binding.write].map((limit) => limit?.text))].join('; ');
  if (servers === 0) return `${wanted} are wanted (${slower}).`;
  if (kind === 'nfs') return `${wanted} are wanted, and NFS has one server (${slower}).`;
  return `${wanted} are wanted, and more servers do not help (${slower}).`;
}

/** A storage with as many servers as would do if nothing but servers were in the way. */
interface MoreServers {
  readonly servers: number;
  readonly enough: boolean;
  readonly prediction: Prediction;
}

// What servers deliver goes with their number; what hosts carry does not.
function withMoreServers(
  storage: KnownStorage,
  load: Load,
  mbps: number,
  readShare: number,
): MoreServers | undefined {
  if (!(storage.servers > 0) || storage.kind === 'nfs') return undefined;
  const one = mixedMBps(predict({ ...storage, servers: 1 }, { ...load, hostType: undefined }), readShare);
  if (!one) return undefined;
  const servers = Math.ceil(mbps / one - 1e-9);
  const prediction = predict({ ...storage, servers }, load);
  const reached = mixedMBps(prediction, readShare) ?? 0;
  return { servers, prediction, enough: reached >= mbps * (1 - 1e-9) };
}
