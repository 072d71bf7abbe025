import { aws_ec2 as ec2, Stage } from 'aws-cdk-lib';
import { Construct, DependencyGroup, type IConstruct, type IDependable } from 'constructs';
import { requireSameRegion } from '../private/imported';
import { checkArguments } from '../private/inputs/check';
import { acknowledgeNames } from '../private/named-on-purpose';
import { invalid, isConcrete, requireInstanceType, requireKnownInteger } from '../private/validation';
import { placementGroupSupport, typesWithInstanceStore } from '../sizing';
import { AddressReservations } from './address-reservations';
import {
  checkAccess,
  checkAvailabilityZone,
  checkExisting,
  checkNatInstanceType,
  checkNoNewNetwork,
} from './checks';
import type { Range } from './cidr';
import { Endpoints } from './endpoints';
import type { IGridNetwork } from './interface';
import { existingNetwork, newNetwork } from './network-parts';
import type { GridNetworkProps } from './props';
import { securityGroups } from './security-groups';
import { type StorageAddresses, storageAddresses } from './storage-addresses';

/**
 * The network of a SAS grid (SAS/Intel paper 001): one VPC, a public and a private subnet in one Availability Zone, one
 * cluster placement group, and the papers' four security groups. Nothing is open to the world.
 */
export class GridNetwork extends Construct implements IGridNetwork {
  /** The VPC. Its subnets are those below. */
  public readonly vpc: ec2.IVpc;

  /** The public subnet; none when an existing network names none. */
  public readonly publicSubnets: ec2.ISubnet[];

  /** The private subnet. */
  public readonly privateSubnets: ec2.ISubnet[];

  /** The one zone of everything. */
  public readonly availabilityZone: string;

  /** The cluster placement group. Ask `placementGroupFor`, which checks the type. */
  public readonly placementGroup: ec2.IPlacementGroup;

  /** Control server and grid nodes: everything among themselves, Lustre to and from storage, web out. */
  public readonly gridSecurityGroup: ec2.ISecurityGroup;

  /** Storage servers: everything among themselves, Lustre to and from the grid, web out. */
  public readonly storageSecurityGroup: ec2.ISecurityGroup;

  /** Load balancers: web from `webAccessFrom`. What they may call is added where they are made. */
  public readonly loadBalancerSecurityGroup: ec2.ISecurityGroup;

  /** The NAT instance: ports 80 and 443 from the private subnet. Only with `NatKind.INSTANCE`. */
  public readonly natSecurityGroup?: ec2.ISecurityGroup;

  /**
   * Done when the addresses of storage servers are reserved. Whatever takes an address of the private subnet without
   * naming it (instances, endpoints, load balancers) depends on this, so that it never takes one of theirs.
   */
  public readonly addressesReserved: IDependable;

  private readonly storageAddresses?: StorageAddresses;

  private readonly storagePlacementGroup: ec2.IPlacementGroup;
  private readonly endpoints: Endpoints;
  private readonly taken = new Map<string, string>();

  /**
   * @throws when a range is malformed, outside the VPC or overlapping, when two Availability Zones are asked for, or
   * when something would be open to the world
   */
  public constructor(scope: Construct, id: string, props: GridNetworkProps = {}) {
    ({ props } = checkArguments('GridNetwork', { scope, id, props }));
    super(scope, id);
    acknowledgeNames(this);
    checkAvailabilityZone(this, props);
    checkExisting(this, props);
    checkNoNewNetwork(this, props);
    checkNatInstanceType(this, props);
    const access = {
      web: checkAccess(this, 'webAccessFrom', props.webAccessFrom),
      ssh: checkAccess(this, 'sshAccessFrom', props.sshAccessFrom),
    };

    const network = props.existing ? existingNetwork(this, props.existing) : newNetwork(this, props);
    this.vpc = network.vpc;
    this.publicSubnets = network.publicSubnets;
    this.privateSubnets = network.privateSubnets;
    this.availabilityZone = network.availabilityZone;
    this.natSecurityGroup = network.natSecurityGroup;
    const { storageRanges, endpointPeers } = network;

    const one = props.existing?.securityGroup;
    const groups = one
      ? { grid: one, storage: one, loadBalancer: one }
      : securityGroups(this, this.vpc, access);
    this.gridSecurityGroup = groups.grid;
    this.storageSecurityGroup = groups.storage;
    this.loadBalancerSecurityGroup = groups.loadBalancer;
    requireSameRegion(this, 'placementGroup', props.placementGroup);
    this.placementGroup =
      props.placementGroup ??
      new ec2.PlacementGroup(this, 'PlacementGroup', { strategy: ec2.PlacementGroupStrategy.CLUSTER });
    this.storagePlacementGroup = props.separatePlacementGroups
      ? new ec2.PlacementGroup(this, 'StoragePlacementGroup', {
          strategy: ec2.PlacementGroupStrategy.CLUSTER,
        })
      : this.placementGroup;
    this.addressesReserved = this.reserve(storageRanges);
    const addresses = storageAddresses(this, storageRanges, props.storageAddressBlocks);
    if (addresses) this.node.addValidation({ validate: () => addresses.problems() });
    this.storageAddresses = addresses;
    const peers = endpointPeers.length > 0 ? endpointPeers : [...new Set([groups.grid, groups.storage])];
    this.endpoints = new Endpoints(this, props, peers);
  }

