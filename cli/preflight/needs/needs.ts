import type { Bootstrap } from '../assembly';
import type { Place } from '../intrinsics';

/** What the templates of a deployment need of the account. */
export interface Needs {
  readonly place: Place;
  readonly stacks: readonly string[];
  readonly bootstrap?: Bootstrap;
  readonly hosts: readonly Hosts[];
  readonly volumes: readonly Volumes[];
  readonly addresses: number;
  readonly vpcs: readonly Vpc[];
  readonly subnets: readonly Subnet[];
  readonly groups: readonly Rules[];
  readonly endpoints: readonly Endpoint[];
  readonly keys: readonly UsedKey[];
  readonly names: readonly Named[];
  /** Managed file systems, for the bill. */
  readonly fileSystems: readonly FileSystem[];
}

/** Hosts of the same kind. */
export interface Hosts {
  /** Who makes them: the stack and the logical id. */
  readonly by: string;
  readonly count: number;
  /** Undefined: known at deployment. */
  readonly type?: string;
  readonly image: Image;
  readonly zone: Zone;
  /** Whether Auto Scaling launches them. */
  readonly grouped: boolean;
  readonly rootDevices: readonly RootDevice[];
}

/** An image by its id, or by the parameter of Systems Manager that has the id. */
export interface Image {
  readonly id?: string;
  readonly parameter?: string;
  /** What the stack asks for at deployment, in its words. */
  readonly asked?: string;
}

/** A zone by its name, or by a subnet that exists. */
export interface Zone {
  readonly name?: string;
  readonly subnet?: string;
}

export interface RootDevice {
  readonly device: string;
  readonly sizeGiB?: number;
}

/** Volumes of the same kind. */
export interface Volumes {
  readonly count: number;
  readonly type: string;
  readonly sizeGiB?: number;
  readonly iops?: number;
  readonly throughputMiBps?: number;
  /** Whether it goes with the host whose system is on it. */
  readonly system: boolean;
}

export interface Vpc {
  readonly by: string;
  readonly cidr?: string;
}

/** A subnet that is made. */
export interface Subnet {
  readonly by: string;
  readonly cidr?: string;
  /** The VPC, where that exists already. */
  readonly vpcId?: string;
}

/** The rules of a security group. */
export interface Rules {
  readonly by: string;
  readonly inbound: number;
  readonly outbound: number;
  /** The group, where that exists already. */
  readonly groupId?: string;
  /** Whether a rule names a prefix list, which counts as many rules. */
  readonly prefixLists: boolean;
}

export interface Endpoint {
  readonly by: string;
  readonly service: string;
  readonly zones: readonly Zone[];
  readonly gateway: boolean;
}

/** A key that exists already. */
export interface UsedKey {
  readonly arn: string;
  /** Whether Auto Scaling launches hosts whose volumes it encrypts. */
  readonly forGroups: boolean;
}

/** A resource with a name that the template gives. */
export interface Named {
  readonly stack: string;
  readonly by: string;
  readonly type: string;
  readonly name: string;
}

export interface FileSystem {
  readonly kind: string;
  readonly capacityGiB?: number;
  readonly mbpsPerTiB?: number;
  readonly throughputMBps?: number;
  readonly metadataIops?: number;
}
