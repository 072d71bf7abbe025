import type { Problem, Source } from './facts';

export const MANAGED_FILE_SYSTEM_SOURCES: readonly Source[] = [
  {
    title: 'Amazon FSx API: CreateFileSystem, storage capacity of each file system type',
    reference: 'https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html',
    checked: '2026-11-21',
  },
  {
    title: 'Amazon FSx for Lustre: throughput per unit of storage, throughput of Intelligent-Tiering',
    reference: 'https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-throughput-capacity.html',
    checked: '2026-11-21',
  },
  {
    title: 'Amazon FSx API: metadata IOPS of FSx for Lustre',
    reference:
      'https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreMetadataConfiguration.html',
    checked: '2026-11-21',
  },
  {
    title: 'Amazon FSx API: SSD read cache of FSx for Lustre Intelligent-Tiering',
    reference: 'https://docs.aws.amazon.com/fsx/latest/APIReference/API_LustreReadCacheConfiguration.html',
    checked: '2026-11-21',
  },
  {
    title: 'Amazon FSx API: data repository associations of FSx for Lustre',
    reference: 'https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateDataRepositoryAssociation.html',
    checked: '2026-11-21',
  },
  {
    title: 'Amazon FSx API: deployment types and throughput of FSx for OpenZFS',
    reference:
      'https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemOpenZFSConfiguration.html',
    checked: '2026-11-21',
  },
  {
    title: 'Amazon FSx API: HA pairs and throughput per pair of FSx for NetApp ONTAP',
    reference:
      'https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemOntapConfiguration.html',
    checked: '2026-11-21',
  },
  {
    title:
      'AWS provider of Pulumi and Terraform: 192 TiB for ONTAP of the first generation, 1 PiB from two pairs on',
    reference: 'https://pub.dev/documentation/pulumi_aws/latest/fsx/OntapFileSystem/storageCapacity.html',
    checked: '2026-11-21',
  },
  {
    title: 'Amazon FSx API: parts of an ONTAP FlexGroup volume, eight for each pair',
    reference: 'https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateAggregateConfiguration.html',
    checked: '2026-11-21',
  },
  {
    title: 'NetApp: a part of a FlexGroup volume has 100 GB to 100 TB',
    reference: 'https://docs.netapp.com/us-en/bluexp-automation/cm/wf_onprem_flexgroup_ontap_create_vol.html',
    checked: '2026-11-21',
  },
  {
    title: 'Amazon FSx API: clients of an OpenZFS export',
    reference: 'https://docs.aws.amazon.com/fsx/latest/APIReference/API_OpenZFSNfsExport.html',
    checked: '2026-11-21',
  },
  {
    title: 'Amazon EFS quotas: provisioned throughput',
    reference: 'https://docs.aws.amazon.com/efs/latest/ug/limits.html',
    checked: '2026-11-21',
  },
];

/** FSx for Lustre, deployment type PERSISTENT_2. FSx counts 1200 GiB as 1.2 TiB: throughput is per 1000 GiB. */
export const FSX_LUSTRE = {
  /** MB/s for each 1000 GiB. */
  throughputTiers: [125, 250, 500, 1000],
  /** The one capacity that is no multiple of the step. */
  smallestCapacityGiB: 1200,
  capacityStepGiB: 2400,
  /** Besides these, multiples of the last, up to `maxMetadataIops`. */
  ssdMetadataIops: [1500, 3000, 6000, 12_000],
  maxMetadataIops: 192_000,
  /**
   * What FSx provisions by itself up to these capacities; beyond them, `perStep` for every step begun. (FSx for Lustre
   * User Guide, "Lustre metadata performance configuration")
   */
  automaticMetadataIops: {
    upToGiB: [
      [1200, 1500],
      [2400, 3000],
      [9600, 6000],
      [45_600, 12_000],
    ],
    stepGiB: 24_000,
    perStep: 12_000,
  },
  intelligentTiering: {
    throughputStepMBps: 4000,
    maxThroughputMBps: 2_000_000,
    metadataIops: [6000, 12_000],
    /** Read cache for every step of throughput. */
    minCacheGiBPerStep: 32,
    maxCacheGiBPerStep: 131_072,
  },
  maxDataRepositories: 8,
  importedChunkMiB: { min: 1, max: 512_000 },
} as const;

