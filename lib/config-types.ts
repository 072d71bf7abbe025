/**
 * The configuration of a deployment: config/<name>.yaml, as config.schema.json allows it. It names exactly one shared
 * file system.
 */
export interface DeploymentConfig {
  readonly description: string;
  readonly region?: string;
  readonly account?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly alarmEmail?: string;
  readonly network?: NetworkConfig;
  /** With it the deployment is the NFS server alone: no `network`, no `grid`. */
  readonly existingNetwork?: ExistingNetworkConfig;
  /** Lustre on servers of the deployment's own. */
  readonly storage?: StorageConfig;
  /** Amazon FSx for Lustre. */
  readonly fsxLustre?: FsxLustreConfig;
  /** One NFS server. */
  readonly nfs?: NfsConfig;
  /** io2 Block Express volumes. The hosts that have them are the grid. */
  readonly io2?: Io2Config;
  /** The hosts that mount the file system; nothing with `io2` and with `existingNetwork`. */
  readonly grid?: GridConfig;
  /** A document that makes a storage server fail on purpose; only with `storage` and with `nfs.ebs`. */
  readonly gameDay?: GameDayConfig;
  /** Measures what the hosts get, and says pass or fail; not with `existingNetwork`, which has no hosts. */
  readonly benchmark?: BenchmarkConfig;
}

export interface BenchmarkConfig {
  readonly name?: string;
  readonly tests?: ('sas-io' | 'iozone' | 'fio' | 'mixed-sas' | 'network' | 'raw-device' | 'lustre-server')[];
  /** Has to be true for `lustre-server`, and only for it. */
  readonly acceptRiskForDataOnTargets?: boolean;
  readonly temporaryMBpsPerCore?: number;
  readonly sharedMBpsPerCore?: number;
  readonly parallel?: boolean;
  readonly schedule?: string;
  readonly runAfterDeployment?: boolean;
  readonly gateDeployment?: boolean;
  readonly busyMBps?: number;
}

export interface GameDayConfig {
  readonly approvers?: string[];
  readonly minimumApprovals?: number;
  readonly approvalTimeoutMinutes?: number;
  readonly recoveryTimeoutMinutes?: number;
}

/** Whatever is left out becomes a parameter of the template. */
export interface ExistingNetworkConfig {
  readonly vpcId?: string;
  readonly subnetId?: string;
  readonly availabilityZone?: string;
  readonly securityGroupId?: string;
  readonly placementGroup?: string;
}

export interface NetworkConfig {
  readonly vpcCidr?: string;
  readonly publicSubnetCidr?: string;
  readonly privateSubnetCidr?: string;
  readonly availabilityZone?: string;
  readonly nat?: 'gateway' | 'instance' | 'none';
  readonly natInstanceType?: string;
  readonly natLaunchTemplateName?: string;
  readonly natAmiId?: string;
  readonly separatePlacementGroups?: boolean;
  readonly interfaceEndpoints?: boolean;
  readonly webAccessFrom?: string[];
  readonly sshAccessFrom?: string[];
}

export interface StorageConfig {
  readonly preset: 'papers-2015' | 'current';
  readonly fileSystemName: string;
  readonly mgs?: TierConfig;
  readonly mds?: TierConfig;
  readonly oss?: TierConfig;
  readonly backend?: 'ldiskfs' | 'zfs';
  readonly stripeCount?: number;
  readonly stripeSizeMiB?: number;
  readonly encryptionKeyArn?: string;
  readonly image?: ImageConfig;
  readonly software?: SoftwareConfig;
  readonly monitoring?: { readonly enabled?: boolean; readonly certificateArn?: string };
  readonly recoveryTimeoutMinutes?: number;
}

export interface TierConfig {
  readonly count?: number;
  readonly instanceType?: string;
  readonly volumesPerServer?: number;
  readonly volume?: VolumeConfig;
  readonly capacityReservation?: string;
  readonly fallbackInstanceTypes?: string[];
  readonly hotSpares?: number;
  readonly existingVolumes?: string[];
  readonly addresses?: string[];
}

export interface VolumeConfig {
  readonly type: 'gp2' | 'gp3' | 'io1' | 'io2' | 'st1';
  readonly sizeGiB: number;
  readonly iops?: number;
  readonly throughputMiBps?: number;
}

/** A zone that exists. */
export interface HostedZoneConfig {
  readonly id: string;
  readonly name: string;
}

/** Exactly one of the two. */
export interface ImageConfig {
  readonly amiId?: string;
  readonly ssmParameter?: string;
}

