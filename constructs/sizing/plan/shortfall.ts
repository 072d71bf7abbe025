import type { Load, Prediction, StorageConfiguration } from './configuration';
import { mixedMBps, predict } from './predict';
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
  /** With how many servers it would do. Undefined: with none, or it has no servers. */
  readonly serversNeeded?: number;
}

/** Whether a storage is fast enough, with numbers. */
export function compareWithDemand(storage: StorageConfiguration, load: Load, demand: Demand): Verdict {
  const { cores, mbpsPerCore: wanted, readShare = 0.5 } = demand;
  const prediction = predict(storage, load);
  const mbps = mixedMBps(prediction, readShare);
  if (mbps === undefined || !(cores > 0)) {
    return { enough: true, text: prediction.unknown.join(' ') || 'Nothing to compare.', prediction };
  }
  const mbpsPerCore = mbps / cores;
  const enough = mbpsPerCore >= wanted;
  const serversNeeded = serversFor(storage, load, wanted * cores, readShare);
  return {
    enough,
    text: `${subject(storage)} ${throughputText(mbps)} = ${short(mbpsPerCore)} MB/s per core for ${cores} cores; ${enough ? `${wanted} are wanted.` : need(wanted, storage, serversNeeded, prediction)}`,
    prediction,
    mbpsPerCore,
    serversNeeded,
  };
}

function subject({ servers }: StorageConfiguration): string {
  if (servers === 0) return 'The storage gives';
  return servers === 1 ? '1 server gives' : `${servers} servers give`;
}

function need(
  wanted: number,
  { servers }: StorageConfiguration,
  needed: number | undefined,
  prediction: Prediction,
) {
  if (servers > 0 && needed !== undefined) return `${wanted} needs ${needed}.`;
  const slower = [prediction.binding.read, prediction.binding.write].map((limit) => limit?.text);
  return `${wanted} are wanted, and more servers do not help (${[...new Set(slower)].join('; ')}).`;
}

// What servers deliver goes with their number; what hosts carry does not.
function serversFor(
  storage: StorageConfiguration,
  load: Load,
  mbps: number,
  readShare: number,
): number | undefined {
  if (!(storage.servers > 0)) return undefined;
  const one = mixedMBps(predict({ ...storage, servers: 1 }, { ...load, hostType: undefined }), readShare);
  if (!one) return undefined;
  const servers = Math.ceil(mbps / one - 1e-9);
  const reached = mixedMBps(predict({ ...storage, servers }, load), readShare) ?? 0;
  return reached >= mbps * (1 - 1e-9) ? servers : undefined;
}
