import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { GridNetwork, HostRole, type Io2BlockExpressGfs2 } from '../../constructs';
import {
  checkKeptResources,
  keptResources,
  recordKeptResources,
} from '../../constructs/deployed-data/kept-resources';
import type { Io2Config } from '../../lib/config-types';
import { IO2_KIND } from '../../lib/file-systems/io2';
import { testApp } from '../helpers/app';

const CLUSTER: Io2Config = { sizeGiB: 2000, nodes: 3, instanceType: 'r5b.8xlarge', throughputMBps: 5000 };

function made(config: Io2Config) {
  const stack = new Stack(testApp(), 'Test', { env: { region: 'us-east-1' } });
  const network = new GridNetwork(stack, 'Network');
  const { fileSystem } = IO2_KIND.add(stack, { description: 'A test', io2: config }, { network });
  return { stack, fileSystem: fileSystem as Io2BlockExpressGfs2 };
}

const outputs = (config: Io2Config) => Object.keys(Template.fromStack(made(config).stack).findOutputs('*'));

describe('what the hosts are for', () => {
  test('one server has the account, a directory for SAS, and nobody to hand jobs to', () => {
    const [host] = made({ sizeGiB: 1000, sasUid: 6000, mountPoint: '/sas' }).fileSystem.hosts;
    const setting = (key: string) => host!.hostBundle.setting(HostRole.GRID_NODE, key);
    expect(['HOST_NAME', 'SAS_UID', 'SAS_GID', 'SHARED_MOUNT', 'SAS_DIR', 'LSF_DIR'].map(setting)).toEqual([
      'io2-00',
      '6000',
      '5000',
      '/sas',
      '/sas/sas',
      undefined,
    ]);
    expect(host!.hostBundle.hasRole(HostRole.SCRATCH)).toBe(false);
  });

  test('the nodes of a cluster know each other, and LSF reaches them', () => {
    const { stack, fileSystem } = made({ ...CLUSTER, additionalPorts: [8591] });
    for (const { name, hostBundle } of fileSystem.hosts) {
      expect(hostBundle.setting(HostRole.GRID_NODE, 'HOST_NAME')).toBe(name);
      expect(hostBundle.setting(HostRole.GRID_NODE, 'LSF_DIR')).toBe('/sasdata/lsf');
      expect(hostBundle.setting(HostRole.GRID_NODE, 'HOSTS')).toMatch(/^node1=.+,node2=.+,node3=.+$/);
    }
    const template = Template.fromStack(stack);
    for (const FromPort of [7869, 6878, 8591, 5405, 21064]) {
      template.hasResourceProperties('AWS::EC2::SecurityGroupIngress', { FromPort, CidrIp: Match.absent() });
    }
  });

  test('a type with disks of its own has scratch on them, unless it is turned off', () => {
    const withDisks: Io2Config = { sizeGiB: 1000, instanceType: 'i4i.8xlarge' };
    const has = (config: Io2Config) =>
      made(config).fileSystem.hosts.map(({ hostBundle }) => hostBundle.hasRole(HostRole.SCRATCH));
    expect(has(withDisks)).toEqual([true]);
    expect(has({ ...withDisks, scratch: { enabled: false } })).toEqual([false]);
    expect(() => made({ ...withDisks, mountPoint: '/saswork/data' })).toThrow(/outside the scratch space/);
  });
});

describe('the image of a cluster', () => {
  const warnings = (config: Io2Config) =>
    made(config)
      .stack.node.metadata.filter(({ type }) => type === 'aws:cdk:warning')
      .map(({ data }) => String(data));

  test('is one with GFS2 where none is named, and it is said that SAS is not on it', () => {
    expect(warnings(CLUSTER).join()).toMatch(
      /io2\.image names no image, so the nodes .* Ubuntu 22\.04, .*no SAS/,
    );
    expect(warnings({ ...CLUSTER, image: { amiId: 'ami-0123456789abcdef0' } })).toEqual([]);
    expect(warnings({ sizeGiB: 1000 })).toEqual([]);
  });

  test('is refused where it has no GFS2', () => {
    const image = { ssmParameter: '/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64' };
    expect(() => made({ ...CLUSTER, image })).toThrow(/Amazon Linux never had GFS2/);
  });
});

