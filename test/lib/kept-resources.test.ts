import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, aws_ec2 as ec2, aws_fsx as fsx } from 'aws-cdk-lib';
import { GridNetwork, IntelLustre } from '../../constructs';
import {
  checkKeptResources,
  KeptResourceError,
  type KeptResources,
  keptResources,
  readRecord,
  recordKeptResources,
} from '../../constructs/deployed-data/kept-resources';
import { loadConfig } from '../../lib/config';
import type { DeploymentConfig } from '../../lib/config-types';
import { createDeployment } from '../../lib/deployment';
import { recordKeptStorage } from '../../lib/record-storage';
import { testApp, testStack } from '../helpers/app';
import { synthesize } from '../options/state';
import type { Template } from '../upgrade/differences';

const BASE: ec2.CfnVolumeProps = {
  availabilityZone: 'us-east-1a',
  encrypted: true,
  size: 100,
  volumeType: 'gp3',
};

function resourcesWith(volumes: Record<string, Partial<ec2.CfnVolumeProps>>) {
  const stack = testStack();
  for (const [id, props] of Object.entries(volumes)) new ec2.CfnVolume(stack, id, { ...BASE, ...props });
  return keptResources(stack);
}

test.each([
  { fileSystemTypeVersion: '2.17' },
  { securityGroupIds: ['sg-2'] },
  { subnetIds: ['subnet-2'] },
  { kmsKeyId: 'key' },
])('a managed file system that %j would replace is not left behind', (change) => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'));
  const resources = (more: Partial<fsx.CfnFileSystemProps>) => {
    const stack = testStack();
    new fsx.CfnFileSystem(stack, 'Fsx', {
      fileSystemType: 'LUSTRE',
      fileSystemTypeVersion: '2.15',
      subnetIds: ['subnet-1'],
      securityGroupIds: ['sg-1'],
      ...more,
    });
    return keptResources(stack);
  };
  const file = join(folder, 'mine.volumes.json');
  recordKeptResources(file, resources({}));
  expect(() => checkKeptResources(file, resources({}))).not.toThrow();
  expect(() => checkKeptResources(file, resources(change))).toThrow(KeptResourceError);
  rmSync(folder, { recursive: true });
});

test.each<[string | undefined, string | undefined]>([
  ['backup-11111111', undefined],
  ['backup-11111111', 'backup-22222222'],
  [undefined, 'backup-22222222'],
])('what FSx has made of the backup %s is not put aside for one of %s', (before, after) => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'));
  const file = join(folder, 'mine.volumes.json');
  const resources = (backupId?: string) => {
    const stack = testStack();
    const subnetIds = ['subnet-1'];
    new fsx.CfnFileSystem(stack, 'Fsx', { fileSystemType: 'LUSTRE', subnetIds, backupId });
    const ontapConfiguration = { storageVirtualMachineId: 'svm-1' };
    new fsx.CfnVolume(stack, 'Volume', { name: 'data', volumeType: 'ONTAP', ontapConfiguration, backupId });
    return keptResources(stack);
  };
  recordKeptResources(file, resources(before));
  expect(() => checkKeptResources(file, resources(before))).not.toThrow();
  for (const which of ['Fsx', 'Volume'])
    expect(() => checkKeptResources(file, resources(after))).toThrow(
      new RegExp(`Test/${which}.*backupId changes from .*Leave backupId \\(restoreFrom`),
    );
  rmSync(folder, { recursive: true });
});

