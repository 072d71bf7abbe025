import { type App, aws_ec2 as ec2, aws_route53 as route53, Stack, aws_s3 as s3 } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  BenchmarkHosts,
  GridNetwork,
  type GridNetworkProps,
  MeasuredPath,
  NatKind,
  NfsStorageServer,
  type NfsStorageServerProps,
  SasGridCluster,
  type SasGridClusterProps,
  StorageBenchmark,
} from '../../../constructs';
import { TEST_ENV, testApp, testStack } from '../../helpers/app';
import { IMAGE, OtherFileSystem } from '../sas-grid-cluster/stack';

// Two of anything in one place have two names, share what is to be shared, or are refused by name.

const BLOCKS = ['A', 'B', 'Nfs'].map((id, index) => ({
  owner: `Test/${id}`,
  firstAddress: `172.16.4.${64 + 8 * index}`,
  count: 8,
}));

function place() {
  const stack = testStack();
  const network = new GridNetwork(stack, 'Network', { storageAddressBlocks: BLOCKS });
  const sharedFileSystem = new OtherFileSystem(stack, 'Other', network);
  return {
    stack,
    nfs: (id: string, props: Partial<NfsStorageServerProps> = {}) =>
      new NfsStorageServer(stack, id, { network, machineImage: IMAGE, ...props }),
    grid: (id: string, props: Partial<SasGridClusterProps> = {}) =>
      new SasGridCluster(stack, id, {
        network,
        sharedFileSystem,
        machineImage: IMAGE,
        nodeCount: 1,
        ...props,
      }),
    zones: () =>
      Object.values(Template.fromStack(stack).findResources('AWS::Route53::HostedZone')).map(
        ({ Properties }) => Properties.Name,
      ),
    records: () =>
      Object.values(Template.fromStack(stack).findResources('AWS::Route53::RecordSet'))
        .map(({ Properties }) => Properties.Name)
        .sort(),
  };
}

describe('two NFS servers in one network', () => {
  test('of one name are refused', () => {
    const { nfs } = place();
    nfs('A');
    expect(() => nfs('B')).toThrow(
      /^Test\/B: hostName is 'storage1.sas-grid.internal'.*; Test\/A has one .*own hostName, such as 'storage2'/,
    );
  });

  test('of two names have two zones', () => {
    const { nfs, zones } = place();
    nfs('A');
    nfs('B', { hostName: 'storage2' });
    expect(zones()).toEqual(['storage1.sas-grid.internal.', 'storage2.sas-grid.internal.']);
  });

  test('in a zone of yours have no second one of a name either', () => {
    const { stack, nfs } = place();
    const hostedZone = route53.HostedZone.fromHostedZoneAttributes(stack, 'Z', {
      hostedZoneId: 'Z0123456789ABC',
      zoneName: 'corp.example.com',
    });
    nfs('A', { hostedZone });
    expect(() => nfs('B', { hostedZone })).toThrow(/'storage1.corp.example.com'.*that Test\/A does not have/);
  });

  test('one that was taken out again has no name', () => {
    const { stack, nfs } = place();
    nfs('A');
    stack.node.tryRemoveChild('A');
    expect(() => nfs('B')).not.toThrow();
  });
});

describe('two grids in one network', () => {
  test('of one domain are refused', () => {
    const { grid } = place();
    grid('A');
    expect(() => grid('B')).toThrow(
      /^Test\/B: domainName is 'sas-grid.internal'.*; Test\/A has one .*own domainName, or the other's hostedZone/,
    );
  });

  test('of two domains have two zones', () => {
    const { grid, zones } = place();
    grid('A');
    grid('B', { domainName: 'b.sas-grid.internal' });
    expect(zones()).toEqual(['sas-grid.internal.', 'b.sas-grid.internal.']);
  });

  test('share a zone under different names', () => {
    const { grid, zones, records } = place();
    const { hostedZone } = grid('A');
    expect(() => grid('B', { hostedZone })).toThrow(
      /'control.sas-grid.internal'; allowed: a name that Test\/A\/Control does not have in the VPC/,
    );
    grid('C', { hostedZone, controlName: 'c-control', nodeNamePrefix: 'c-node' });
    expect(zones()).toEqual(['sas-grid.internal.']);
    expect(records()).toEqual(
      expect.arrayContaining(['c-control.sas-grid.internal.', 'node1.sas-grid.internal.']),
    );
  });

  test('a name below the domain of the central zone', () => {
    const { stack, grid, zones, records } = place();
    const hostedZone = route53.HostedZone.fromHostedZoneAttributes(stack, 'Z', {
      hostedZoneId: 'Z0123456789ABC',
      zoneName: 'corp.example.com.',
    });
    expect(grid('A', { hostedZone }).control.fullName).toBe('control.corp.example.com');
    grid('B', { hostedZone, domainName: 'b.corp.example.com' });
    expect(zones()).toEqual([]);
    expect(records()).toEqual([
      'control.b.corp.example.com.',
      'control.corp.example.com.',
      'node1.b.corp.example.com.',
      'node1.corp.example.com.',
    ]);
    expect(() => grid('C', { hostedZone, domainName: 'example.com' })).toThrow(
      /domainName is 'example.com'; allowed: corp.example.com, the domain of the hosted zone, or one below it/,
    );
    const unnamed = route53.HostedZone.fromHostedZoneId(stack, 'Y', 'Z0123456789ABC');
    expect(() => grid('D', { hostedZone: unnamed })).toThrow(/name of hostedZone.*fromHostedZoneAttributes/);
  });
});

