import type { Io2BlockExpressGfs2 } from '../constructs';
import type { Io2Config } from './config-types';
import { duration, scratchOptions } from './from-config';

/** Makes the hosts that have the file system what the nodes of a grid are. */
export function configureHosts(
  { additionalPorts, sasUid, sasGid, scratch, cleanUpScratchAfterHours }: Io2Config,
  fileSystem: Io2BlockExpressGfs2,
): void {
  fileSystem.addGrid({
    additionalPorts,
    sasUid,
    sasGid,
    ephemeralScratch: scratch?.enabled,
    scratch: scratchOptions({ scratch }),
    cleanUpScratchAfter: duration(cleanUpScratchAfterHours),
  });
}
