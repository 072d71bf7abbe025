import { Token } from 'aws-cdk-lib';
import { CfnSubnet, type ISubnet } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { invalid, isConcrete } from './validation';

/**
 * The zone of the subnet. One that is not named is the account's first one at the time of a deployment, which can change; the subnet
 * stays where it was made, and so its own attribute is asked.
 */
export function zoneOf(subnet: ISubnet): string {
  const resource = subnet.node.defaultChild;
  const ours = Token.isUnresolved(subnet.availabilityZone) && resource instanceof CfnSubnet;
  return ours ? resource.attrAvailabilityZone : subnet.availabilityZone;
}

/** Rejects a subnet in another zone than that of the network. */
export function requireZone(scope: IConstruct, what: string, subnet: ISubnet, zone: string): void {
  const other = subnet.availabilityZone;
  if (!isConcrete(other) || !isConcrete(zone) || other === zone) return;
  const fix = 'A cluster placement group and EBS volumes live in one zone: name a subnet of that one.';
  throw invalid(scope, what, `a subnet in ${other}`, `a subnet in ${zone}, the zone of the network`, fix);
}

/** Rejects a subnet in the zone of the network. */
export function requireOtherZone(scope: IConstruct, what: string, subnet: ISubnet, zone: string): void {
  if (!isConcrete(zone) || subnet.availabilityZone !== zone) return;
  const fix = 'What stands by in the same zone fails with it: name a subnet of another one.';
  throw invalid(scope, what, `a subnet in ${zone}`, 'a subnet in another zone than that of the network', fix);
}
