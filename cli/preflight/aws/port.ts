/** What the checks ask of AWS. Each call ends within a bound, and throws `Unchecked` when it cannot be answered. */
export interface Aws {
  /** Zones of the region, by name. */
  zones(): Promise<string[]>;
  /** Which of these types is offered in which zones. */
  offerings(types: readonly string[]): Promise<Offering[]>;
  /** What is to be known of these types; those that the region lacks are left out. */
  instanceTypes(types: readonly string[]): Promise<TypeInfo[]>;
  quota(service: string, code: string): Promise<number>;
  /** What runs on demand in the region, and what is reserved for it and empty. */
  running(): Promise<Running[]>;
  volumes(): Promise<VolumeInUse[]>;
  addresses(): Promise<Tagged[]>;
  vpcs(): Promise<VpcInUse[]>;
  subnets(vpcId: string): Promise<SubnetInUse[]>;
  zonesOfSubnets(ids: readonly string[]): Promise<{ readonly id: string; readonly zone: string }[]>;
  /** The VPCs that these can reach by peering or a transit gateway, as far as the account sees them. */
  connected(vpcIds: readonly string[]): Promise<Connection[]>;
  /** The rules of a security group. */
  rules(groupId: string): Promise<{ readonly id: string; readonly outbound: boolean }[]>;
  /** The value of a parameter of Systems Manager; undefined when there is none. */
  parameter(name: string): Promise<string | undefined>;
  /** These images, as far as they exist and the account may use them. */
  images(ids: readonly string[]): Promise<ImageInfo[]>;
  endpointServices(services: readonly string[]): Promise<EndpointService[]>;
  /** The key that encrypts volumes which name none; undefined: AWS's own. */
  defaultKey(): Promise<string | undefined>;
  /** Undefined when there is no such key. */
  key(arn: string): Promise<KeyInfo | undefined>;
  /** Undefined when there is no such stack. */
  stack(name: string): Promise<StackInfo | undefined>;
  /** Whether something of this type has the name. */
  exists(type: string, name: string): Promise<boolean>;
}

export interface Offering {
  readonly type: string;
  readonly zone: string;
}

export interface TypeInfo {
  readonly type: string;
  readonly vcpus: number;
  readonly architectures: readonly string[];
  readonly virtualization: readonly string[];
  readonly bootModes: readonly string[];
  readonly enaRequired: boolean;
}

/** Something with tags. */
export interface Tagged {
  readonly tags: { readonly [key: string]: string };
}

export interface Running extends Tagged {
  readonly type: string;
  readonly vcpus: number;
}

export interface VolumeInUse extends Tagged {
  readonly type: string;
  readonly sizeGiB: number;
  readonly iops: number;
}

export interface VpcInUse extends Tagged {
  readonly id: string;
  readonly cidrs: readonly string[];
}

export interface SubnetInUse extends Tagged {
  readonly id: string;
  readonly cidr: string;
}

export interface Connection {
  /** What connects: `pcx-...` or `tgw-...`. */
  readonly by: string;
  readonly vpcId: string;
  readonly cidrs: readonly string[];
}

export interface ImageInfo {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly state: string;
  readonly architecture: string;
  readonly virtualization: string;
  readonly bootMode?: string;
  readonly ena: boolean;
  readonly rootDevice?: string;
  /** Of the snapshot of the root device. */
  readonly rootGiB?: number;
  readonly deprecated?: string;
}

export interface EndpointService {
  readonly service: string;
  readonly zones: readonly string[];
}

export interface KeyInfo {
  readonly state: string;
  readonly managedBy: string;
  readonly symmetric: boolean;
  readonly policy: unknown;
  /** Who was granted which operations. */
  readonly grants: readonly { readonly grantee: string; readonly operations: readonly string[] }[];
}

export interface StackInfo {
  readonly status: string;
  /** What it has, by its physical ids. */
  readonly physicalIds: readonly string[];
}
