// Generated from config.schema.json by 'npx tsx scripts/config-types.ts'; do not edit it. Change the
// schema, and run that. A test fails while this file is not what the schema says.

/** config/<name>.yaml, a deployment with exactly one shared file system: storage, fsxLustre, nfs or io2 */
export interface DeploymentConfig {
  /** what the deployment is, in a sentence */
  readonly description: string;
  /** the region; without it the one of your AWS configuration */
  readonly region?: string;
  /** the account, in quotes; without it the one of your AWS credentials */
  readonly account?: string;
  /** tags on every resource */
  readonly tags?: Readonly<Record<string, string>>;
  /** the address that alarms are sent to */
  readonly alarmEmail?: string;
  /**
   * measures what the hosts get of the storage in MB/s per physical core, and says pass or fail; {} for the defaults,
   * started by hand
   */
  readonly benchmark?: BenchmarkConfig;
  /** a document of Systems Manager that makes a storage server fail on purpose, after approval; {} for the defaults */
  readonly gameDay?: GameDayConfig;
  /** what the deployment does by itself day by day; without it everything is started by hand */
  readonly operations?: OperationsConfig;
  /** the network that the deployment makes */
  readonly network?: NetworkConfig;
  /** what exists, for an NFS server alone; what is left out becomes a parameter of the template */
  readonly existingNetwork?: ExistingNetworkConfig;
  /** Lustre on servers of the deployment's own */
  readonly storage?: StorageConfig;
  /** Amazon FSx for Lustre; either ssd or intelligentTiering */
  readonly fsxLustre?: FsxLustreConfig;
  /** one NFS server; either ebs or instanceStore */
  readonly nfs?: NfsConfig;
  /** io2 Block Express volumes for one host or a cluster of hosts, which are the grid: without the key grid */
  readonly io2?: Io2Config;
  /** the hosts that mount the file system */
  readonly grid?: GridConfig;
}

/** what the deployment does by itself day by day; without it everything is started by hand */
export interface OperationsConfig {
  /** when the deployment stops and starts by itself */
  readonly sleep?: SleepConfig;
  /** when sets of snapshots of all volumes are made by themselves, and how many stay */
  readonly backup?: BackupConfig;
}

/** when sets of snapshots of all volumes are made by themselves, and how many stay */
export interface BackupConfig {
  /** when one is made, as EventBridge Scheduler has it: cron(0 2 * * ? *) */
  readonly schedule: string;
  /** its time zone, by its IANA name such as Europe/Berlin, or UTC */
  readonly timeZone: string;
  /** how many complete sets stay, besides those that are protected; default 14 */
  readonly keep?: number;
  /** from how many hours on the newest set that can be restored is too old; default 49 */
  readonly alarmAfterHours?: number;
  /** where each complete set is copied to: another region, or another account */
  readonly copyTo?: CopyToConfig;
}

/** where each complete set is copied to: another region, or another account */
export interface CopyToConfig {
  /** the region of the copies; another one than the deployment's, unless there is a roleArn */
  readonly region: string;
  /** a role of another account in whose name the copies are made there, by its ARN */
  readonly roleArn?: string;
  /** the key of the copies, of their region, by its ARN; default: the one for EBS there */
  readonly kmsKeyArn?: string;
  /** from how many hours on the newest set of copies is too old; default a day more than of backups */
  readonly alarmAfterHours?: number;
}

/** when the deployment stops and starts by itself */
export interface SleepConfig {
  /** when it stops, as EventBridge Scheduler has it: cron(0 20 ? * MON-FRI *) */
  readonly stop: string;
  /** when it starts: cron(0 7 ? * MON-FRI *) */
  readonly start: string;
  /** the time zone of both, by its IANA name such as Europe/Berlin, or UTC */
  readonly timeZone: string;
}

/** a zone of Route 53, which exists */
export interface HostedZoneConfig {
  /** the id of the zone */
  readonly id: string;
  /** the name of the zone */
  readonly name: string;
}

/** a set of snapshots that the volumes are made of; cdk-sas-grid restore writes it, and it stays there */
export interface RestoreFromConfig {
  /** the name of the set, such as 20261128T010203Z: cdk-sas-grid backup --list has all */
  readonly set: string;
  /** ids of its snapshots, server by server in serving order */
  readonly snapshots: string[];
}

