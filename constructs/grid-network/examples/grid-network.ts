import { App, CfnOutput, aws_ec2 as ec2, Stack } from 'aws-cdk-lib';
import { GridNetwork } from '../../index';

const stack = new Stack(new App(), 'Network');

// The papers' ranges, one Availability Zone, nothing open to the world.
const network = new GridNetwork(stack, 'Network', {
  webAccessFrom: ['203.0.113.0/24'],
});

// A host of your own, next to the grid.
const instanceType = new ec2.InstanceType('m7i.2xlarge');
const host = new ec2.Instance(stack, 'Host', {
  vpc: network.vpc,
  vpcSubnets: { subnets: network.privateSubnets },
  securityGroup: network.gridSecurityGroup,
  instanceType,
  machineImage: ec2.MachineImage.latestAmazonLinux2023(),
  placementGroup: network.placementGroupFor(instanceType),
  requireImdsv2: true,
});
host.node.addDependency(network.addressesReserved);
new CfnOutput(stack, 'Address', { value: host.instancePrivateIp });
