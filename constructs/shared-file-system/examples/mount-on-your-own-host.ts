import { App, Stack } from 'aws-cdk-lib';
import { Instance, InstanceType, MachineImage, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { GridNetwork, HostBundle, IntelLustre, MountTarget } from '../../index';

const app = new App();
const stack = new Stack(app, 'Storage', { env: { region: 'us-east-1' } });
const network = new GridNetwork(stack, 'Network');
const sasData = new IntelLustre(stack, 'SasData', {
  network,
  machineImage: MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' }),
});

// A host that is no grid node: a file transfer server, for example.
const hostBundle = new HostBundle();
const host = new Instance(stack, 'FileTransfer', {
  vpc: network.vpc,
  vpcSubnets: { subnets: [network.privateSubnets[0]!] },
  securityGroup: new SecurityGroup(stack, 'FileTransferGroup', { vpc: network.vpc }),
  instanceType: new InstanceType('m6in.large'),
  machineImage: MachineImage.latestAmazonLinux2023(),
  requireImdsv2: true,
  userData: hostBundle.userData(),
});

sasData.mountOn(new MountTarget({ host, hostBundle }), { mountPoint: '/sasdata', readOnly: true });
host.node.addDependency(sasData.served);