/** the EBS volumes, all alike */
export interface VolumeConfig {
  /** the EBS volume type */
  readonly type: 'gp2' | 'gp3' | 'io1' | 'io2' | 'st1';
  /** size of one volume in GiB */
  readonly sizeGiB: number;
  /** provisioned IOPS of one volume (gp3, io1, io2) */
  readonly iops?: number;
  /** provisioned throughput of one volume in MiB/s (gp3) */
  readonly throughputMiBps?: number;
}

/** an image of storage servers that is built in your account; make deploy builds it */
export interface ImageBuildConfig {
  /** the plain EL image to begin with; without it the newest AlmaLinux of the release */
  readonly baseAmiId?: string;
  /** when it is built again by itself, such as cron(0 3 1 * ? *); no host changes by that */
  readonly rebuildSchedule?: string;
}

/** an image of Lustre servers that is built in your account; make deploy builds it */
export interface LustreImageBuildConfig {
  /** the release of Lustre, such as 2.17.0 */
  readonly lustreVersion?: string;
  /** the plain EL image to begin with; without it the newest AlmaLinux of the release */
  readonly baseAmiId?: string;
  /** when it is built again by itself, such as cron(0 3 1 * ? *); no host changes by that */
  readonly rebuildSchedule?: string;
}

/** an image of grid nodes that is built in your account; make deploy builds it */
export interface NodeImageBuildConfig {
  /** the release of Lustre, such as 2.17.0 */
  readonly lustreVersion?: string;
  /** the plain EL image to begin with; without it the newest AlmaLinux of the release */
  readonly baseAmiId?: string;
  /** when it is built again by itself, such as cron(0 3 1 * ? *); no host changes by that */
  readonly rebuildSchedule?: string;
  /** the s3:// address of a component of Image Builder that lays SAS down */
  readonly ownComponent?: string;
}

/** amiId, ssmParameter, or build */
export type ImageConfig =
  | {
      /** the id of a machine image in your region, such as ami-0123456789abcdef0 */
      readonly amiId: string;
      readonly ssmParameter?: never;
      readonly build?: never;
    }
  | {
      /** the name of a public or own SSM parameter that holds an image id */
      readonly ssmParameter: string;
      readonly amiId?: never;
      readonly build?: never;
    }
  | {
      /** an image of storage servers that is built in your account; make deploy builds it */
      readonly build: ImageBuildConfig;
      readonly amiId?: never;
      readonly ssmParameter?: never;
    };

/** amiId, ssmParameter, or build */
export type LustreImageConfig =
  | {
      /** the id of a machine image in your region, such as ami-0123456789abcdef0 */
      readonly amiId: string;
      readonly ssmParameter?: never;
      readonly build?: never;
    }
  | {
      /** the name of a public or own SSM parameter that holds an image id */
      readonly ssmParameter: string;
      readonly amiId?: never;
      readonly build?: never;
    }
  | {
      /** an image of Lustre servers that is built in your account; make deploy builds it */
      readonly build: LustreImageBuildConfig;
      readonly amiId?: never;
      readonly ssmParameter?: never;
    };

/** amiId, ssmParameter, or build */
export type NodeImageConfig =
  | {
      /** the id of a machine image in your region, such as ami-0123456789abcdef0 */
      readonly amiId: string;
      readonly ssmParameter?: never;
      readonly build?: never;
    }
  | {
      /** the name of a public or own SSM parameter that holds an image id */
      readonly ssmParameter: string;
      readonly amiId?: never;
      readonly build?: never;
    }
  | {
      /** an image of grid nodes that is built in your account; make deploy builds it */
      readonly build: NodeImageBuildConfig;
      readonly amiId?: never;
      readonly ssmParameter?: never;
    };

/** the image has the software */
export interface PreinstalledSoftwareConfig {
  readonly kind: 'preinstalled';
}

/** the Lustre client of Amazon Linux's own repository */
export interface DistributionSoftwareConfig {
  readonly kind: 'distribution';
}

/** packages of Lustre from a repository */
export interface RepositorySoftwareConfig {
  readonly kind: 'repository';
  /** the https address of a signed package repository */
  readonly url: string;
  /** the exact Lustre version, such as 2.16.1 */
  readonly version: string;
  /** the https address of the key that signed it, when that is not RPM-GPG-KEY in the repository */
  readonly keyUrl?: string;
  /** suite and components of a repository for Debian or Ubuntu, such as jammy main */
  readonly debianSuite?: string;
}