test('a server of a grid does not have the name of an NFS server', () => {
  const { nfs, grid } = place();
  nfs('Nfs');
  expect(() => grid('A', { controlName: 'storage1' })).toThrow(
    /Test\/A\/Control: A host name is 'storage1.sas-grid.internal'; allowed: a name that Test\/Nfs does not have/,
  );
});

describe('a VPC that exists', () => {
  const existing = (stack: Stack, vpcId: string): GridNetworkProps => {
    const vpc = ec2.Vpc.fromVpcAttributes(stack, 'Vpc', {
      vpcId,
      vpcCidrBlock: '10.0.0.0/16',
      availabilityZones: [`${stack.region}a`],
      privateSubnetIds: ['subnet-0123456789abcdef0'],
      privateSubnetRouteTableIds: ['rtb-0123456789abcdef0'],
    });
    return { existing: { vpc, privateSubnets: vpc.privateSubnets } };
  };
  const both = (vpcIds: string[], regions = ['us-east-1', 'us-east-1']) => {
    const app = testApp();
    for (const [index, vpcId] of vpcIds.entries()) {
      const stack = new Stack(app, `S${index}`, { env: { ...TEST_ENV, region: regions[index] } });
      const network = new GridNetwork(stack, 'Network', existing(stack, vpcId));
      const machineImage = ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-01', 'eu-west-1': 'ami-02' });
      new NfsStorageServer(stack, 'Nfs', { network, machineImage });
    }
  };

  test('has one server of a name, in whatever stacks', () => {
    expect(() => both(['vpc-1', 'vpc-1'])).toThrow(/^S1\/Nfs: hostName is .*; S0\/Nfs has one/);
    expect(() => both(['vpc-1', 'vpc-2'])).not.toThrow();
  });

  test('is not known by an id of another region, nor before it was looked up', () => {
    expect(() => both(['vpc-1', 'vpc-1'], ['us-east-1', 'eu-west-1'])).not.toThrow();
    expect(() => both(['vpc-12345', 'vpc-12345'])).not.toThrow();
  });
});

describe('names in a region or an account', () => {
  const nat = (app: App, id: string, region: string, natLaunchTemplateName?: string) => {
    const stack = new Stack(app, id, { env: { ...TEST_ENV, region } });
    new GridNetwork(stack, 'Network', { nat: NatKind.INSTANCE, natLaunchTemplateName });
    return stack;
  };

  test('NAT instances: the launch template keeps its name, a second one is refused until it has its own', () => {
    const app = testApp();
    const first = nat(app, 'A', 'us-east-1');
    nat(app, 'B', 'us-west-2');
    expect(() => nat(app, 'C', 'us-east-1')).toThrow(
      /is 'NatInstanceLaunchTemplate'; allowed: a name that A\/Network\/Vpc\/NatInstance does not have/,
    );
    app.node.tryRemoveChild('C');
    const second = nat(app, 'D', 'us-east-1', 'second-nat');
    const templates = [first, second].map((stack) =>
      Template.fromStack(stack).findResources('AWS::EC2::LaunchTemplate'),
    );
    const [before, own] = templates.map((found) => Object.entries(found)[0]!);
    expect(before![0]).toBe(own![0]);
    expect(before![1].Properties).toEqual({
      ...own![1].Properties,
      LaunchTemplateName: 'NatInstanceLaunchTemplate',
    });
    expect(() => nat(app, 'E', 'us-east-1', 'no blanks')).toThrow(
      /natLaunchTemplateName is 'no blanks'; allowed: 3 to 125/,
    );
  });

  test('NAT instances with the flag for unique names', () => {
    const app = testApp({ '@aws-cdk/aws-ec2:uniqueImdsv2TemplateName': true });
    nat(app, 'A', 'us-east-1');
    expect(() => nat(app, 'B', 'us-east-1')).not.toThrow();
  });

  const benchmark = (
    app: App,
    id: string,
    region: string,
    account: string | undefined,
    benchmarkName?: string,
  ) => {
    const stack = new Stack(app, id, { env: { account, region }, stackName: 'grid' });
    const network = new GridNetwork(stack, 'Network');
    const sharedFileSystem = new OtherFileSystem(stack, 'Other', network);
    const machineImage = ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-01', 'eu-west-1': 'ami-02' });
    const grid = new SasGridCluster(stack, 'Grid', { network, sharedFileSystem, machineImage, nodeCount: 1 });
    const paths = [MeasuredPath.shared('/sasdata')];
    new StorageBenchmark(stack, 'Benchmark', { hosts: BenchmarkHosts.cluster(grid), paths, benchmarkName });
  };

  test('dashboards of one account have two names, in whatever regions', () => {
    const app = testApp();
    benchmark(app, 'A', 'us-east-1', '111122223333');
    expect(() => benchmark(app, 'B', 'eu-west-1', '111122223333')).toThrow(
      /is 'grid-Benchmark'; allowed: a name that A\/Benchmark does not have in the account, in any region/,
    );
    benchmark(app, 'C', 'eu-west-1', '111122223333', 'grid-ireland');
    benchmark(app, 'D', 'eu-west-1', '444455556666');
  });
});

test('two servers have two folders of one archive', () => {
  const { stack, nfs } = place();
  const bucket = s3.Bucket.fromBucketName(stack, 'Bucket', 'archives');
  nfs('A', { archive: { bucket, prefix: 'nfs' } });
  expect(() => nfs('B', { hostName: 'storage2', archive: { bucket, prefix: 'nfs' } })).toThrow(
    /archive.prefix is 'nfs'; allowed: a prefix that Test\/A\/Archive does not write to in the bucket/,
  );
});