describe('FSx for Lustre', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'));
  const file = join(folder, 'mine.volumes.json');
  afterAll(() => rmSync(folder, { recursive: true }));

  type Configuration = fsx.CfnFileSystem.LustreConfigurationProperty;
  const resources = (lustreConfiguration: Configuration) => {
    const stack = testStack();
    new fsx.CfnFileSystem(stack, 'Fsx', {
      fileSystemType: 'LUSTRE',
      subnetIds: ['subnet-1'],
      storageCapacity: 4800,
      lustreConfiguration,
    });
    return keptResources(stack);
  };

  test.each<[Configuration, Configuration, RegExp]>([
    [
      { perUnitStorageThroughput: 500 },
      { perUnitStorageThroughput: 250 },
      /perUnitStorageThroughput changes from 500 to 250; .*empty file system\. .*throughputPerTiB .*update-file-system/,
    ],
    [
      { copyTagsToBackups: true },
      {},
      /copyTagsToBackups changes from true to false; .*empty file system\. .*name copyTagsToBackups as it is deployed/,
    ],
    [{}, { copyTagsToBackups: true }, /copyTagsToBackups changes from false to true; .*empty file system/],
    [
      { metadataConfiguration: { mode: 'USER_PROVISIONED', iops: 12_000 } },
      { metadataConfiguration: { mode: 'AUTOMATIC' } },
      /metadataIops changes from 12000 to 6000; FSx only increases the metadata operations/,
    ],
    [
      { throughputCapacity: 8000 },
      { throughputCapacity: 4000 },
      /throughputMBps changes from 8000 to 4000; FSx only increases the throughput/,
    ],
  ])('is not replaced by a change from %j to %j', (before, after, message) => {
    recordKeptResources(file, resources(before));
    expect(() => checkKeptResources(file, resources(before))).not.toThrow();
    expect(() => checkKeptResources(file, resources(after))).toThrow(message);
  });

  test('of a record from before these were recorded is looked up, and not guessed', () => {
    const now = resources({ perUnitStorageThroughput: 500, copyTagsToBackups: true });
    const { perUnitStorageThroughput, copyTagsToBackups, ...recorded } = now['Test/Fsx']!;
    recordKeptResources(file, { 'Test/Fsx': recorded });
    for (const key of ['perUnitStorageThroughput', 'copyTagsToBackups'])
      expect(() => checkKeptResources(file, now)).toThrow(
        new RegExp(`${key} changes from nothing to .*Write into it, as ${key}, what is deployed`),
      );
    recordKeptResources(file, { 'Test/Fsx': { ...recorded, perUnitStorageThroughput, copyTagsToBackups } });
    expect(() => checkKeptResources(file, now)).not.toThrow();
  });

  test('gets more metadata operations and more throughput in place, and in either mode', () => {
    const metadata = (mode: string, iops?: number) => ({ metadataConfiguration: { mode, iops } });
    recordKeptResources(file, resources({ ...metadata('AUTOMATIC'), throughputCapacity: 4000 }));
    for (const wanted of [metadata('USER_PROVISIONED', 6000), metadata('USER_PROVISIONED', 24_000)])
      expect(() =>
        checkKeptResources(file, resources({ ...wanted, throughputCapacity: 8000 })),
      ).not.toThrow();
  });

  test('of a record from before its metadata operations and throughput were recorded is not refused', () => {
    const now = resources({ metadataConfiguration: { mode: 'AUTOMATIC' }, throughputCapacity: 4000 });
    const { metadataIops, throughputMBps, ...recorded } = now['Test/Fsx']!;
    expect([metadataIops, throughputMBps]).toEqual([6000, 4000]);
    recordKeptResources(file, { 'Test/Fsx': recorded });
    expect(() => checkKeptResources(file, now)).not.toThrow();
  });

  test('changes its backups and its compression at any time', () => {
    recordKeptResources(file, resources({ automaticBackupRetentionDays: 30 }));
    const changed = resources({ automaticBackupRetentionDays: 0, dataCompressionType: 'LZ4' });
    expect(() => checkKeptResources(file, changed)).not.toThrow();
  });
});

describe('a deployment whose volumes are recorded', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'));
  const file = join(folder, 'mine.volumes.json');
  beforeAll(() => recordKeptResources(file, resourcesWith({ V0: {}, V1: {} })));
  afterAll(() => rmSync(folder, { recursive: true }));

  const check = (volumes: Record<string, Partial<ec2.CfnVolumeProps>>) => () =>
    checkKeptResources(file, resourcesWith(volumes));

  test.each<[string, () => void]>([
    ['no change', check({ V0: {}, V1: {} })],
    ['another volume', check({ V0: {}, V1: {}, V2: {} })],
    ['growth and a faster type', check({ V0: { size: 200, volumeType: 'io2', iops: 1000 }, V1: {} })],
  ])('may be synthesized with %s', (_, synthesize) => {
    expect(synthesize).not.toThrow();
  });

  test.each<[string, () => void, RegExp]>([
    ['a removed volume', check({ V0: {} }), /Test\/V1 is no longer in the deployment/],
    [
      'another zone',
      check({ V0: { availabilityZone: 'us-east-1b' }, V1: {} }),
      /Test\/V0: availabilityZone changes from "us-east-1a" to "us-east-1b"/,
    ],
    [
      'another key',
      check({ V0: { kmsKeyId: 'key' }, V1: {} }),
      /Test\/V0: kmsKeyId changes from nothing to "key"/,
    ],
    [
      'a smaller volume',
      check({ V0: { size: 99 }, V1: {} }),
      /sizeGiB changes from 100 to 99; storage only grows/,
    ],
  ])('refuses %s, and says what to do', (_, synthesize, message) => {
    expect(synthesize).toThrow(KeptResourceError);
    expect(synthesize).toThrow(message);
    expect(synthesize).toThrow(/after their stacks were deleted, follow docs\/operations\/restore\.md/);
    expect(synthesize).toThrow(/If nothing of this is deployed \(any more\), delete .*mine\.volumes\.json/);
  });
});

