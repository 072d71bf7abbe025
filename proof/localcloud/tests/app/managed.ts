import { App, DefaultStackSynthesizer, Size, Stack } from 'aws-cdk-lib';
import { Instance, InstanceType, MachineImage, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import {
  EfsSharedFileSystem,
  FsxLustre,
  FsxLustreStorage,
  FsxOntap,
  FsxOpenZfs,
  GridNetwork,
  HostBundle,
  type ISharedFileSystem,
  LustreSoftware,
  MountTarget,
} from '../../../../constructs';

// A client for each file system that AWS runs, in a stack that needs no bootstrapped account.
const app = new App();
const stack = new Stack(app, 'Managed', {
  env: { account: '000000000000', region: 'us-east-1' },
  synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }),
});
const network = new GridNetwork(stack, 'Network', { availabilityZone: 'us-east-1a' });

const fileSystems: { [name: string]: ISharedFileSystem } = {
  lustre: new FsxLustre(stack, 'Lustre', {
    network,
    storage: FsxLustreStorage.ssd({ capacity: Size.gibibytes(1200), throughputPerTiB: 125 }),
    client: { software: LustreSoftware.distribution() },
  }),
  openzfs: new FsxOpenZfs(stack, 'OpenZfs', { network, capacity: Size.tebibytes(1), throughputMBps: 2560 }),
  ontap: new FsxOntap(stack, 'Ontap', { network, capacity: Size.tebibytes(2), throughputMBpsPerPair: 3072 }),
  efs: new EfsSharedFileSystem(stack, 'Efs', { network }),
};

for (const [name, fileSystem] of Object.entries(fileSystems)) {
  const hostBundle = new HostBundle();
  const group = new SecurityGroup(stack, `${name}Group`, { vpc: network.vpc, allowAllOutbound: false });
  fileSystem.mountOn(new MountTarget({ host: group, hostBundle }), { mountPoint: '/data' });
  const host = new Instance(stack, `${name}Client`, {
    vpc: network.vpc,
    vpcSubnets: { subnets: [network.privateSubnets[0]!] },
    securityGroup: group,
    instanceType: new InstanceType('m6i.large'),
    machineImage: MachineImage.latestAmazonLinux2023(),
    requireImdsv2: true,
    userData: hostBundle.userData(),
    instanceName: name,
  });
  host.node.addDependency(fileSystem.served);
}