/** Lustre versions of FSx file systems with a metadata configuration. (CreateFileSystem, FileSystemTypeVersion) */
export const FSX_LUSTRE_VERSIONS: readonly string[] = ['2.15'];

/** What FSx takes as days of automatic backups. */
export const FSX_BACKUP_DAYS = { min: 0, max: 90 } as const;

const OPENZFS_FIRST_GENERATION = [64, 128, 256, 512, 1024, 2048, 3072, 4096];
const OPENZFS_SECOND_GENERATION = [160, 320, 640, 1280, 2560, 3840, 5120, 7680, 10_240];

/** FSx for OpenZFS on SSD: MB/s by deployment type, and capacity. */
export const FSX_OPENZFS: {
  readonly throughputMBps: { readonly [deploymentType: string]: readonly number[] };
  readonly minCapacityGiB: number;
  readonly maxCapacityGiB: number;
  readonly maxClientRanges: number;
  readonly recordSizesKiB: readonly number[];
} = {
  throughputMBps: {
    SINGLE_AZ_1: OPENZFS_FIRST_GENERATION,
    SINGLE_AZ_HA_1: OPENZFS_FIRST_GENERATION,
    SINGLE_AZ_2: OPENZFS_SECOND_GENERATION,
    SINGLE_AZ_HA_2: OPENZFS_SECOND_GENERATION,
    MULTI_AZ_1: OPENZFS_SECOND_GENERATION,
  },
  minCapacityGiB: 64,
  maxCapacityGiB: 524_288,
  /** Of one NFS export. */
  maxClientRanges: 25,
  recordSizesKiB: [4, 8, 16, 32, 64, 128, 256, 512, 1024],
};

const ONTAP_FIRST_GENERATION = {
  throughputMBps: [128, 256, 512, 1024, 2048, 4096],
  maxHaPairs: 1,
  maxCapacityGiBPerPair: 196_608,
};

/** FSx for NetApp ONTAP: MB/s of an HA pair and number of pairs by deployment type, and SSD capacity. */
export const FSX_ONTAP: {
  readonly deployments: {
    readonly [type: string]: {
      readonly throughputMBps: readonly number[];
      readonly maxHaPairs: number;
      readonly maxCapacityGiBPerPair: number;
    };
  };
  readonly minCapacityGiBPerPair: number;
  readonly maxCapacityGiB: number;
  readonly coolingDays: { readonly min: number; readonly max: number };
  /** Newer ONTAP allows more; 100 TB are right for all. */
  readonly flexVolMaxGiB: number;
  /** FSx makes eight parts of at least 100 GiB for each pair. */
  readonly flexGroupMinGiBPerPair: number;
} = {
  deployments: {
    SINGLE_AZ_1: ONTAP_FIRST_GENERATION,
    MULTI_AZ_1: ONTAP_FIRST_GENERATION,
    // The API reference names 384 and 768 for two zones only; others say that one pair in one zone has them, too.
    SINGLE_AZ_2: { throughputMBps: [1536, 3072, 6144], maxHaPairs: 12, maxCapacityGiBPerPair: 524_288 },
    MULTI_AZ_2: {
      throughputMBps: [384, 768, 1536, 3072, 6144],
      maxHaPairs: 1,
      maxCapacityGiBPerPair: 524_288,
    },
  },
  minCapacityGiBPerPair: 1024,
  maxCapacityGiB: 1_048_576,
  coolingDays: { min: 2, max: 183 },
  flexVolMaxGiB: 93_132,
  flexGroupMinGiBPerPair: 8 * 100,
};

/** Amazon EFS. The most is the default quota (3.33 GiB/s) of the regions with the highest one. */
export const EFS = { provisionedMiBps: { min: 1, max: 3414 } } as const;

