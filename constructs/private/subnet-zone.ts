import { Token } from 'aws-cdk-lib';
import { CfnSubnet, type ISubnet } from 'aws-cdk-lib/aws-ec2';

/**
 * The zone of the subnet. One that is not named is the account's first one at the time of a deployment, which can change; the subnet
 * stays where it was made, and so its own attribute is asked.
 */
export function zoneOf(subnet: ISubnet): string {
  const resource = subnet.node.defaultChild;
  const ours = Token.isUnresolved(subnet.availabilityZone) && resource instanceof CfnSubnet;
  return ours ? resource.attrAvailabilityZone : subnet.availabilityZone;
}