/** kind: preinstalled, or kind: repository with url and version */
export type SoftwareConfig = PreinstalledSoftwareConfig | RepositorySoftwareConfig;

/**
 * how the Lustre client gets onto the grid's hosts. kind: preinstalled; kind: distribution, which is Amazon Linux's
 * own; or kind: repository with url and version
 */
export type ClientSoftwareConfig =
  | PreinstalledSoftwareConfig
  | DistributionSoftwareConfig
  | RepositorySoftwareConfig;

/** SASWORK and UTILLOC on the instance store of the hosts */
export interface ScratchConfig {
  /** whether SASWORK and UTILLOC lie on instance store */
  readonly enabled?: boolean;
  /** share of the disks for SASWORK, with utilloc */
  readonly saswork?: number;
  /** share of the disks for UTILLOC, with saswork */
  readonly utilloc?: number;
  /** the file system of the scratch space */
  readonly fileSystem?: 'xfs' | 'ext4';
  /** RAID 0 chunk in KiB */
  readonly chunkKiB?: number;
  /** read-ahead in KiB */
  readonly readAheadKiB?: number;
}

/**
 * measures what the hosts get of the storage in MB/s per physical core, and says pass or fail; {} for the defaults,
 * started by hand
 */
export interface BenchmarkConfig {
  /**
   * the name of the benchmark, its metrics and its dashboard (the stack's and Benchmark); dashboards are of all regions
   * of an account, so that the same deployment in a second region needs another one
   */
  readonly name?: string;
  /**
   * what is done, in this order; without it, sas-io. raw-device reads the disks of the storage servers, or of the hosts
   * where AWS runs the servers; lustre-server writes to the targets of Lustre past its clients, only with storage,
   * acceptRiskForDataOnTargets and by hand
   */
  readonly tests?: ('sas-io' | 'iozone' | 'fio' | 'mixed-sas' | 'network' | 'raw-device' | 'lustre-server')[];
  /**
   * true: what is on the targets of Lustre may be lost by lustre-server (obdfilter-survey), which is not done without
   * it; only with that test
   */
  readonly acceptRiskForDataOnTargets?: boolean;
  /**
   * what SASWORK has to reach, in MB/s (10^6 bytes) per physical core; without it, temporaryMBpsPerCore of the grid,
   * else the papers' 100
   */
  readonly temporaryMBpsPerCore?: number;
  /**
   * what the shared space has to reach, in MB/s per physical core; without it, sharedMBpsPerCore of the grid, else the
   * papers' 50, and 100 on io2
   */
  readonly sharedMBpsPerCore?: number;
  /** false: one host after the other, which shows what each gets alone */
  readonly parallel?: boolean;
  /** when it runs by itself, as EventBridge writes it, for example cron(0 3 ? * SUN *), in UTC */
  readonly schedule?: string;
  /** true: it runs after a deployment that changes what is measured */
  readonly runAfterDeployment?: boolean;
  /** true: the deployment waits for that run, and its stack <name>-benchmark fails unless the verdict is passed */
  readonly gateDeployment?: boolean;
  /**
   * how much others may move on a host's file system, MB/s, for a test to begin; 0: it begins whatever they do; without
   * it, 10
   */
  readonly busyMBps?: number;
}

/** a document of Systems Manager that makes a storage server fail on purpose, after approval; {} for the defaults */
export interface GameDayConfig {
  /** who may approve; without it, whoever starts a game day names them */
  readonly approvers?: string[];
  /** how many of the approvers have to approve */
  readonly minimumApprovals?: number;
  /** how many minutes a game day waits for approval */
  readonly approvalTimeoutMinutes?: number;
  /** how many minutes the slot may take until it is served again; then the game day fails */
  readonly recoveryTimeoutMinutes?: number;
}