describe('a Lustre file system', () => {
  const resourcesAt = (address?: string) => {
    const stack = testStack();
    const network = new GridNetwork(stack, 'Network');
    const machineImage = ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });
    const mgs = address ? { addresses: [address] } : undefined;
    new IntelLustre(stack, 'Lustre', { network, machineImage, fileSystemName: 'grid', mgs });
    // Such as that of a grid node, which may come and go.
    new ec2.CfnNetworkInterface(stack, 'Node', { subnetId: 'subnet-1' });
    return keptResources(stack);
  };

  test('is recorded with what it writes into its targets, and without the interfaces of others', () => {
    const resources = resourcesAt();
    expect(resources['Test/Test/Lustre']).toEqual({
      fileSystemName: 'grid',
      backend: 'ldiskfs',
      volumesPerServer: 8,
    });
    expect(resources).not.toHaveProperty('Test/Node');
  });

  test('cannot get another address: targets and clients know it by the old one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kept-'));
    const file = join(folder, 'mine.volumes.json');
    recordKeptResources(file, resourcesAt('172.16.4.70'));
    expect(() => checkKeptResources(file, resourcesAt('172.16.4.70'))).not.toThrow();
    expect(() => checkKeptResources(file, resourcesAt('172.16.4.71'))).toThrow(
      /privateIpAddress changes from "172\.16\.4\.70" to "172\.16\.4\.71"/,
    );
    rmSync(folder, { recursive: true });
  });
});

test('a deployment without a record is not checked', () => {
  expect(() => checkKeptResources('/nonexistent/none.json', resourcesWith({}))).not.toThrow();
});

