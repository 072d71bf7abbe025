import { Size, type Stack } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import {
  DataLossOnFailure,
  FsxOntap,
  GridNetwork,
  IntelLustre,
  Io2BlockExpressGfs2,
  NfsStorage,
  NfsStorageServer,
  OntapDeployment,
  SasGridCluster,
} from '../../../constructs';
import { testStack } from '../../helpers/app';
import { RightInputs } from '../../helpers/right-inputs';
import { tierIn } from '../volume-reattachment/tier';

type Make = (stack: Stack, machineImage: ec2.IMachineImage, instanceType?: ec2.InstanceType) => Construct;

const network = (stack: Stack) => new GridNetwork(stack, 'Network', { availabilityZone: 'us-east-1a' });

const VOLUMES = [{ volumeType: ec2.EbsDeviceVolumeType.GP3, size: Size.gibibytes(100) }];

/** Whatever launches hosts. */
const makers: { readonly [name: string]: Make } = {
  VolumeReattachment: (stack, machineImage, instanceType) =>
    tierIn(stack, { machineImage, ...(instanceType && { instanceType, volumes: VOLUMES }) }),
  IntelLustre: (stack, machineImage, instanceType) =>
    new IntelLustre(stack, 'Made', {
      network: network(stack),
      machineImage,
      mgs: { instanceType },
      newInstanceTypes: true,
    }),
  'NfsStorageServer on volumes': (stack, machineImage, instanceType) =>
    new NfsStorageServer(stack, 'Made', {
      newInstanceTypes: true,
      network: network(stack),
      machineImage,
      storage: NfsStorage.ebs({ instanceType }),
    }),
  'NfsStorageServer on its disks': (stack, machineImage, instanceType) =>
    new NfsStorageServer(stack, 'Made', {
      network: network(stack),
      machineImage,
      storage: NfsStorage.instanceStore({
        dataLossOnFailure: DataLossOnFailure.acceptable('a test'),
        instanceType: instanceType && new ec2.InstanceType('im4gn.8xlarge'),
        instanceStore: instanceType && { count: 2, size: Size.gibibytes(7500) },
      }),
      newInstanceTypes: true,
    }),
  'Io2BlockExpressGfs2 of one host': (stack, machineImage, instanceType) =>
    new Io2BlockExpressGfs2(stack, 'Made', {
      network: network(stack),
      machineImage,
      size: Size.tebibytes(10),
      instanceType,
      newInstanceTypes: true,
      throughputMBps: 1000,
    }),
  'Io2BlockExpressGfs2 of a cluster': (stack, machineImage, instanceType) =>
    new Io2BlockExpressGfs2(stack, 'Made', {
      network: network(stack),
      machineImage,
      size: Size.tebibytes(10),
      nodeCount: 2,
      instanceType,
      newInstanceTypes: true,
      throughputMBps: 1000,
    }),
  SasGridCluster: (stack, machineImage, instanceType) => {
    const right = new RightInputs(stack);
    return new SasGridCluster(stack, 'Made', {
      network: network(stack),
      sharedFileSystem: right.of('ExistingNfs') as never,
      nodeCount: 1,
      machineImage,
      nodeInstanceType: instanceType,
      ephemeralScratch: instanceType === undefined,
      newInstanceTypes: true,
    });
  },
};

const UBUNTU = '/aws/service/canonical/ubuntu/server/22.04/stable/current/arm64/hvm/ebs-gp2/ami-id';
const ARM = new ec2.InstanceType('m7g.8xlarge');

test.each(Object.entries(makers))('%s refuses an image of Windows', (_, make) => {
  const image = ec2.MachineImage.genericWindows({ 'us-east-1': 'ami-0123456789abcdef0' });
  expect(() => make(testStack(), image)).toThrow(
    /machineImage is 'an image of Windows'; allowed: an image of Linux\. /,
  );
});

test.each(Object.entries(makers))('%s refuses a type that the image is not for', (_, make) => {
  const image = ec2.MachineImage.fromSsmParameter(UBUNTU.replace('arm64', 'amd64'));
  expect(() => make(testStack(), image, ARM)).toThrow(
    /machineImage is 'an image for x86_64'; allowed: an image for arm64, as \w+\.8xlarge is\. Choose .*never start/,
  );
});