/** the network that the deployment makes */
export interface NetworkConfig {
  /** an IPv4 range such as 172.16.4.0/24 */
  readonly vpcCidr?: string;
  /** an IPv4 range such as 172.16.4.0/24 */
  readonly publicSubnetCidr?: string;
  /** an IPv4 range such as 172.16.4.0/24 */
  readonly privateSubnetCidr?: string;
  /** the one zone for all servers; needed once account is set; without it the first of the region */
  readonly availabilityZone?: string;
  /** how private servers reach the internet */
  readonly nat?: 'gateway' | 'instance' | 'none';
  /** the type of the NAT instance, with nat: instance */
  readonly natInstanceType?: string;
  /**
   * the name of the launch template of the NAT instance (NatInstanceLaunchTemplate); another deployment with nat:
   * instance in the region needs another one
   */
  readonly natLaunchTemplateName?: string;
  /**
   * the image of the NAT instance, an Amazon Linux 2023; without it the newest at each deployment, which replaces the
   * instance. Of a deployed one name the image that it has
   */
  readonly natAmiId?: string;
  /**
   * true: storage servers have a placement group of their own, which finds capacity sooner; recommended for new
   * deployments
   */
  readonly separatePlacementGroups?: boolean;
  /** whether the servers reach AWS by interface endpoints */
  readonly interfaceEndpoints?: boolean;
  /** the ranges that may open the monitoring page; none means nobody */
  readonly webAccessFrom?: string[];
  /** the ranges that may use SSH; none means nobody, Session Manager works without */
  readonly sshAccessFrom?: string[];
}

/** what exists, for an NFS server alone; what is left out becomes a parameter of the template */
export interface ExistingNetworkConfig {
  /** the id of the VPC */
  readonly vpcId?: string;
  /** the id of the subnet of the server, with a way to Systems Manager and to packages */
  readonly subnetId?: string;
  /** the zone of that subnet */
  readonly availabilityZone?: string;
  /** the id of the security group, which is used as it is */
  readonly securityGroupId?: string;
  /** the name of the clients' cluster placement group */
  readonly placementGroup?: string;
}

/** a server of the file system and its volumes, each one target */
export interface OneServerTierConfig {
  /** an EC2 instance type such as i4i.8xlarge */
  readonly instanceType?: string;
  /** number of equal volumes, each one target */
  readonly volumesPerServer?: number;
  /** the EBS volumes, all alike */
  readonly volume?: VolumeConfig;
  /**
   * the capacity that EC2 holds for the servers: make or make-rhel (RHEL paid by the hour) for a new reservation, the
   * id of one, or the ARN of a resource group of some; none by default
   */
  readonly capacityReservation?: string;
  /**
   * what else a replacement may be, outside of the placement group, when EC2 has no capacity for their type in it; none
   * by default
   */
  readonly fallbackInstanceTypes?: string[];
  /** servers that wait for one that is lost, so that its replacement need not boot first; none by default */
  readonly hotSpares?: number;
  /** ids of volumes kept from an earlier deployment, server by server, to be served instead of new ones */
  readonly existingVolumes?: string[];
  /** a set of snapshots that the volumes are made of; cdk-sas-grid restore writes it, and it stays there */
  readonly restoreFrom?: RestoreFromConfig;
  /** fixed private addresses, server by server; for kept volumes those they were served at */
  readonly addresses?: string[];
}

/** servers of the file system, and their volumes, each one target */
export interface TierConfig {
  /** number of servers */
  readonly count?: number;
  /** an EC2 instance type such as i4i.8xlarge */
  readonly instanceType?: string;
  /** number of equal volumes, each one target */
  readonly volumesPerServer?: number;
  /** the EBS volumes, all alike */
  readonly volume?: VolumeConfig;
  /**
   * the capacity that EC2 holds for the servers: make or make-rhel (RHEL paid by the hour) for a new reservation, the
   * id of one, or the ARN of a resource group of some; none by default
   */
  readonly capacityReservation?: string;
  /**
   * what else a replacement may be, outside of the placement group, when EC2 has no capacity for their type in it; none
   * by default
   */
  readonly fallbackInstanceTypes?: string[];
  /** servers that wait for one that is lost, so that its replacement need not boot first; none by default */
  readonly hotSpares?: number;
  /** ids of volumes kept from an earlier deployment, server by server, to be served instead of new ones */
  readonly existingVolumes?: string[];
  /** a set of snapshots that the volumes are made of; cdk-sas-grid restore writes it, and it stays there */
  readonly restoreFrom?: RestoreFromConfig;
  /** fixed private addresses, server by server; for kept volumes those they were served at */
  readonly addresses?: string[];
}

