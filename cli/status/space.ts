/** How full file systems are, all of a host together. */
export interface Space {
  readonly totalBytes: number;
  readonly usedPercent: number;
  /** Null where the file system counts none, as XFS may. */
  readonly inodesUsedPercent: number | null;
}

/**
 * Asks a host for the file systems that hold data, those of its storage and those that it mounts. One that hangs is
 * waited for a while only.
 */
export const SPACE_SCRIPT = [
  'timeout 20 df -k --output=fstype,size,used,avail,itotal,iused,target ' +
    '-t lustre -t ext4 -t xfs -t gfs2 -t nfs -t nfs4 2>/dev/null',
  'exit 0',
].join('\n');

/** Of the system, and scratch, of which the health of a host tells. */
const OTHERS = /^(\/|\/boot.*|\/home|\/var.*|\/opt.*|\/tmp|\/usr.*|\/saswork|\/utilloc)$/;

/** What `df` printed; undefined where nothing is mounted that holds data. */
export function parseSpace(text: string): Space | undefined {
  const found = text
    .split('\n')
    .map((line) => /^(\S+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+|-)\s+(\d+|-)\s+(\/.*)$/.exec(line.trim()))
    .flatMap((match) => (match && !OTHERS.test(match[7]!) ? [match.slice(2, 7).map(Number)] : []));
  const sum = (column: number) => found.reduce((all, row) => all + (row[column] || 0), 0);
  // What is reserved for root counts neither as used nor as free, as in df's own percentage.
  const [used, free] = [sum(1), sum(2)];
  if (used + free === 0) return undefined;
  const inodes = sum(3);
  return {
    totalBytes: sum(0) * 1024,
    usedPercent: percent(used, used + free),
    inodesUsedPercent: inodes > 0 ? percent(sum(4), inodes) : null,
  };
}

const percent = (part: number, whole: number): number => Math.ceil((100 * part) / whole);