/** Exactly one of `ssd` and `intelligentTiering`. */
export interface FsxLustreConfig {
  readonly ssd?: {
    readonly capacityGiB: number;
    readonly throughputPerTiB: number;
    readonly metadataIops?: number;
  };
  readonly intelligentTiering?: { readonly throughputMBps: number; readonly metadataIops?: number };
  readonly software?: ClientSoftwareConfig;
  readonly backupRetentionDays?: number;
  /** Cannot change; has to be there with no backups. */
  readonly copyTagsToBackups?: boolean;
  readonly weeklyMaintenanceStart?: string;
  readonly encryptionKeyArn?: string;
}

/** Exactly one of `ebs` and `instanceStore`. */
export interface NfsConfig {
  readonly ebs?: NfsEbsConfig;
  readonly instanceStore?: NfsInstanceStoreConfig;
  readonly capacityReservation?: string;
  readonly address?: string;
  readonly hostName?: string;
  readonly domainName?: string;
  readonly hostedZone?: HostedZoneConfig;
  readonly exportName?: string;
  readonly clientRanges?: string[];
  readonly exportOptions?: string[];
  readonly nfsdThreads?: number;
  readonly expectedClients?: number;
  readonly archive?: { readonly everyHours?: number };
  readonly image?: ImageConfig;
  readonly encryptionKeyArn?: string;
}

export interface NfsEbsConfig {
  readonly preset?: string;
  readonly papers?: boolean;
  readonly volume?: VolumeConfig;
  readonly volumeCount?: number;
  readonly throughputMBps?: number;
  readonly instanceType?: string;
  readonly fallbackInstanceTypes?: string[];
  readonly hotSpares?: number;
  readonly existingVolumes?: string[];
  readonly backup?: {
    readonly everyHours?: number;
    readonly startTime?: string;
    readonly retentionDays?: number;
  };
  readonly recoveryTimeoutMinutes?: number;
}

export interface NfsInstanceStoreConfig {
  readonly dataLossAcceptableBecause: string;
  readonly instanceType?: string;
  readonly capacityGiB?: number;
  readonly throughputMBps?: number;
  readonly spot?: { readonly maxPriceUsd?: number };
}

/** One host, or a cluster of `nodes`, and what the hosts are for. */
export interface Io2Config
  extends Pick<
    GridConfig,
    'image' | 'mountPoint' | 'sasUid' | 'sasGid' | 'additionalPorts' | 'scratch' | 'cleanUpScratchAfterHours'
  > {
  readonly sizeGiB: number;
  readonly nodes?: number;
  readonly instanceType?: string;
  readonly capacityReservation?: string;
  readonly throughputMBps?: number;
  readonly iopsAdjustment?: number;
  readonly stripeKiB?: number;
  readonly readAheadKiB?: number;
  readonly operatingSystem?: 'rhel-8' | 'rhel-9' | 'debian' | 'ubuntu';
  readonly existingVolumes?: string[];
  readonly addresses?: string[];
  readonly deployedVolumes?: { readonly count: number; readonly sizeGiB: number; readonly iops: number };
  readonly clusterName?: string;
  readonly nodeNamePrefix?: string;
  readonly fencing?: 'ec2' | 'ec2+nvme';
  readonly mountTimeoutMinutes?: number;
  readonly recoveryTimeoutMinutes?: number;
  readonly encryptionKeyArn?: string;
}

export type ClientSoftwareConfig = SoftwareConfig | { readonly kind: 'distribution' };

export type SoftwareConfig =
  | { readonly kind: 'preinstalled' }
  | {
      readonly kind: 'repository';
      readonly url: string;
      readonly version: string;
      readonly keyUrl?: string;
      readonly debianSuite?: string;
    };

export interface GridConfig {
  readonly nodes: number;
  readonly plannedNodes?: number;
  readonly instanceType: string;
  readonly controlServerInstanceType?: string;
  readonly capacityReservation?: string;
  readonly image?: ImageConfig;
  readonly mountPoint?: string;
  readonly sasUid?: number;
  readonly sasGid?: number;
  readonly additionalPorts?: number[];
  readonly inPublicSubnet?: boolean;
  readonly domainName?: string;
  readonly hostedZone?: HostedZoneConfig;
  readonly terminationProtection?: boolean;
  readonly sharedMBpsPerCore?: number;
  readonly temporaryMBpsPerCore?: number;
  readonly failOnShortfall?: boolean;
  readonly cleanUpScratchAfterHours?: number;
  readonly scratch?: {
    readonly enabled?: boolean;
    readonly saswork?: number;
    readonly utilloc?: number;
    readonly fileSystem?: 'xfs' | 'ext4';
    readonly chunkKiB?: number;
    readonly readAheadKiB?: number;
  };
}
