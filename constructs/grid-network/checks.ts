import { Annotations, Stack } from 'aws-cdk-lib';
import type { ISubnet } from 'aws-cdk-lib/aws-ec2';
import type { Construct, IConstruct } from 'constructs';
import { requireSameRegion } from '../private/imported';
import { requireInVpc, tellOtherVpc } from '../private/in-network';
import { namedZone } from '../private/subnet-zone';
import { invalid, isConcrete, requireInstanceType, requireKnownList } from '../private/validation';
import { VPC_PREFIX_LENGTHS } from '../sizing';
import {
  contains,
  formatCidr,
  isPrivate,
  middleHalf,
  overlaps,
  parseCidr,
  prefixLength,
  type Range,
} from './cidr';
import type { ExistingNetwork, GridNetworkProps } from './props';

/** The ranges of a new network, checked. Those given as tokens are undefined. */
export interface Ranges {
  readonly vpc?: Range;
  readonly publicSubnet?: Range;
  readonly privateSubnet?: Range;
}

// A subnet this wide or wider is most of the internet, whatever its first address is.
export const WIDEST_ACCESS_PREFIX = 8;

function readRange(scope: IConstruct, what: string, value: string): Range | undefined {
  if (!isConcrete(value)) return undefined;
  const range = parseCidr(value);
  const { shortest, longest } = VPC_PREFIX_LENGTHS;
  if (!range || prefixLength(range) < shortest || prefixLength(range) > longest) {
    throw invalid(
      scope,
      what,
      value,
      `an IPv4 range from /${shortest} to /${longest} that starts at its first address, such as 172.16.4.0/24`,
      'Correct the range.',
    );
  }
  return range;
}

/** Checks the ranges of a new network against each other. */
export function checkRanges(
  scope: Construct,
  cidrs: { readonly vpc: string; readonly publicSubnet: string; readonly privateSubnet: string },
): Ranges {
  const vpc = readRange(scope, 'vpcCidr', cidrs.vpc);
  const publicSubnet = readRange(scope, 'publicSubnetCidr', cidrs.publicSubnet);
  const privateSubnet = readRange(scope, 'privateSubnetCidr', cidrs.privateSubnet);
  for (const [what, range, text] of [
    ['publicSubnetCidr', publicSubnet, cidrs.publicSubnet],
    ['privateSubnetCidr', privateSubnet, cidrs.privateSubnet],
  ] as const) {
    if (vpc && range && !contains(vpc, range)) {
      throw invalid(
        scope,
        what,
        text,
        `a range inside vpcCidr ${cidrs.vpc}`,
        'Move the subnet or widen the VPC.',
      );
    }
  }
  if (publicSubnet && privateSubnet && overlaps(publicSubnet, privateSubnet)) {
    throw invalid(
      scope,
      'privateSubnetCidr',
      cidrs.privateSubnet,
      `a range that shares no address with publicSubnetCidr ${cidrs.publicSubnet}`,
      'Move one of the two subnets.',
    );
  }
  if (vpc && !isPrivate(vpc)) {
    Annotations.of(scope).addWarningV2(
      'cdk-sas-grid:publicVpcRange',
      `vpcCidr ${cidrs.vpc} is not a private range (RFC 1918): hosts in the VPC cannot reach the real owners of ` +
        'these addresses.',
    );
  }
  return { vpc, publicSubnet, privateSubnet };
}

/** Checks a list of ranges that are to be let in. */
export function checkAccess(scope: IConstruct, what: string, ranges: string[] = []): readonly string[] {
  requireKnownList(scope, what, ranges);
  for (const text of ranges) {
    if (!isConcrete(text)) continue;
    const range = text === '0.0.0.0/0' || text === '::/0' ? undefined : parseCidr(text);
    if (range && prefixLength(range) >= WIDEST_ACCESS_PREFIX) continue;
    throw invalid(
      scope,
      what,
      text,
      `an IPv4 range from /${WIDEST_ACCESS_PREFIX} to /32 that starts at its first address, such as 203.0.113.0/24`,
      'Nothing here may be open to the world: name the range of your company, or use Session Manager and a VPN.',
    );
  }
  return ranges;
}

/** Checks the Availability Zone. */
export function checkAvailabilityZone(
  scope: IConstruct,
  { availabilityZone: zone, existing }: GridNetworkProps,
): void {
  if (zone === undefined && !existing) {
    Annotations.of(scope).addWarningV2(
      'cdk-sas-grid:zoneNotNamed',
      'availabilityZone is not named: the network is in whichever zone is the first of the account when it is ' +
        'deployed. If that changes, a later deployment wants to replace the subnets with all that is in them. ' +
        'Name the zone, for example us-east-1a, before you deploy to an account.',
    );
  }
  if (!isConcrete(zone)) return;
  if (!/^[a-z]{2}(-[a-z0-9]+)+[a-z]$/.test(zone!)) {
    throw invalid(
      scope,
      'availabilityZone',
      zone,
      'the name of one Availability Zone, such as us-east-1a',
      'A cluster placement group and EBS volumes live in one zone: a second one would only add latency and leave a ' +
        'replaced server without its volumes.',
    );
  }
  checkOfRegion(scope, 'availabilityZone', zone!);
}