test.each([
  ['a parameter of Ubuntu', ec2.MachineImage.fromSsmParameter(UBUNTU)],
  [
    'a look-up by its filter',
    ec2.MachineImage.lookup({ name: 'mine', filters: { architecture: ['arm64'] } }),
  ],
  ['a look-up by its name', ec2.MachineImage.lookup({ name: 'RHEL-9*aarch64*' })],
])('%s says what it is for', (_, image) => {
  expect(() => tierIn(testStack(), { machineImage: image })).toThrow(
    /an image for arm64'; allowed: an image for x86_64/,
  );
  tierIn(testStack(), { machineImage: image, instanceType: ARM, volumes: VOLUMES });
});

test('a type that no cluster placement group takes is refused there, and only there', () => {
  const t3 = { instanceType: new ec2.InstanceType('t3.large') };
  const strategy = ec2.PlacementGroupStrategy;
  const inGroup = (props: ec2.PlacementGroupProps) => {
    const stack = testStack();
    tierIn(stack, { ...t3, placementGroup: new ec2.PlacementGroup(stack, 'Group1', props) });
  };
  const message =
    /Instance type in the cluster placement group is 't3.large'; allowed: no burstable.*or no placement group/;
  expect(() => inGroup({ strategy: strategy.CLUSTER })).toThrow(message);
  expect(() => inGroup({})).toThrow(message);
  inGroup({ strategy: strategy.SPREAD });
  tierIn(testStack(), t3);
});

const subnetIn = (stack: Stack, availabilityZone: string) =>
  ec2.Subnet.fromSubnetAttributes(stack, 'Other', {
    subnetId: 'subnet-1',
    availabilityZone,
    routeTableId: 'rtb-1',
  });

const gridWith = (more: (stack: Stack) => object) => {
  const stack = testStack();
  const right = new RightInputs(stack);
  return new SasGridCluster(stack, 'Grid', {
    network: network(stack),
    sharedFileSystem: right.of('ExistingNfs') as never,
    machineImage: right.of('IMachineImage') as never,
    nodeCount: 1,
    ...more(stack),
  });
};

test('a subnet of another zone is refused', () => {
  gridWith((stack) => ({ subnet: subnetIn(stack, 'us-east-1a') }));
  expect(() => gridWith((stack) => ({ subnet: subnetIn(stack, 'us-east-1b') }))).toThrow(
    /subnet is 'a subnet in us-east-1b'; allowed: a subnet in us-east-1a, the zone of the network\. .+/,
  );
});

test('a standby in the zone of the network is refused', () => {
  const stack = testStack();
  const props = {
    network: network(stack),
    capacity: Size.tebibytes(20),
    throughputMBpsPerPair: 3072,
    deployment: OntapDeployment.MULTI_AZ_2,
    standby: { subnet: subnetIn(stack, 'us-east-1a'), routeTableIds: ['rtb-1'] },
  };
  expect(() => new FsxOntap(stack, 'Files', props)).toThrow(
    /standby.subnet is 'a subnet in us-east-1a'; allowed: .*another zone/,
  );
});

test('hosts of a grid get no address that is reserved for storage, unless it is theirs', () => {
  const addresses = ['172.16.4.70', '172.16.4.71'];
  expect(() => gridWith(() => ({ addresses }))).toThrow(
    /addresses is '172.16.4.70'; allowed: .* which are 172.16.4.64 and the 127 after it\. Name others/,
  );
  gridWith(() => ({ addresses: ['172.16.4.10', '172.16.4.11'] }));
  gridWith((stack) => ({
    addresses,
    network: new GridNetwork(stack, 'Own', {
      availabilityZone: 'us-east-1a',
      storageAddressBlocks: [{ owner: 'Test/Grid', firstAddress: '172.16.4.64', count: 8 }],
    }),
  }));
});

test('no two hosts of a network get one address', () => {
  const stack = testStack();
  const shared = { network: network(stack), machineImage: ec2.MachineImage.latestAmazonLinux2023() };
  new NfsStorageServer(stack, 'First', { ...shared, address: '172.16.4.20' });
  expect(
    () => new NfsStorageServer(stack, 'Second', { ...shared, address: '172.16.4.20', hostName: 'storage2' }),
  ).toThrow(
    /addresses is '172.16.4.20'; allowed: an address that no other host of the network has\. Test\/First has it/,
  );
});
