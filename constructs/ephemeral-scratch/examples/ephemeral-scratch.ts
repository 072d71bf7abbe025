import { App, aws_ec2 as ec2, Stack } from 'aws-cdk-lib';
import { EphemeralScratch, HostBundle } from '../../index';

const stack = new Stack(new App(), 'Grid');

const instanceType = new ec2.InstanceType('i3en.24xlarge');
const scratch = new EphemeralScratch(stack, 'Scratch', { instanceType });

const bundle = new HostBundle();
scratch.configure(bundle);

const vpc = new ec2.Vpc(stack, 'Vpc');
new ec2.Instance(stack, 'Node', {
  vpc,
  instanceType,
  machineImage: ec2.MachineImage.latestAmazonLinux2023(),
  userData: bundle.userData(),
  blockDevices: scratch.blockDevices,
  requireImdsv2: true,
});
console.log(`${scratch.sasworkCapacityGB} GB of SASWORK, ${scratch.utillocCapacityGB} GB of UTILLOC`);
