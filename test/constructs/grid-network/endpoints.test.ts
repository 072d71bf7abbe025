import { Duration, Size } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { MachineImage } from 'aws-cdk-lib/aws-ec2';
import {
  GridNetwork,
  type GridNetworkProps,
  Io2BlockExpressGfs2,
  NatKind,
  NfsStorageServer,
  SasGridCluster,
  type SasGridClusterProps,
} from '../../../constructs';
import { testStack } from '../../helpers/app';

const machineImage = MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });
const gfs2 = (network: GridNetwork) =>
  new Io2BlockExpressGfs2(network, 'Gfs2', { network, machineImage, size: Size.tebibytes(10), nodeCount: 2 });
const archive = (network: GridNetwork) =>
  new NfsStorageServer(network, 'Nfs', { network, machineImage, archive: {} });

const grid = (props: Partial<SasGridClusterProps>) => (network: GridNetwork) => {
  const sharedFileSystem = new NfsStorageServer(network, 'Nfs', { network, machineImage });
  new SasGridCluster(network, 'Grid', { network, machineImage, sharedFileSystem, nodeCount: 2, ...props });
};

function networkOf(props: GridNetworkProps, hosts: (network: GridNetwork) => void) {
  const stack = testStack();
  hosts(new GridNetwork(stack, 'Network', { availabilityZone: 'us-east-1a', ...props }));
  return stack;
}

/** The services of interface endpoints. */
const services = (...given: Parameters<typeof networkOf>): string[] => {
  const endpoints = Template.fromStack(networkOf(...given)).findResources('AWS::EC2::VPCEndpoint');
  const text = (name: unknown) => JSON.stringify(name).replace(/[^a-z0-9.-]/g, '');
  return Object.values(endpoints)
    .filter(({ Properties }) => Properties.VpcEndpointType === 'Interface')
    .map(({ Properties }) => text(Properties.ServiceName).split('.').at(-1)!)
    .sort();
};

test('without NAT a network brings what its hosts call', () => {
  const nat = NatKind.NONE;
  expect(services({ nat }, () => undefined)).toEqual(['ssm', 'ssmmessages']);
  expect(services({ nat }, gfs2)).toEqual(['cloudformation', 'ec2', 'secretsmanager', 'ssm', 'ssmmessages']);
  expect(services({ nat }, archive)).toEqual(['monitoring', 'ssm', 'ssmmessages']);
  // Nodes tell CloudFormation that they are installed, if it waits for them.
  expect(services({ nat }, grid({}))).toEqual(['cloudformation', 'ssm', 'ssmmessages']);
  expect(services({ nat }, grid({ installTimeout: Duration.seconds(0) }))).toEqual(['ssm', 'ssmmessages']);
});

test('with NAT it brings no more', () => {
  expect(services({}, gfs2)).toEqual(['ssm', 'ssmmessages']);
});

test('without both, synthesis names what hosts cannot reach', () => {
  expect(() => networkOf({ nat: NatKind.NONE, interfaceEndpoints: false }, gfs2)).toThrow(
    /interfaceEndpoints of the network is false; allowed: endpoints for ec2, secretsmanager, cloudformation/,
  );
});

test('without NAT packages have to be somewhere', () => {
  const warned = (nat: NatKind) =>
    Annotations.fromStack(networkOf({ nat }, () => undefined)).findWarning(
      '*',
      Match.stringLikeRegexp('noWayToPackages'),
    ).length;
  expect([NatKind.NONE, NatKind.GATEWAY].map(warned)).toEqual([1, 0]);
});