/**
 * Rejects a zone of another region than the stack's, as far as both are known: a letter, or a local zone's name,
 * follows the region's.
 */
function checkOfRegion(scope: IConstruct, what: string, zone: string): void {
  const { region } = Stack.of(scope);
  if (!isConcrete(region)) return;
  const rest = zone.startsWith(region) ? zone.slice(region.length) : undefined;
  if (rest !== undefined && /^([a-z]|-.+)$/.test(rest)) return;
  const fix = `Name a zone of ${region}, or deploy the stack to the region of the zone.`;
  throw invalid(scope, what, zone, `a zone of the stack's region ${region}, such as ${region}a`, fix);
}

/** Checks that existing subnets are there and in one zone. */
export function checkExisting(scope: IConstruct, { existing }: GridNetworkProps): void {
  if (!existing) return;
  requireSameRegion(scope, 'existing.vpc', existing.vpc);
  requireKnownList(scope, 'existing.storageAddressRanges', existing.storageAddressRanges);
  if (existing.privateSubnets.length === 0) {
    throw invalid(scope, 'existing.privateSubnets', [], 'one subnet', 'Name the subnet of the servers.');
  }
  const subnets = [...existing.privateSubnets, ...(existing.publicSubnets ?? [])];
  const zones = [
    ...new Set(subnets.map((subnet) => namedZone(scope, 'A subnet of existing', subnet)).filter(isConcrete)),
  ];
  for (const subnet of subnets) requireInVpc(scope, 'A subnet of existing', subnet, existing.vpc);
  tellOtherVpc(scope, 'existing.securityGroup', existing.securityGroup, existing.vpc);
  for (const zone of zones) checkOfRegion(scope, 'Availability Zone of existing subnets', zone);
  if (zones.length > 1) {
    throw invalid(
      scope,
      'Availability Zones of existing subnets',
      zones.join(', '),
      'one zone',
      'A cluster placement group and EBS volumes live in one zone: leave out the subnets of the others.',
    );
  }
}

/** Rejects properties that say how to make a network when one exists. */
export function checkNoNewNetwork(scope: IConstruct, props: GridNetworkProps): void {
  if (!props.existing) return;
  if (props.existing.securityGroup) {
    for (const key of ['webAccessFrom', 'sshAccessFrom'] as const) {
      if (!props[key]?.length) continue;
      const fix = 'Who may connect is decided by that group: add the rule there.';
      throw invalid(scope, key, props[key], 'not set together with existing.securityGroup', fix);
    }
  }
  const given = (
    [
      'vpcCidr',
      'publicSubnetCidr',
      'privateSubnetCidr',
      'availabilityZone',
      'nat',
      'natInstanceType',
      'natLaunchTemplateName',
      'natMachineImage',
      'flowLogs',
      'flowLogRetention',
      'encryptionKey',
    ] as const
  ).filter((key) => props[key] !== undefined);
  if (given.length > 0) {
    throw invalid(
      scope,
      given.join(', '),
      given.map((key) => String(props[key])).join(', '),
      'not set together with existing',
      'Leave it out: an existing network is used as it is.',
    );
  }
}

/** The ranges of an existing subnet that are reserved for storage. */
export function existingStorageRanges(
  scope: IConstruct,
  { storageAddressRanges, privateSubnets }: ExistingNetwork,
): Range[] {
  const subnet = knownRange(privateSubnets[0]!);
  const ranges: Range[] = [];
  for (const text of storageAddressRanges ?? []) {
    const range = isConcrete(text) ? parseCidr(text) : undefined;
    // No subnet is wider than the widest VPC.
    if (
      !range ||
      prefixLength(range) < VPC_PREFIX_LENGTHS.shortest ||
      (subnet && !contains(subnet, range)) ||
      ranges.some((other) => overlaps(other, range))
    ) {
      throw invalid(
        scope,
        'existing.storageAddressRanges',
        text,
        `an IPv4 range inside the private subnet${subnet ? ` ${formatCidr(subnet)}` : ''} that starts at its first ` +
          'address and overlaps none of the others, such as 10.0.1.64/26',
        'Correct the range; it has to be known at synthesis.',
      );
    }
    ranges.push(range);
  }
  return ranges;
}

function knownRange(subnet: ISubnet): Range | undefined {
  try {
    return isConcrete(subnet.ipv4CidrBlock) ? parseCidr(subnet.ipv4CidrBlock) : undefined;
  } catch {
    // An imported subnet throws when its range was not given.
    return undefined;
  }
}

/** The ranges of a new private subnet that are reserved for storage. */
export function newStorageRanges(privateSubnet: Range | undefined): Range[] {
  return privateSubnet ? middleHalf(privateSubnet) : [];
}

/** Checks the type of the NAT instance, whose architecture decides the image. */
export function checkNatInstanceType(scope: IConstruct, { natInstanceType: type }: GridNetworkProps): void {
  if (type === undefined) return;
  requireInstanceType(scope, 'natInstanceType', type);
  if (isConcrete(type.toString())) return;
  const fix = 'Spell the type out: its architecture decides the image of the instance.';
  throw invalid(scope, 'natInstanceType', 'a token', 'a type known at synthesis, such as t4g.small', fix);
}
