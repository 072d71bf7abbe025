import { Lazy, type Stack } from 'aws-cdk-lib';
import { AutoScalingGroup, HealthChecks } from 'aws-cdk-lib/aws-autoscaling';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import {
  BenchmarkHosts,
  DataLossOnFailure,
  GridNetwork,
  IntelLustre,
  MeasuredPath,
  NfsStorage,
  NfsStorageServer,
  StorageBenchmark,
  StorageTest,
} from '../../../constructs';
import type { BenchmarkDefinition } from '../../../constructs/private/benchmark-definition';
import { instanceTypeFacts } from '../../../constructs/sizing';
import { estimateOf } from '../../../constructs/storage-benchmark/estimate';
import { testStack } from '../../helpers/app';
import { io2Stack, r5b } from '../io2-block-express-gfs2/stack';
import { gridStack, IMAGE } from '../sas-grid-cluster/stack';
import { tierIn } from '../volume-reattachment/tier';

const GIB = 2 ** 30;

/** What is expected to be read of raw devices, and to be written to Lustre's targets, with 1 GiB of each. */
function expected(storageServers: BenchmarkHosts): { rawGiB: number; writtenGiB: number } | undefined {
  const paths = [MeasuredPath.temporary('/saswork')];
  const test = (name: string, parameters: { [name: string]: string }) => ({
    id: name,
    test: name,
    on: 'servers' as const,
    parameters,
  });
  const tests = [test('raw-device', { MaxMiB: '1024' }), test('lustre-server', { MiB: '1024' })];
  const definition = { tests, parallel: true } as unknown as BenchmarkDefinition;
  const estimate = estimateOf({ hosts: storageServers, storageServers, paths }, definition);
  if (!estimate) return undefined;
  const [raw, survey] = estimate.tests;
  return { rawGiB: raw!.bytesRead / GIB, writtenGiB: survey!.bytesWritten / GIB };
}

/** An Auto Scaling group of two, whose members get these disks at their launch. */
function groupOf(stack: Stack, blockDevices: ec2.BlockDevice[]): AutoScalingGroup {
  const vpc = ec2.Vpc.fromVpcAttributes(stack, 'OtherVpc', {
    vpcId: 'vpc-1',
    availabilityZones: ['us-east-1a'],
    privateSubnetIds: ['subnet-1'],
  });
  const launchTemplate = new ec2.LaunchTemplate(stack, 'Template', {
    instanceType: new ec2.InstanceType('m6in.large'),
    machineImage: IMAGE,
    role: new iam.Role(stack, 'Role', { assumedBy: new iam.ServicePrincipal('ec2.amazonaws.com') }),
    userData: ec2.UserData.forLinux(),
    blockDevices,
  });
  return new AutoScalingGroup(stack, 'Members', {
    vpc,
    launchTemplate,
    minCapacity: 2,
    healthChecks: HealthChecks.ec2(),
  });
}

