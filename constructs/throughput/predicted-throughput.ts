/**
 * What a storage will deliver all day to large files that all nodes read and write at the same time, half and half. It
 * is calculated from the limits that AWS publishes, and measured by nobody: docs/planner.md says how near such figures
 * come to the papers'.
 */
export interface PredictedThroughput {
  /** What it delivers and what keeps it from more, or what is not known, in words. */
  readonly text: string;

  /**
   * MB/s (10^6 bytes) for all nodes together.
   *
   * @default - not known
   */
  readonly throughputMBps?: number;

  /**
   * MB/s (10^6 bytes) for each physical core of the nodes.
   *
   * @default - not known
   */
  readonly mbpsPerCore?: number;

  /**
   * What keeps it from more, for example `3 servers x 3125 MB/s: EBS bandwidth of m6in.8xlarge`.
   *
   * @default - not known
   */
  readonly limit?: string;
}
