import { Token } from 'aws-cdk-lib';
import { CfnSubnet, type ISubnet } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { invalid, isConcrete } from './validation';

/**
 * The zone of the subnet. One that is not named is the account's first one at the time of a deployment, which can
 * change; the subnet stays where it was made, and so its own attribute is asked.
 */
export function zoneOf(subnet: ISubnet): string {
  const zone = namedZone(subnet, 'subnet', subnet);
  const resource = subnet.node.defaultChild;
  return Token.isUnresolved(zone) && resource instanceof CfnSubnet ? resource.attrAvailabilityZone : zone;
}

/**
 * The zone as it was named.
 *
 * @throws when the subnet was imported without it
 */
export function namedZone(scope: IConstruct, what: string, subnet: ISubnet): string {
  try {
    return subnet.availabilityZone;
  } catch {
    const fix = 'Import it with Subnet.fromSubnetAttributes, with its availabilityZone.';
    throw invalid(scope, what, subnet.subnetId, 'a subnet whose Availability Zone is known', fix);
  }
}

/** Rejects a subnet in another zone than that of the network. */
export function requireZone(scope: IConstruct, what: string, subnet: ISubnet, zone: string): void {
  const other = namedZone(scope, what, subnet);
  if (!isConcrete(other) || !isConcrete(zone) || other === zone) return;
  const fix = 'A cluster placement group and EBS volumes live in one zone: name a subnet of that one.';
  throw invalid(scope, what, `a subnet in ${other}`, `a subnet in ${zone}, the zone of the network`, fix);
}

/** Rejects a subnet in the zone of the network. */
export function requireOtherZone(scope: IConstruct, what: string, subnet: ISubnet, zone: string): void {
  if (!isConcrete(zone) || namedZone(scope, what, subnet) !== zone) return;
  const fix = 'What stands by in the same zone fails with it: name a subnet of another one.';
  throw invalid(scope, what, `a subnet in ${zone}`, 'a subnet in another zone than that of the network', fix);
}
