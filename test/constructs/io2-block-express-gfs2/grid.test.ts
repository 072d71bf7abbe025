import { Size } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { InstanceType, MachineImage } from 'aws-cdk-lib/aws-ec2';
import {
  Gfs2OperatingSystem,
  GridNetwork,
  HostRole,
  Io2BlockExpressGfs2,
  type Io2BlockExpressGfs2Props,
  type Io2GridOptions,
  SasGridCluster,
} from '../../../constructs';
import { testStack } from '../../helpers/app';

const machineImage = MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });

function made(props: Partial<Io2BlockExpressGfs2Props> = {}) {
  const stack = testStack();
  const network = new GridNetwork(stack, 'Network', { availabilityZone: 'us-east-1a' });
  const fileSystem = new Io2BlockExpressGfs2(stack, 'Io2', {
    network,
    machineImage,
    operatingSystem: Gfs2OperatingSystem.RHEL_9,
    size: Size.tebibytes(10),
    nodeCount: 2,
    ...props,
  });
  return { stack, network, fileSystem };
}

const setting = ({ hosts }: Io2BlockExpressGfs2, key: string, role = HostRole.GRID_NODE) =>
  hosts.map(({ hostBundle }) => hostBundle.setting(role, key));

test('the hosts of a cluster become the nodes of a grid', () => {
  const { stack, fileSystem } = made();
  fileSystem.addGrid({ sasUid: 6000, additionalPorts: [8561] });
  expect(setting(fileSystem, 'HOST_NAME')).toEqual(['node1', 'node2']);
  expect(setting(fileSystem, 'HOSTS')[0]).toMatch(/^node1=172\.16\.4\.\d+,node2=172\.16\.4\.\d+$/);
  expect(setting(fileSystem, 'SAS_UID')).toEqual(['6000', '6000']);
  expect(setting(fileSystem, 'SAS_GID')).toEqual(['5000', '5000']);
  expect(setting(fileSystem, 'LSF_DIR')).toEqual(['/sasdata/lsf', '/sasdata/lsf']);
  expect(setting(fileSystem, 'SHARED_MOUNT')).toEqual(['/sasdata', '/sasdata']);
  const rules = Object.values(Template.fromStack(stack).findResources('AWS::EC2::SecurityGroupIngress'));
  expect(rules.map(({ Properties }) => Properties.FromPort)).toEqual(expect.arrayContaining([7869, 8561]));
});

test('one host is a server without LSF, with scratch where its type has disks', () => {
  const { fileSystem } = made({ nodeCount: 1, instanceType: new InstanceType('i4i.8xlarge') });
  fileSystem.addGrid();
  expect(setting(fileSystem, 'LSF_DIR')).toEqual([undefined]);
  expect(fileSystem.hosts[0]!.hostBundle.hasRole(HostRole.SCRATCH)).toBe(true);
});

test.each<[Io2GridOptions, RegExp]>([
  [{ sasUid: 7 }, /sasUid is 7; allowed: a whole number from 1000 to 60000\. .+/],
  [{ additionalPorts: [70_000] }, /additionalPorts is 70000; allowed: a whole number from 1 to 65535\. .+/],
  [
    { sasUID: 7 } as Io2GridOptions,
    /sasUID is 7; allowed: the properties of Io2GridOptions: .*Did you mean sasUid\?/,
  ],
])('%j is refused', (options, message) => {
  expect(() => made().fileSystem.addGrid(options)).toThrow(message);
});

test('a grid of other hosts on it is refused at once, with the way to do it', () => {
  const { stack, network, fileSystem: sharedFileSystem } = made();
  const props = { network, machineImage, sharedFileSystem, nodeCount: 2 };
  expect(() => new SasGridCluster(stack, 'Grid', props)).toThrow(
    /sharedFileSystem is the Io2BlockExpressGfs2 'Test\/Io2'; allowed: .*over the network\. No other host.*call addGrid\(\)/,
  );
});
