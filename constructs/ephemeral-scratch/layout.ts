/** How the disks of a host are divided. Pure. */
export interface DiskSplit {
  readonly saswork: number;
  /** 0: UTILLOC has no disks of its own, it is a directory beside SASWORK on the one array. */
  readonly utilloc: number;
}

// With fewer disks each area would be as slow as one disk: better both on all of them.
const FEWEST_DISKS_TO_SPLIT = 3;

/**
 * Divides disks in a ratio, to the nearest whole disk; each area gets at least one.
 *
 * @param disks number of disks, 1 or more
 * @param ratio parts for each area; no part for UTILLOC puts both on one array
 */
export function splitDisks(disks: number, ratio: DiskSplit): DiskSplit {
  if (disks < FEWEST_DISKS_TO_SPLIT || ratio.utilloc === 0) return { saswork: disks, utilloc: 0 };
  const share = Math.round((disks * ratio.saswork) / (ratio.saswork + ratio.utilloc));
  const saswork = Math.min(disks - 1, Math.max(1, share));
  return { saswork, utilloc: disks - saswork };
}