/** NFS connections that one mount of the Linux client can have. */
export const MAX_NCONNECT = 16;

/** What is wrong with the SSD capacity of an FSx for Lustre file system. */
export function fsxLustreCapacityProblems(capacityGiB: number): Problem[] {
  const { smallestCapacityGiB, capacityStepGiB } = FSX_LUSTRE;
  if (capacityGiB === smallestCapacityGiB || isMultiple(capacityGiB, capacityStepGiB)) return [];
  const next = fsxLustreCapacityFor(capacityGiB > 0 ? capacityGiB : 1);
  return [
    {
      what: 'The capacity in GiB',
      value: capacityGiB,
      allowed: `${smallestCapacityGiB}, or a multiple of ${capacityStepGiB}`,
      fix: Number.isFinite(next) ? `The next one is ${next}.` : 'Choose one of these.',
    },
  ];
}

/** The smallest SSD capacity of FSx for Lustre, in GiB, that holds this much. */
export function fsxLustreCapacityFor(capacityGiB: number): number {
  const { smallestCapacityGiB, capacityStepGiB } = FSX_LUSTRE;
  if (capacityGiB <= smallestCapacityGiB) return smallestCapacityGiB;
  return Math.ceil(capacityGiB / capacityStepGiB) * capacityStepGiB;
}

/** What is wrong with the metadata IOPS of an FSx for Lustre file system on SSD. */
export function fsxLustreMetadataProblems(iops: number): Problem[] {
  const { ssdMetadataIops, maxMetadataIops } = FSX_LUSTRE;
  const step = ssdMetadataIops[3];
  if (ssdMetadataIops.some((value) => value === iops)) return [];
  if (isMultiple(iops, step) && iops <= maxMetadataIops) return [];
  return [
    {
      what: 'The metadata IOPS',
      value: iops,
      allowed: `${ssdMetadataIops.join(', ')}, or a multiple of ${step} up to ${maxMetadataIops}`,
      fix: 'Choose one of these, or leave it out: it then follows from the capacity.',
    },
  ];
}

/** What is wrong with the read cache of an Intelligent-Tiering file system, whose throughput is right. */
export function fsxLustreCacheProblems(cacheGiB: number, throughputMBps: number): Problem[] {
  const { throughputStepMBps, minCacheGiBPerStep, maxCacheGiBPerStep } = FSX_LUSTRE.intelligentTiering;
  const steps = throughputMBps / throughputStepMBps;
  const [min, max] = [steps * minCacheGiBPerStep, steps * maxCacheGiBPerStep];
  if (Number.isInteger(cacheGiB) && cacheGiB >= min && cacheGiB <= max) return [];
  return [
    {
      what: 'The read cache in GiB',
      value: cacheGiB,
      allowed: `a whole number from ${min} to ${max} with ${throughputMBps} MB/s`,
      fix: 'Change its size, or let it follow from the throughput.',
    },
  ];
}

/** What is wrong with the SSD capacity of an FSx for ONTAP file system. */
export function fsxOntapCapacityProblems(
  capacityGiB: number,
  haPairs: number,
  deployment: string,
): Problem[] {
  const min = FSX_ONTAP.minCapacityGiBPerPair * haPairs;
  const ofPair = FSX_ONTAP.deployments[deployment]!.maxCapacityGiBPerPair;
  const max = Math.min(ofPair * haPairs, FSX_ONTAP.maxCapacityGiB);
  if (Number.isInteger(capacityGiB) && capacityGiB >= min && capacityGiB <= max) return [];
  return [
    {
      what: 'The capacity in GiB',
      value: capacityGiB,
      allowed:
        `a whole number from ${min} to ${max} with ${haPairs} HA pair${haPairs === 1 ? '' : 's'} of ` +
        `${deployment}`,
      fix: 'Change the capacity, the deployment or the number of pairs.',
    },
  ];
}

/** A positive multiple. */
export function isMultiple(value: number, step: number): boolean {
  return Number.isInteger(value) && value > 0 && value % step === 0;
}