/** Lustre on servers of the deployment's own */
export interface StorageConfig {
  /** what everything below starts from */
  readonly preset: 'papers-2015' | 'current';
  /** the Lustre fsname: 1 to 8 letters, digits, _ or - */
  readonly fileSystemName: string;
  /** the management server (MGS), and its volumes */
  readonly mgs?: OneServerTierConfig;
  /** the metadata server (MDS), and its volumes */
  readonly mds?: OneServerTierConfig;
  /** the object storage servers (OSS), and their volumes */
  readonly oss?: TierConfig;
  /** the file system below the targets */
  readonly backend?: 'ldiskfs' | 'zfs';
  /** OSTs that a new file is spread over; -1 means all */
  readonly stripeCount?: number;
  /** bytes in a row on one OST, in MiB */
  readonly stripeSizeMiB?: number;
  /**
   * the ARN of the KMS key for everything of the file system; with kept volumes the key that they are encrypted with.
   * Without it a new key
   */
  readonly encryptionKeyArn?: string;
  /** amiId, ssmParameter, or build */
  readonly image?: LustreImageConfig;
  /** kind: preinstalled, or kind: repository with url and version */
  readonly software?: SoftwareConfig;
  /** the monitoring page */
  readonly monitoring?: {
    /** whether the load balancer of the monitoring page is made */
    readonly enabled?: boolean;
    /** the ARN of an ACM certificate, for HTTPS */
    readonly certificateArn?: string;
  };
  /** minutes after which an attempt to replace a server is given up */
  readonly recoveryTimeoutMinutes?: number;
}

/** Amazon FSx for Lustre; either ssd or intelligentTiering */
export interface FsxLustreConfig {
  /** SSD storage: throughput grows with capacity */
  readonly ssd?: {
    /** capacity in GiB: 1200, or a multiple of 2400 */
    readonly capacityGiB: number;
    /** throughput for each 1000 GiB in MB/s. It cannot change here; FSx itself can change it */
    readonly throughputPerTiB: 125 | 250 | 500 | 1000;
    /** metadata operations per second, which can only become more; without it they follow from the capacity */
    readonly metadataIops?: number;
  };
  /** Intelligent-Tiering storage: capacity follows the data */
  readonly intelligentTiering?: {
    /** throughput in MB/s, which can only become more: a multiple of 4000 */
    readonly throughputMBps: number;
    /** metadata operations per second, which can only become more */
    readonly metadataIops?: 6000 | 12000;
  };
  /**
   * how the Lustre client gets onto the grid's hosts. kind: preinstalled; kind: distribution, which is Amazon Linux's
   * own; or kind: repository with url and version
   */
  readonly software?: ClientSoftwareConfig;
  /** days for which daily backups are kept; 0 for none, with copyTagsToBackups */
  readonly backupRetentionDays?: number;
  /**
   * whether backups get the file system's tags; true without it. It cannot change, and is needed with
   * backupRetentionDays: 0: false for a new file system and one deployed with 0 days, true for one deployed with
   * backups
   */
  readonly copyTagsToBackups?: boolean;
  /** d:HH:MM in UTC, d from 1 (Monday) to 7 (Sunday) */
  readonly weeklyMaintenanceStart?: string;
  /** the backup of FSx that it is made of; cdk-sas-grid restore writes it, and it stays there */
  readonly restoreFrom?: string;
  /** the ARN of the KMS key that encrypts the file system. Without it a new key */
  readonly encryptionKeyArn?: string;
}

/** the data is on EBS volumes, which outlive the server */
export interface NfsEbsConfig {
  /** the size from which all numbers come that are not named here (Medium-5TB) */
  readonly preset?: 'Small-2TB' | 'Medium-5TB' | 'Large-10TB' | 'XLarge-15TB';
  /** whether the preset is the paper's own server of 2016, for the embedded AWS only */
  readonly papers?: boolean;
  /** the EBS volumes, all alike */
  readonly volume?: VolumeConfig;
  /** number of equal volumes, which are pooled; fixed for the life of the data */
  readonly volumeCount?: number;
  /** what the clients together are to get all day in MB/s; the type is chosen by it */
  readonly throughputMBps?: number;
  /** an EC2 instance type such as i4i.8xlarge */
  readonly instanceType?: string;
  /**
   * what else a replacement may be, outside of the placement group, when EC2 has no capacity for its type in it; none
   * by default
   */
  readonly fallbackInstanceTypes?: string[];
  /** servers that wait for one that is lost, so that its replacement need not boot first; none by default */
  readonly hotSpares?: number;
  /** ids of volumes kept from an earlier deployment, server by server, to be served instead of new ones */
  readonly existingVolumes?: string[];
  /** a set of snapshots that the volumes are made of; cdk-sas-grid restore writes it, and it stays there */
  readonly restoreFrom?: RestoreFromConfig;
  /** snapshots of the volumes on a schedule */
  readonly backup?: {
    /** hours between two snapshots */
    readonly everyHours?: 1 | 2 | 3 | 4 | 6 | 8 | 12 | 24;
    /** hh:mm in UTC of the first snapshot of a day */
    readonly startTime?: string;
    /** days for which snapshots are kept */
    readonly retentionDays?: number;
  };
  /** minutes after which an attempt to replace a server is given up */
  readonly recoveryTimeoutMinutes?: number;
}