describe('outputs', () => {
  test('of one server say which group and map it has', () => {
    expect(outputs({ sizeGiB: 1000 })).toEqual(
      expect.arrayContaining(['FileSystemType', 'MountPoint', 'Hosts', 'VolumeMapTable', 'Tiers']),
    );
  });

  test('of a cluster name its tag, nodes, volumes, and what the volumes are', () => {
    const { stack } = made(CLUSTER);
    const found = Template.fromStack(stack).findOutputs('*');
    expect(found.DeployedVolumes!.Value).toBe('{"count":2,"sizeGiB":1000,"iops":9537}');
    expect(found.ClusterTag!.Value['Fn::Join'][1][1]).toMatch(/^\/sasgfs2-/);
    const nodes = JSON.stringify(found.Nodes!.Value);
    for (const name of ['node1', 'node2', 'node3']) expect(nodes).toContain(name);
    expect(Object.keys(found)).not.toContain('VolumeMapTable');
  });

  test('DeployedVolumes is what the configuration takes, and guards', () => {
    const deployedVolumes = { count: 2, sizeGiB: 1000, iops: 9537 };
    expect(() => made({ ...CLUSTER, deployedVolumes })).not.toThrow();
    expect(() => made({ ...CLUSTER, deployedVolumes, throughputMBps: 7500 })).toThrow(
      /set of shared volumes is .*what is deployed/,
    );
  });
});

describe('what is deployed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'));
  const file = join(folder, 'mine.volumes.json');
  afterAll(() => rmSync(folder, { recursive: true }));
  const check = (before: Io2Config, after: Io2Config) => () => {
    recordKeptResources(file, keptResources(made(before).stack));
    checkKeptResources(file, keptResources(made(after).stack));
  };
  const one: Io2Config = { sizeGiB: 1000 };

  test.each<[string, Io2Config, Io2Config]>([
    ['a cluster gets another node', CLUSTER, { ...CLUSTER, nodes: 4 }],
    ['the one volume grows and gets other IOPS', one, { sizeGiB: 1200, iopsAdjustment: 5 }],
  ])('may change so: %s', (_, before, after) => {
    expect(check(before, after)).not.toThrow();
  });

  test.each<[string, Io2Config, Io2Config, RegExp]>([
    [
      'the size of shared volumes',
      CLUSTER,
      { ...CLUSTER, sizeGiB: 4000 },
      /fixedSizeGiB changes from 1000 to 2000/,
    ],
    ['their IOPS', CLUSTER, { ...CLUSTER, iopsAdjustment: 5 }, /iops changes from 9537 to /],
    [
      'their number',
      CLUSTER,
      { ...CLUSTER, throughputMBps: 9000 },
      /volumes changes from \[.*Volume1.*\] to \[.*Volume2/,
    ],
    [
      'volumes of an earlier deployment',
      { ...CLUSTER, existingVolumes: ['vol-00000001', 'vol-00000002'] },
      CLUSTER,
      /volumes changes from \["vol-00000001","vol-00000002"\]/,
    ],
    ['the name on them', CLUSTER, { ...CLUSTER, clusterName: 'other' }, /clusterName changes from "sasgfs2"/],
    ['fewer nodes', CLUSTER, { ...CLUSTER, nodes: 2 }, /Node3Interface.* is no longer in the deployment/],
    ['one host instead of a cluster', CLUSTER, one, /fileSystemType changes from "gfs2" to "xfs"/],
    ['a cluster instead of one host', one, CLUSTER, /Volume.* is no longer in the deployment/],
    ['a smaller volume', one, { sizeGiB: 500 }, /storage only grows/],
  ])('is not left behind: %s', (_, before, after, message) => {
    expect(check(before, after)).toThrow(message);
  });
});
