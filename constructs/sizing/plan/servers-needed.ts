import { instanceTypeFacts } from '../instance-types';
import type { KnownStorage, Limit } from './configuration';
import { limitsOfMachines } from './limits';
import { mixOf } from './predict';

/** How many servers of a kind deliver so much. */
export interface ServersNeeded {
  /** Undefined: what one delivers is not known. */
  readonly servers?: number;
  /** What one of them delivers, MB/s of reads and writes in turns. */
  readonly eachMBps?: number;
  /** What limits one of them. */
  readonly limit?: Limit;
  /** What is not known of one, one sentence each. */
  readonly unknown: readonly string[];
}

/**
 * How many servers it takes to deliver so much all day, however fast the hosts are. Throughput of Lustre goes with the
 * number of its servers (SAS/Intel paper 002: 1.5 GB/s with three, 3 GB/s with six).
 *
 * @param storage its servers' type and the devices of one; how many there are does not matter
 * @param mbps for all hosts together
 * @param readShare which part of the bytes is read, from 0 to 1
 */
export function serversNeeded(
  { serverType, devices }: Pick<KnownStorage, 'serverType' | 'devices'>,
  mbps: number,
  readShare = 0.5,
): ServersNeeded {
  const facts = serverType === undefined ? undefined : instanceTypeFacts(serverType);
  const { limits, unknown } = limitsOfMachines({
    count: 1,
    noun: 'server',
    facts,
    devices,
    sharedVolumes: false,
    credits: 'spent',
    served: true,
  });
  const limit = slowest(limits, readShare);
  const eachMBps = limit && mixOf(limit, readShare);
  if (unknown.length || !eachMBps) return { unknown };
  // Less than a millionth short is rounding, and no reason for another server.
  return { servers: Math.max(1, Math.ceil(mbps / eachMBps - 1e-6)), eachMBps, limit, unknown };
}

/** The limit that reads and writes in turns use up first; undefined when there is none. */
export function slowest(limits: readonly Limit[], readShare: number): Limit | undefined {
  return limits.reduce<Limit | undefined>(
    (least, limit) => (least && mixOf(least, readShare) <= mixOf(limit, readShare) ? least : limit),
    undefined,
  );
}