/** the data is on the disks inside the host; a replacement starts empty */
export interface NfsInstanceStoreConfig {
  /** why it is acceptable that all data is lost when the server fails */
  readonly dataLossAcceptableBecause: string;
  /** an EC2 instance type such as i4i.8xlarge */
  readonly instanceType?: string;
  /** how much the disks are to hold together, in GiB */
  readonly capacityGiB?: number;
  /** what the clients together are to get all day in MB/s */
  readonly throughputMBps?: number;
  /** use Spot capacity */
  readonly spot?: {
    /** the most to pay for an hour in USD */
    readonly maxPriceUsd?: number;
  };
}

/** one NFS server; either ebs or instanceStore */
export interface NfsConfig {
  /** the data is on EBS volumes, which outlive the server */
  readonly ebs?: NfsEbsConfig;
  /** the data is on the disks inside the host; a replacement starts empty */
  readonly instanceStore?: NfsInstanceStoreConfig;
  /**
   * the capacity that EC2 holds for the server: make or make-rhel (RHEL paid by the hour) for a new reservation, the id
   * of one, or the ARN of a resource group of some; none by default
   */
  readonly capacityReservation?: string;
  /** the fixed private address; for kept volumes the one they were served at */
  readonly address?: string;
  /** the name of the server in DNS (storage1) */
  readonly hostName?: string;
  /** the domain of that name (sas-grid.internal, or the name of hostedZone) */
  readonly domainName?: string;
  /**
   * publish that name in this zone, which exists, is of this account and is visible in the VPC; without it, in a
   * private zone of its own
   */
  readonly hostedZone?: HostedZoneConfig;
  /** the server exports /export/<exportName> (sasdata) */
  readonly exportName?: string;
  /** ranges whose hosts may mount the export */
  readonly clientRanges?: string[];
  /** further options of the export */
  readonly exportOptions?: string[];
  /** number of nfsd threads */
  readonly nfsdThreads?: number;
  /** how many clients there will be, for the advice whether one server is enough */
  readonly expectedClients?: number;
  /** copies of the export in S3 */
  readonly archive?: {
    /** hours between two copies to S3 */
    readonly everyHours?: number;
  };
  /** amiId, ssmParameter, or build */
  readonly image?: ImageConfig;
  /** the ARN of the KMS key for everything of the server. Without it a new key */
  readonly encryptionKeyArn?: string;
}

