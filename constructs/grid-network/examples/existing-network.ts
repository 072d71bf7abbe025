import { App, aws_ec2 as ec2, Stack } from 'aws-cdk-lib';
import { GridNetwork } from '../../index';

const stack = new Stack(new App(), 'Network');

const vpc = ec2.Vpc.fromVpcAttributes(stack, 'CompanyVpc', {
  vpcId: 'vpc-0123456789abcdef0',
  availabilityZones: ['eu-west-1a'],
  privateSubnetIds: ['subnet-0123456789abcdef0'],
});

// Only the placement group and the security groups are made.
new GridNetwork(stack, 'Network', {
  existing: {
    vpc,
    privateSubnets: vpc.privateSubnets,
    storageAddressRanges: ['10.20.30.64/26'],
  },
});
