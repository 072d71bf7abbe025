import type { StorageDescription } from '../shared-file-system';
import { deliveryText, knownStorage, mixedMBps, predict } from '../sizing';
import { slowest } from '../sizing/plan/servers-needed';
import type { PredictedThroughput } from './predicted-throughput';

/** Reads and writes in equal parts: the papers' demand does not tell them apart. */
const READ_SHARE = 0.5;

/** Those who read and write. */
export interface Hosts {
  readonly count: number;
  /** Their EC2 type; undefined when it is not known at synthesis, and their network is not looked at. */
  readonly type?: string;
  /** Physical cores of all of them together; undefined when it is not known. */
  readonly cores?: number;
}

/** What hosts get from a storage; `description` undefined: it is not known what the storage is made of. */
export function predicted(description: StorageDescription | undefined, hosts: Hosts): PredictedThroughput {
  if (!description) return { text: 'Not known: what the file system is made of is not known.' };
  const storage = knownStorage(description);
  const prediction = predict(storage, { hosts: hosts.count, hostType: hosts.type });
  const mbps = mixedMBps(prediction, READ_SHARE);
  if (mbps === undefined) return { text: `Not known: ${prediction.unknown.join(' ')}` };
  const limit = slowest(prediction.limits, READ_SHARE)!.text;
  // Without a type nobody asks about the network of the hosts.
  const unknown = hosts.type === undefined ? [] : prediction.unknown;
  return {
    text: [`${deliveryText(storage, mbps, hosts.cores)} (${limit}).`, ...unknown].join(' '),
    throughputMBps: mbps,
    mbpsPerCore: hosts.cores ? mbps / hosts.cores : undefined,
    limit,
  };
}