/** io2 Block Express volumes for one host or a cluster of hosts, which are the grid: without the key grid */
export interface Io2Config {
  /** number of hosts: 1 has XFS for itself, 2 to 16 share GFS2 (1) */
  readonly nodes?: number;
  /** capacity of the file system in GiB; the volumes get equal shares */
  readonly sizeGiB: number;
  /** an EC2 instance type on Nitro (r5b.12xlarge) */
  readonly instanceType?: string;
  /**
   * the capacity that EC2 holds for the hosts: make or make-rhel (RHEL paid by the hour) for a new reservation, the id
   * of one, or the ARN of a resource group of some; none by default
   */
  readonly capacityReservation?: string;
  /** what the volumes are to deliver together in MB/s (the type's EBS throughput times nodes) */
  readonly throughputMBps?: number;
  /** percent by which the IOPS differ from throughput / 256 KiB */
  readonly iopsAdjustment?: number;
  /** KiB in a row on one volume, a power of two; never changes (1024) */
  readonly stripeKiB?: number;
  /** read-ahead in KiB; one host only (256) */
  readonly readAheadKiB?: number;
  /** where the file system is mounted on the hosts (/sasdata) */
  readonly mountPoint?: string;
  /** amiId, ssmParameter, or build */
  readonly image?: ImageConfig;
  /** what the image is; a cluster of hosts without GFS2 then fails at synthesis */
  readonly operatingSystem?: 'rhel-8' | 'rhel-9' | 'debian' | 'ubuntu';
  /** a set of snapshots that the volumes are made of; cdk-sas-grid restore writes it, and it stays there */
  readonly restoreFrom?: RestoreFromConfig;
  /** ids of volumes kept from an earlier deployment, in their order, to be used instead of new ones */
  readonly existingVolumes?: string[];
  /** fixed private addresses, host by host */
  readonly addresses?: string[];
  /** the cluster's volumes as they were deployed, from the output DeployedVolumes: what would change them is refused */
  readonly deployedVolumes?: {
    /** how many there are */
    readonly count: number;
    /** size of each in GiB */
    readonly sizeGiB: number;
    /** IOPS of each */
    readonly iops: number;
  };
  /** name of the cluster, written to the volumes; never changes (sasgfs2) */
  readonly clusterName?: string;
  /** what the names of the cluster's nodes begin with (node) */
  readonly nodeNamePrefix?: string;
  /** how a node that does not answer is kept from writing (ec2) */
  readonly fencing?: 'ec2' | 'ec2+nvme';
  /** minutes for which the first deployment waits until all nodes of the cluster have mounted; 0 does not wait (60) */
  readonly mountTimeoutMinutes?: number;
  /** minutes after which an attempt to replace the one host is given up */
  readonly recoveryTimeoutMinutes?: number;
  /**
   * the ARN of the KMS key for everything of the file system; with kept volumes the key that they are encrypted with.
   * Without it a new key
   */
  readonly encryptionKeyArn?: string;
  /** numeric id of the user sas */
  readonly sasUid?: number;
  /** numeric id of the group sas */
  readonly sasGid?: number;
  /** TCP ports of further SAS servers, open among the hosts */
  readonly additionalPorts?: number[];
  /** SASWORK and UTILLOC on the instance store of the hosts */
  readonly scratch?: ScratchConfig;
  /**
   * hours for which a work directory of an ended SAS session has to be untouched before it is removed from the scratch
   * (72); 0 removes none
   */
  readonly cleanUpScratchAfterHours?: number;
}

/** the hosts that mount the file system */
export interface GridConfig {
  /** number of grid nodes besides the control server */
  readonly nodes: number;
  /** number of nodes that the grid may grow to without restarting those that run */
  readonly plannedNodes?: number;
  /** an EC2 instance type such as i4i.8xlarge */
  readonly instanceType: string;
  /** an EC2 instance type such as i4i.8xlarge */
  readonly controlServerInstanceType?: string;
  /**
   * the capacity that EC2 holds for the servers of the grid (with an id, those of instanceType); an id or an ARN is for
   * grids that are not deployed: make or make-rhel (RHEL paid by the hour) for a new reservation, the id of one, or the
   * ARN of a resource group of some; none by default
   */
  readonly capacityReservation?: string;
  /** amiId, ssmParameter, or build */
  readonly image?: NodeImageConfig;
  /** where the shared file system is mounted */
  readonly mountPoint?: string;
  /** numeric id of the user sas */
  readonly sasUid?: number;
  /** numeric id of the group sas */
  readonly sasGid?: number;
  /** TCP ports of further SAS servers, open within the grid */
  readonly additionalPorts?: number[];
  /** whether the nodes stand in the public subnet, as in the papers */
  readonly inPublicSubnet?: boolean;
  /** SASWORK and UTILLOC on the instance store of the hosts */
  readonly scratch?: ScratchConfig;
  /** the domain of the names of control server and nodes (sas-grid.internal, or the name of hostedZone) */
  readonly domainName?: string;
  /**
   * publish them in this zone, which exists, is of this account and is visible in the VPC; without it, in a private
   * zone of its own
   */
  readonly hostedZone?: HostedZoneConfig;
  /** whether the nodes refuse to be terminated; to delete the grid, deploy with false first */
  readonly terminationProtection?: boolean;
  /** MB/s that each physical core of the nodes wants from the shared file system; the papers ask for 50 to 75 */
  readonly sharedMBpsPerCore?: number;
  /** MB/s that each physical core of the nodes wants from SASWORK and UTILLOC together; the papers ask for 100 */
  readonly temporaryMBpsPerCore?: number;
  /** whether a storage that is slower than what is wanted is an error and not a warning */
  readonly failOnShortfall?: boolean;
  /**
   * hours for which a work directory of an ended SAS session has to be untouched before it is removed from the scratch
   * (72); 0 removes none
   */
  readonly cleanUpScratchAfterHours?: number;
}