describe('a whole deployment', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'));
  const record = join(folder, 'sas-grid-nfs.volumes.json');
  afterAll(() => rmSync(folder, { recursive: true }));

  const config = loadConfig('sas-grid-nfs');
  const made = (change: Partial<DeploymentConfig>, deployed?: KeptResources) => {
    if (deployed) recordKeptResources(record, deployed);
    const app = testApp();
    createDeployment(app, 'sas-grid-nfs', { ...config, ...change }, deployed ? record : '/nonexistent');
    return app;
  };
  const deployed = keptResources(made({}));
  const grid = config.grid!;

  test.each<[what: string, change: Partial<DeploymentConfig>, message: RegExp]>([
    [
      'a benchmark that is taken out',
      { benchmark: undefined },
      /npx cdk destroy sas-grid-nfs-benchmark --exclusively/,
    ],
    [
      'another image of the grid',
      { grid: { ...grid, image: { amiId: 'ami-0123456789abcdef0' } } },
      /Server\w+: imageId changes from .* a new server could not have the interface .* take it out of the record/,
    ],
    [
      'a protected node that goes',
      { grid: { ...grid, nodes: 1 } },
      /GridNode2Server\w+ is no longer in the deployment, and protected .* terminationProtection: false first/,
    ],
    [
      'another range of the VPC',
      { network: { vpcCidr: '172.16.0.0/19' } },
      /cidrBlock changes from "172\.16\.0\.0\/20"/,
    ],
    [
      'a zone that was not named so far',
      { network: { ...config.network, availabilityZone: 'us-east-1a' } },
      /write it into the record as availabilityZone of the subnets/,
    ],
  ])('refuses %s, and says what to do', (_, change, message) => {
    expect(() => made(change, deployed)).toThrow(message);
  });

  test('lets a node go that is not protected, and takes the protection off', () => {
    const off = { ...grid, terminationProtection: false };
    const unprotected = keptResources(made({ grid: off }, deployed));
    expect(() => made({ grid: { ...off, nodes: 1 } }, unprotected)).not.toThrow();
  });

  test('takes the zone for the one that is deployed when the record says so', () => {
    const zone = 'us-east-1a';
    const known = Object.fromEntries(
      Object.entries(deployed).map(([name, identity]) => [
        name,
        /Subnet\w+$/.test(name) ? { ...identity, availabilityZone: zone } : identity,
      ]),
    );
    const named = (availabilityZone: string) => () =>
      made({ network: { ...config.network, availabilityZone } }, known);
    expect(named(zone)).not.toThrow();
    expect(named('us-east-1b')).toThrow(
      /Volume\w+: availabilityZone changes from "us-east-1a" to "us-east-1b"/,
    );
  });

  test('keeps the tags of its placement group, and tags the rest', () => {
    const tagsIn = (app: App) => {
      const { Resources } = app.synth().getStackByName('sas-grid-nfs-network').template as Template;
      const all = Object.values(Resources) as { Type: string; Properties: { Tags?: { Key: string }[] } }[];
      const tagged = (kind: string) =>
        all.find(({ Type }) => Type === `AWS::EC2::${kind}`)!.Properties.Tags!.map(({ Key }) => Key);
      return { group: tagged('PlacementGroup'), vpc: tagged('VPC') };
    };
    const first = made({ tags: { team: 'grid' } });
    const before = keptResources(first);
    expect(tagsIn(first).group).toContain('team');
    const later = tagsIn(made({ tags: { cost: '1' } }, before));
    expect(later.group).toEqual(expect.arrayContaining(['team']));
    expect(later.group).not.toContain('cost');
    expect(later.vpc).toContain('cost');
    expect(tagsIn(made({ tags: { cost: '1' } }, deployed)).group).not.toContain('cost');
  });

  test('does not forget kept volumes', () => {
    const kept = (id: string) => {
      const ebs = {
        ...config.nfs!.ebs,
        volumeCount: undefined,
        throughputMBps: undefined,
        existingVolumes: [id],
      };
      return { nfs: { ebs } };
    };
    const before = keptResources(made(kept('vol-1111111111111')));
    expect(() => made(kept('vol-1111111111111'), before)).not.toThrow();
    expect(() => made(kept('vol-2222222222222'), before)).toThrow(
      /existingVolumes changes from \["vol-1{13}"\]/,
    );
    // A record from before they were recorded.
    const { existingVolumes: _, ...nfs } = before['sas-grid-nfs-storage/sas-grid-nfs-storage/Nfs']!;
    const old = { ...before, 'sas-grid-nfs-storage/sas-grid-nfs-storage/Nfs': nfs };
    expect(() => made(kept('vol-1111111111111'), old)).not.toThrow();
  });
});

test('the stripe of volumes that nodes share stays, and an older record says nothing of it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stripe-'));
  const config = loadConfig('sas-grid-gfs2');
  const striped = (stripeKiB: number, deployed?: KeptResources) =>
    synthesize('sas-grid-gfs2', { ...config, io2: { ...config.io2!, stripeKiB } }, folder, deployed).kept;
  try {
    const kept = striped(1024);
    expect(() => striped(512, kept)).toThrow(/: stripeKiB changes from "1024" to "512"; /);
    const before = Object.entries(kept).map(([name, { stripeKiB: _, ...rest }]) => [name, rest]);
    expect(() => striped(512, Object.fromEntries(before))).not.toThrow();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the storage is recorded when it is deployed, and what is recorded of the rest stays until that is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'record-'));
  const file = join(folder, 'a.volumes.json');
  try {
    recordKeptResources(file, { 'a-storage/Old': { sizeGiB: 1 }, 'a-grid/Node': { subnetId: 'one' } });
    recordKeptStorage(file, 'a', {
      'a-network/Vpc': { cidrBlock: '10.0.0.0/16' },
      'a-storage/New': { sizeGiB: 2 },
      'a-grid/Node': { subnetId: 'two' },
    });
    expect(readRecord(file)).toEqual({
      'a-network/Vpc': { cidrBlock: '10.0.0.0/16' },
      'a-storage/New': { sizeGiB: 2 },
      'a-grid/Node': { subnetId: 'one' },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