  /**
   * Fixed private addresses for the interfaces of storage servers. EC2 never gives them to anything else: they are from
   * a reserved part of the private subnet. An address belongs to a name. One owner alone gets the first ones, part by
   * part in the order of the calls, each part from a multiple of eight, so that it may grow within that without moving
   * the ones after it. With a second owner synthesis asks for `storageAddressBlocks`, whatever the order of the code.
   *
   * @param owner whose they are: a name that stays, such as the path of a construct
   * @param count how many, 1 or more
   * @param part the part of the owner that they are for, such as a tier; none when the owner has only one
   * @returns undefined in an existing network without `storageAddressRanges`, or when the range of the private subnet
   * is a token: then EC2 picks the addresses, and an interface keeps its address for as long as it exists
   * @throws when there are not so many left, or when this part of the owner has addresses already
   */
  public reserveAddresses(owner: string, count: number, part?: string): string[] | undefined {
    ({ owner, count, part } = checkArguments('GridNetwork#reserveAddresses', { owner, count, part }, this));
    requireKnownInteger(
      this,
      `Number of addresses for ${owner}`,
      count,
      1,
      65_536,
      'Ask for one per server.',
    );
    // The same code in two stages gives the same names.
    const stage = `${Stage.of(this)?.node.path}/`;
    const name = owner.startsWith(stage) ? owner.slice(stage.length) : owner;
    const addresses = this.storageAddresses?.reserve(name, count, part);
    if (addresses) this.take(part === undefined ? owner : `${owner}/${part}`, this, addresses);
    return addresses;
  }

  /**
   * Notes the addresses that are named for storage servers: no two hosts of the network may have one.
   *
   * @internal
   */
  _nameStorageAddresses(owner: IConstruct, addresses: readonly string[] = [], part?: string): void {
    this.take([owner.node.path, part].filter(Boolean).join('/'), owner, addresses);
  }

  /**
   * Notes the addresses that are named for other hosts, which may have those that are reserved only when
   * `storageAddressBlocks` gives them to these hosts.
   *
   * @internal
   */
  _nameHostAddresses(owner: IConstruct, addresses: readonly string[] = []): void {
    this.storageAddresses?.refuseReserved(owner, addresses);
    this.take(owner.node.path, owner, addresses);
  }

  private take(owner: string, scope: IConstruct, addresses: readonly string[]): void {
    for (const address of addresses.filter(isConcrete)) {
      const other = this.taken.get(address);
      if (other !== undefined && other !== owner) {
        const fix = `${other} has it: name another one, or leave addresses out.`;
        throw invalid(scope, 'addresses', address, 'an address that no other host of the network has', fix);
      }
      this.taken.set(address, owner);
    }
  }

  /**
   * The placement group, for one instance type.
   *
   * @param instanceType the type that is to be launched into it
   * @param declaredSupport whether AWS accepts the type in a cluster placement group, for types that this library does
   * not know yet
   * @throws when the type is not accepted in cluster placement groups, or not known and nothing is declared
   */
  public placementGroupFor(instanceType: ec2.InstanceType, declaredSupport?: boolean): ec2.IPlacementGroup {
    ({ instanceType, declaredSupport } = checkArguments(
      'GridNetwork#placementGroupFor',
      { instanceType, declaredSupport },
      this,
    ));
    const name = instanceType.toString();
    requireInstanceType(this, 'Instance type in the cluster placement group', instanceType);
    const supported = declaredSupport ?? placementGroupSupport(name);
    if (supported) return this.placementGroup;
    const unknown = supported === undefined;
    throw invalid(
      this,
      'Instance type in the cluster placement group',
      name,
      unknown ? 'a type in the table of this library' : 'no burstable and no M3 type',
      unknown
        ? 'When the AWS user guide ("Placement groups") lists it as supported, declare that it is.'
        : `Use a type such as ${typesWithInstanceStore(name, 2).join(' or ')}, or m7i, r7i and ` +
            'c7i of the size you need.',
    );
  }

  /**
   * The placement group of storage servers, for one instance type.
   *
   * @throws as `placementGroupFor` does
   * @internal
   */
  _storagePlacementGroupFor(instanceType: ec2.InstanceType, declaredSupport?: boolean): ec2.IPlacementGroup {
    this.placementGroupFor(instanceType, declaredSupport);
    return this.storagePlacementGroup;
  }

  private reserve(ranges: readonly Range[]): IDependable {
    const group = new DependencyGroup();
    if (ranges.length > 0)
      new AddressReservations(this, 'AddressReservations', this.privateSubnets[0]!, ranges, group);
    return group;
  }

  /**
   * Sees to it that hosts in the private subnet reach these services.
   *
   * @throws when they cannot, and endpoints are turned off
   * @internal
   */
  public _requireServices(caller: IConstruct, services: readonly ec2.InterfaceVpcEndpointAwsService[]): void {
    this.endpoints.require(caller, services);
  }
}
