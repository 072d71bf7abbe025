import { CACHED_FROM } from '../data/throughput-rules';
import type { Limit, Prediction } from './configuration';

/**
 * The line on the way to the data that a measured read was too fast for: it came out of the memory of a server or a
 * host, and says nothing about the storage. Paper 003 read 431 MB/s through a server with 250 MB/s to its volumes.
 *
 * @returns undefined when no line that is known forbids it
 */
export function cachedRead(measuredMBps: number, { limits }: Prediction): Limit | undefined {
  return limits
    .filter((limit) => limit.line && measuredMBps > CACHED_FROM * limit.readMBps)
    .sort((a, b) => a.readMBps - b.readMBps)[0];
}
