import type { aws_ec2 as ec2 } from 'aws-cdk-lib';
import type { IConstruct, IDependable } from 'constructs';

/** The network of a SAS grid: what makes hosts in it takes this type. `GridNetwork` is one. */
export interface IGridNetwork extends IConstruct {
  /** The VPC. Its subnets are those below. */
  readonly vpc: ec2.IVpc;

  /** The public subnet; none when an existing network names none. */
  readonly publicSubnets: ec2.ISubnet[];

  /** The private subnet. */
  readonly privateSubnets: ec2.ISubnet[];

  /** The one zone of everything. */
  readonly availabilityZone: string;

  /** The cluster placement group. Ask `placementGroupFor`, which checks the type. */
  readonly placementGroup: ec2.IPlacementGroup;

  /** Control server and grid nodes: everything among themselves, Lustre to and from storage, web out. */
  readonly gridSecurityGroup: ec2.ISecurityGroup;

  /** Storage servers: everything among themselves, Lustre to and from the grid, web out. */
  readonly storageSecurityGroup: ec2.ISecurityGroup;

  /** Load balancers: web from where it is allowed. What they may call is added where they are made. */
  readonly loadBalancerSecurityGroup: ec2.ISecurityGroup;

  /**
   * The NAT instance: ports 80 and 443 from the private subnet.
   *
   * @default - there is no NAT instance
   */
  readonly natSecurityGroup?: ec2.ISecurityGroup;

  /**
   * Done when the addresses of storage servers are reserved. Whatever takes an address of the private subnet without
   * naming it (instances, endpoints, load balancers) depends on this, so that it never takes one of theirs.
   */
  readonly addressesReserved: IDependable;

  /**
   * Fixed private addresses for the interfaces of storage servers, which EC2 never gives to anything else.
   *
   * @param owner whose they are: a name that stays, such as the path of a construct
   * @param count how many, 1 or more
   * @param part the part of the owner that they are for, such as a tier; none when the owner has only one
   * @returns undefined where nothing is reserved: then EC2 picks the addresses
   * @throws when there are not so many left, or when this part of the owner has addresses already
   */
  reserveAddresses(owner: string, count: number, part?: string): string[] | undefined;

  /**
   * The placement group, for one instance type.
   *
   * @param instanceType the type that is to be launched into it
   * @param declaredSupport whether AWS accepts the type in a cluster placement group, for types that this library does
   * not know yet
   * @throws when the type is not accepted in cluster placement groups, or not known and nothing is declared
   */
  placementGroupFor(instanceType: ec2.InstanceType, declaredSupport?: boolean): ec2.IPlacementGroup;

  /** @internal */
  _nameStorageAddresses(owner: IConstruct, addresses?: readonly string[], part?: string): void;

  /** @internal */
  _nameHostAddresses(owner: IConstruct, addresses?: readonly string[]): void;

  /** @internal */
  _storagePlacementGroupFor(instanceType: ec2.InstanceType, declaredSupport?: boolean): ec2.IPlacementGroup;

  /** @internal */
  _requireServices(caller: IConstruct, services: readonly ec2.InterfaceVpcEndpointAwsService[]): void;
}