describe('the estimate counts as many disks as the servers have', () => {
  test('object storage servers of Lustre: the volumes of each, which are its targets', () => {
    const stack = testStack();
    const network = new GridNetwork(stack, 'Network');
    const { oss } = new IntelLustre(stack, 'Lustre', { network, machineImage: IMAGE });
    const all = oss.slots.flatMap(({ volumeIds }) => volumeIds).length;
    expect(all).toBeGreaterThan(8);
    expect(expected(BenchmarkHosts.tier(oss))).toEqual({ rawGiB: all, writtenGiB: 2 * all });
  });

  test('a tier whose volumes are not alike', () => {
    const servers = BenchmarkHosts.tier(tierIn(testStack()));
    expect(expected(servers)).toEqual({ rawGiB: 2 * 2, writtenGiB: 2 * 2 * 2 });
  });

  test('servers that a launch gives their volumes; what they start from is none', () => {
    const blockDevices = [
      { deviceName: '/dev/xvda', volume: ec2.BlockDeviceVolume.ebs(30) },
      { deviceName: '/dev/sdf', volume: ec2.BlockDeviceVolume.ebs(100) },
      { deviceName: '/dev/sdg', volume: ec2.BlockDeviceVolume.ebs(100) },
      { deviceName: '/dev/sdb', volume: ec2.BlockDeviceVolume.ephemeral(0) },
    ];
    const group = groupOf(testStack(), blockDevices);
    expect(expected(BenchmarkHosts.autoScalingGroup(group))).toEqual({ rawGiB: 2 * 2, writtenGiB: 2 * 4 });
  });

  test('nodes of a grid: the disks that their type has', () => {
    const { grid } = gridStack();
    const [node] = grid.nodes;
    const raw = grid.nodes.length * node!.scratch!.diskCount;
    expect(raw).toBeGreaterThan(grid.nodes.length);
    expect(expected(BenchmarkHosts.cluster(grid))).toEqual({ rawGiB: raw, writtenGiB: 0 });
  });

  test('NFS servers on volumes and on instance store', () => {
    const stack = testStack();
    const network = new GridNetwork(stack, 'Network');
    const onVolumes = new NfsStorageServer(stack, 'Volumes', { network, machineImage: IMAGE });
    const volumes = onVolumes.reattachment!.slots[0]!.volumeIds.length;
    expect(expected(BenchmarkHosts.nfs(onVolumes))).toMatchObject({ rawGiB: volumes });
    const local = new NfsStorageServer(stack, 'Local', {
      network,
      machineImage: IMAGE,
      hostName: 'storage2',
      storage: NfsStorage.instanceStore({ dataLossOnFailure: DataLossOnFailure.acceptable('copies in S3') }),
      archive: {},
    });
    const disks = instanceTypeFacts(local.instanceType.toString())!.instanceStore!.disks;
    expect(expected(BenchmarkHosts.nfs(local))).toEqual({ rawGiB: disks, writtenGiB: 0 });
  });

  test('hosts of a cluster: each has all the volumes', () => {
    const { fileSystem } = io2Stack({ nodeCount: 3, instanceType: r5b('8xlarge') });
    const { count } = fileSystem.volumes;
    expect(expected(BenchmarkHosts.io2(fileSystem))).toMatchObject({ rawGiB: 3 * count });
    const alone = io2Stack().fileSystem;
    expect(expected(BenchmarkHosts.io2(alone))).toMatchObject({ rawGiB: alone.volumes.count });
  });

  test('hosts that are found by a tag: what was said of them, else one', () => {
    const instanceTypes = ['m6in.8xlarge', 'm6in.8xlarge'];
    const volumes = [{ count: 8, type: 'gp3', sizeGiB: 750 }];
    const tagged = (more: object) => BenchmarkHosts.tagged('role', 'oss', { instanceTypes, ...more });
    expect(expected(tagged({ volumes }))).toEqual({ rawGiB: 16, writtenGiB: 32 });
    expect(expected(tagged({}))).toEqual({ rawGiB: 2, writtenGiB: 4 });
    expect(expected(BenchmarkHosts.tagged('role', 'oss', { volumes }))).toBeUndefined();
  });

  test.each([
    [{ count: 0 }],
    [{ count: 1.5 }],
    [{ count: Lazy.number({ produce: () => 2 }) }],
    [{ count: 1, sizeGiB: 0 }],
  ])('volumes of %j are refused', (volumes) => {
    const make = () => BenchmarkHosts.tagged('role', 'oss', { volumes: [{ type: 'gp3', ...volumes }] });
    expect(make).toThrow(/^role=oss: volumes: (count|sizeGiB) is .*; allowed: a whole number from 1 to/);
  });
});

test('a deployment does not wait for servers whose disks take longer than an hour, and does for fewer of them', () => {
  const gated = (count: number) => () => {
    const { stack, grid } = gridStack();
    return new StorageBenchmark(stack, 'Benchmark', {
      hosts: BenchmarkHosts.cluster(grid),
      storageServers: BenchmarkHosts.tagged('role', 'oss', {
        instanceTypes: ['m6in.8xlarge'],
        volumes: [{ count, type: 'gp3', sizeGiB: 16_384, throughputMiBps: 125 }],
      }),
      paths: [MeasuredPath.temporary('/saswork')],
      // 8 volumes of 200 GiB take 27 minutes at their 1 GB/s, 24 take 54 at what is wanted for 16 cores.
      tests: [StorageTest.rawDevice({ maxMiB: 200 * 1024 }), StorageTest.sasIo({ fileMiB: 64 })],
      runAfterDeployment: true,
      gateDeployment: true,
    });
  };
  expect(gated(8)().estimate).toMatch(/^about 3\d minutes, \d+ GB written/);
  expect(gated(24)).toThrow(/expected to take, in minutes, with gateDeployment is [56]\d; allowed: at most/);
});
