/** The servers of one kind of a Lustre file system. */
export interface LustreTierNumbers {
  readonly servers: number;
  readonly serverType: string;
  readonly volumesPerServer: number;
  readonly volume: {
    readonly type: 'gp2' | 'gp3';
    readonly sizeGiB: number;
    readonly iops?: number;
    readonly throughputMiBps?: number;
  };
}

/** A complete set of numbers; LustrePreset says what they rest on. */
export interface LustreNumbers {
  readonly mgs: LustreTierNumbers;
  readonly mds: LustreTierNumbers;
  readonly oss: LustreTierNumbers;
}

/** Papers 000 and 001, to the number; they do not say what the management and metadata targets lie on. */
export const LUSTRE_PAPERS_2015: LustreNumbers = {
  mgs: oneServer('c3.xlarge', { type: 'gp2', sizeGiB: 100 }),
  mds: oneServer('c3.4xlarge', { type: 'gp2', sizeGiB: 500 }),
  oss: { servers: 3, serverType: 'c3.8xlarge', volumesPerServer: 8, volume: { type: 'gp2', sizeGiB: 750 } },
};

/** The same capacity on current machines. */
export const LUSTRE_CURRENT: LustreNumbers = {
  mgs: oneServer('m6in.large', { type: 'gp3', sizeGiB: 20 }),
  mds: oneServer('m6in.4xlarge', { type: 'gp3', sizeGiB: 500, iops: 6000, throughputMiBps: 250 }),
  oss: {
    servers: 3,
    serverType: 'm6in.8xlarge',
    volumesPerServer: 8,
    volume: { type: 'gp3', sizeGiB: 750, iops: 3000, throughputMiBps: 375 },
  },
};

function oneServer(serverType: string, volume: LustreTierNumbers['volume']): LustreTierNumbers {
  return { servers: 1, serverType, volumesPerServer: 1, volume };
}
