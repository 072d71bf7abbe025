/** Where a fact or a table comes from, and when it was last compared with a public copy of it. */
export interface Source {
  /** What was read. */
  readonly title: string;
  /** Its address, or the paper's name. */
  readonly reference: string;
  /** Day of the comparison, yyyy-mm-dd. */
  readonly checked: string;
  /**
   * Day to look again, yyyy-mm-dd. Left out: half a year after `checked`, for prices a quarter, for papers never
   * (scripts/facts).
   */
  readonly review?: string;
  /** No public copy of it could be had: what is written is what is assumed. Left out: it was read there. */
  readonly unverified?: boolean;
}

/** Something about the outside that may be otherwise one day. `make facts` lists all of them. */
export interface Fact<T> {
  readonly value: T;
  /** What it is, after the value: `characters of a subject`. */
  readonly unit: string;
  readonly source: Source;
  /**
   * Files that need it and cannot import it, such as shell scripts. A test verifies that they say the same, and that
   * no other file has it written out.
   */
  readonly writtenIn?: readonly string[];
}

/** The disks that belong to an instance and are empty after every stop. */
export interface InstanceStore {
  /** Number of disks. */
  readonly disks: number;
  /** Size of each disk in GB (10^9 bytes). */
  readonly diskSizeGB: number;
  /** Kind of disk. NVMe disks are found by their model; the others only by their block device mapping. */
  readonly kind: DiskKind;
}

export type DiskKind = 'nvme-ssd' | 'ssd' | 'hdd';

/** Bandwidth in Mbps (10^6 bits per second). */
export interface Bandwidth {
  /** What is there all the time. */
  readonly baselineMbps: number;
  /** What is there for a while; equal to the baseline on types that do not burst. */
  readonly maximumMbps: number;
}

/**
 * How many things may be attached.
 * - `shared`: EBS volumes, network interfaces and NVMe instance-store disks share one limit.
 * - `dedicated`: the limit is for EBS volumes alone.
 * The root volume counts in both.
 */
export interface AttachmentLimit {
  readonly kind: 'shared' | 'dedicated';
  readonly limit: number;
}

/** What the sizing rules need to know about one EC2 instance type. */
export interface InstanceTypeFacts {
  readonly name: string;
  readonly family: string;
  readonly vcpus: number;
  /** Physical cores. On types with hyper-threads a vCPU is half a core; throughput is counted per core. */
  readonly cores: number;
  readonly memoryGiB: number;
  readonly architecture: 'x86_64' | 'arm64';
  readonly hypervisor: 'nitro' | 'xen' | 'none';
  /** Undefined: none. */
  readonly instanceStore?: InstanceStore;
  /** Undefined: no bandwidth of its own, EBS shares the network interface (c3.8xlarge, i2.8xlarge). */
  readonly ebs?: Bandwidth;
  /** Baseline network bandwidth in Mbps. Undefined: AWS gives no number for this type ('High', 'Moderate'). */
  readonly networkBaselineMbps?: number;
  readonly attachments: AttachmentLimit;
  /** Interfaces on the first network card. */
  readonly maxNetworkInterfaces: number;
  readonly clusterPlacementGroup: boolean;
  readonly burstable: boolean;
  readonly previousGeneration: boolean;
}

/** A rejected input, for the error that the construct throws. */
export interface Problem {
  readonly what: string;
  readonly value: unknown;
  readonly allowed: string;
  readonly fix: string;
}
