import {
  Annotations,
  Aws,
  CfnCondition,
  type CfnParameter,
  CfnRule,
  aws_ec2 as ec2,
  Fn,
  type Stack,
} from 'aws-cdk-lib';
import { GridNetwork } from '../constructs';
import type { ExistingNetworkConfig } from './config-types';
import { addParameter, type MakeParameter, type TemplateParameter } from './template-parameters';

const GROUP = 'Where the server is put';

// 0 to 255, without zeros in front.
const OCTET = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';

/**
 * The network that exists, by parameters of the template. A value of the configuration is the only one that its
 * parameter allows: rules can look only at parameters, and CloudFormation refuses a value that changes.
 *
 * That the subnet is in the zone and in the VPC is asserted before anything is made.
 */
export function addExistingNetwork(
  stack: Stack,
  config: ExistingNetworkConfig,
  make: MakeParameter = addParameter,
): GridNetwork {
  const vpcId = parameter(make, stack, 'VpcId', config.vpcId, {
    type: 'AWS::EC2::VPC::Id',
    label: 'VPC',
    description:
      'The VPC, with DNS resolution and DNS host names turned on. The name of the server is published in it.',
  });
  const subnetId = parameter(make, stack, 'SubnetId', config.subnetId, {
    type: 'AWS::EC2::Subnet::Id',
    label: 'Subnet',
    description:
      'The subnet of the server. It needs a way to AWS Systems Manager and to packages: a NAT gateway, or ' +
      'endpoints. The server gets no public address.',
  });
  const zone = parameter(make, stack, 'AvailabilityZone', config.availabilityZone, {
    type: 'AWS::EC2::AvailabilityZone::Name',
    label: 'Availability Zone',
    description: 'The zone of that subnet: the volumes are made in it, and cannot be moved.',
  });
  const securityGroupId = parameter(make, stack, 'SecurityGroupId', config.securityGroupId, {
    type: 'AWS::EC2::SecurityGroup::Id',
    label: 'Security group',
    description:
      'The security group of the server, used as it is. It has to let in TCP 2049 from the clients, as the ' +
      'group of a cluster does whose members reach each other, and TCP 443 out.',
  });
  assertOfSubnet(stack, subnetId, 'AvailabilityZone', zone, 'AvailabilityZone is not the zone of SubnetId');
  assertOfSubnet(stack, subnetId, 'VpcId', vpcId, 'SubnetId is not in the VPC VpcId');

  const subnet = ec2.Subnet.fromSubnetAttributes(stack, 'Subnet', {
    subnetId: subnetId.valueAsString,
    availabilityZone: zone.valueAsString,
  });
  // Nothing here asks for the subnet's routes.
  Annotations.of(subnet).acknowledgeWarning('@aws-cdk/aws-ec2:noSubnetRouteTableId');
  return new GridNetwork(stack, 'Network', {
    existing: {
      vpc: ec2.Vpc.fromVpcAttributes(stack, 'Vpc', {
        vpcId: vpcId.valueAsString,
        availabilityZones: [zone.valueAsString],
      }),
      privateSubnets: [subnet],
      securityGroup: ec2.SecurityGroup.fromSecurityGroupId(
        stack,
        'SecurityGroup',
        securityGroupId.valueAsString,
        { mutable: false },
      ),
    },
    placementGroup: addPlacementGroup(make, stack, config.placementGroup),
  });
}

/** The range whose hosts may mount the export, where the configuration names none. */
export function addClientRange(stack: Stack, make: MakeParameter = addParameter): string {
  return make(stack, 'ClientRange', {
    type: 'String',
    group: GROUP,
    label: 'Range of the clients',
    description:
      'The IPv4 range whose hosts may mount the export, from /8 to /32, for example 10.0.0.0/16. A client tells ' +
      'who its users are: name no range whose hosts you do not trust.',
    allowedPattern: `(${OCTET}\\.){3}${OCTET}/([89]|[12]\\d|3[0-2])`,
    constraintDescription: 'has to be an IPv4 range from /8 to /32, such as 10.0.0.0/16.',
  }).valueAsString;
}

/** The clients' placement group, or none. */
function addPlacementGroup(make: MakeParameter, stack: Stack, name: string | undefined): ec2.IPlacementGroup {
  const given = parameter(make, stack, 'PlacementGroupName', name, {
    type: 'String',
    label: 'Placement group',
    description:
      "The name of the clients' cluster placement group, in the same zone, for the shortest way to them. Empty " +
      'for none: then more capacity is at hand.',
    default: name ?? '',
    maxLength: 255,
  });
  const condition = new CfnCondition(stack, 'InPlacementGroup', {
    expression: Fn.conditionNot(Fn.conditionEquals(given.valueAsString, '')),
  });
  const groupName = Fn.conditionIf(condition.logicalId, given.valueAsString, Aws.NO_VALUE).toString();
  return ec2.PlacementGroup.fromPlacementGroupName(stack, 'PlacementGroup', groupName);
}

function parameter(
  make: MakeParameter,
  stack: Stack,
  id: string,
  value: string | undefined,
  props: Omit<TemplateParameter, 'group'>,
): CfnParameter {
  const only = value === undefined ? {} : { default: value, allowedValues: [value] };
  return make(stack, id, { group: GROUP, ...props, ...only });
}

/**
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-rules.html
 */
function assertOfSubnet(
  stack: Stack,
  subnet: CfnParameter,
  attribute: string,
  expected: CfnParameter,
  assertDescription: string,
): void {
  const found = Fn.valueOf(subnet.logicalId, attribute);
  // Not Fn::Equals: cfn-lint and the CDK's validation take that for a condition's, which knows no Fn::ValueOf (E8003).
  const assert = Fn.conditionContains([expected.valueAsString], found);
  new CfnRule(stack, `${attribute}OfSubnet`, { assertions: [{ assert, assertDescription }] });
}
