import { Fn, Lazy, Size, type Stack } from 'aws-cdk-lib';
import { EbsDeviceVolumeType, InstanceType } from 'aws-cdk-lib/aws-ec2';
import {
  FsxLustre,
  FsxLustreStorage,
  type GridNetwork,
  IntelLustre,
  LustrePreset,
  NfsStorage,
  NfsStorageServer,
  type SasGridClusterProps,
  ThroughputPerCore,
} from '../../../constructs';
import { warnings } from '../nfs-storage-server/stack';
import { gridStack, IMAGE } from './stack';

const mbps = (value: number) => ThroughputPerCore.mbps(value);

/** The grid of the papers, 4 x i2.8xlarge = 64 cores, on their Lustre. */
const papers =
  (more: Partial<SasGridClusterProps>, servers = 3) =>
  (stack: Stack, network: GridNetwork): Partial<SasGridClusterProps> => ({
    nodeCount: 3,
    nodeInstanceType: new InstanceType('i2.8xlarge'),
    sharedFileSystem: new IntelLustre(stack, 'Lustre', {
      network,
      machineImage: IMAGE,
      preset: LustrePreset.papers2015(),
      oss: { serverCount: servers },
    }),
    ...more,
  });

/** Warnings about what the nodes want, without those about what else the papers' servers lack. */
const about = (stack: Stack) =>
  warnings(stack).filter((text) => /hroughput(NotKnown)?\]/.test(text) || text.includes('too slow'));

describe('the grid of the papers', () => {
  test('is told what its shared space gives each core, and how many servers it takes', () => {
    const { stack } = gridStack(papers({ sharedThroughput: mbps(50), temporaryThroughput: mbps(100) }));
    expect(about(stack)).toEqual([
      expect.stringContaining(
        'The shared file system is too slow. 3 servers give 1.5 GB/s = 23 MB/s per core for 64 cores; 50 needs 7. ' +
          'Now: 3 servers x 500 MB/s: the interface of c3.8xlarge',
      ),
    ]);
    expect(about(stack)[0]).toContain('cdk-sas-grid:sharedThroughput');
  });

  test('with as many servers as were said there is nothing to tell', () => {
    const { stack } = gridStack(papers({ sharedThroughput: mbps(50), failOnShortfall: true }, 7));
    expect(about(stack)).toEqual([]);
  });

  test('fails where that is wanted, with the same numbers', () => {
    const props = papers({ sharedThroughput: mbps(50), failOnShortfall: true });
    expect(() => gridStack(props)).toThrow(
      /sharedThroughput in MB\/s for each core is 50; allowed: up to 23.4, .*50 needs 7.*without failOnShortfall/,
    );
  });

  test('is predicted without being asked, and not warned', () => {
    const { stack, grid } = gridStack(papers({}));
    expect(about(stack)).toEqual([]);
    expect(grid.predictedSharedThroughput).toMatchObject({ throughputMBps: 1500, mbpsPerCore: 1500 / 64 });
    expect(grid.predictedSharedThroughput.limit).toContain('interface of c3.8xlarge');
    // About 3 GB/s for a node (paper 001).
    expect(grid.predictedTemporaryThroughput).toMatchObject({ throughputMBps: 4 * 3000, mbpsPerCore: 187.5 });
  });

  test('a control server of another type runs no jobs', () => {
    const props = { controlInstanceType: new InstanceType('c3.xlarge'), sharedThroughput: mbps(50) };
    expect(about(gridStack(papers(props)).stack)[0]).toContain('31 MB/s per core for 48 cores; 50 needs 5.');
  });

  test('without scratch the shared space has to bear temporary space, too', () => {
    const props = {
      ephemeralScratch: false,
      sharedThroughput: mbps(50),
      temporaryThroughput: mbps(100),
      nodeInstanceType: new InstanceType('i3en.12xlarge'),
    };
    const { stack, grid } = gridStack(papers(props));
    expect(about(stack).find((text) => text.includes('temporaryThroughput'))).toMatch(
      /where the temporary space is as well, is too slow\. .*; 150 needs 29\./,
    );
    expect(() => gridStack(papers({ ...props, failOnShortfall: true }, 10))).toThrow(
      /temporaryThroughput and sharedThroughput together in MB\/s for each core is 150/,
    );
    expect(grid.predictedTemporaryThroughput).toEqual({ text: expect.stringContaining('None') });
  });

  test('servers with kept volumes are taken for what the new ones are', () => {
    const existingVolumes = Array.from({ length: 8 }, (_, index) => `vol-0000000${index}`);
    const { grid } = gridStack((stack, network) => ({
      nodeInstanceType: new InstanceType('i2.8xlarge'),
      sharedFileSystem: new IntelLustre(stack, 'Lustre', {
        network,
        machineImage: IMAGE,
        // Volumes are the limit: four of 125 MiB/s in each server.
        oss: {
          serverCount: 4,
          volumesPerServer: 4,
          existingVolumes,
          volume: { volumeType: EbsDeviceVolumeType.GP3, size: Size.gibibytes(500) },
        },
      }),
    }));
    expect(grid.predictedSharedThroughput.throughputMBps).toBeCloseTo(4 * 4 * 125 * 1.048576);
  });
});

test('scratch that is too slow is told with what the disks give', () => {
  const { stack } = gridStack({
    nodeInstanceType: new InstanceType('i4i.8xlarge'),
    temporaryThroughput: mbps(400),
  });
  expect(about(stack)).toEqual([
    expect.stringMatching(
      /scratch of the nodes is too slow\..*145 MB\/s per core for 64 cores; 400 are wanted \(.*i4i.8xlarge/,
    ),
  ]);
});

test('one NFS server is not told to be several', () => {
  const { stack } = gridStack((scope, network) => ({
    nodeInstanceType: new InstanceType('i4i.8xlarge'),
    sharedThroughput: mbps(50),
    sharedFileSystem: new NfsStorageServer(scope, 'Nfs', {
      network,
      machineImage: IMAGE,
      storage: NfsStorage.ebs(),
    }),
  }));
  const [text] = about(stack);
  expect(text).toMatch(/1 server gives \d+ MB\/s = .* 50 are wanted, and NFS has one server \(1 server x/);
});

test('a managed file system is compared with what it was bought with', () => {
  const { stack } = gridStack((scope, network) => ({
    nodeInstanceType: new InstanceType('i4i.8xlarge'),
    sharedThroughput: mbps(50),
    sharedFileSystem: new FsxLustre(scope, 'Fsx', {
      network,
      storage: FsxLustreStorage.ssd({ capacity: Size.gibibytes(2400), throughputPerTiB: 500 }),
    }),
  }));
  expect(about(stack)[0]).toContain(
    '1.2 GB/s = 19 MB/s per core for 64 cores; 50 are wanted (1 file system x',
  );
});

describe('what cannot be compared', () => {
  test('a file system that nobody knows is no file system that is fast enough', () => {
    const { stack, grid } = gridStack({ sharedThroughput: mbps(50), failOnShortfall: true });
    expect(about(stack)).toEqual([
      expect.stringMatching(/what the shared file system is made of is not known/),
    ]);
    expect(grid.predictedSharedThroughput).toEqual({ text: expect.stringMatching(/^Not known/) });
  });

  test('nodes of a type that nobody knows', () => {
    const { stack } = gridStack({
      nodeInstanceType: new InstanceType('m99.large'),
      newInstanceTypes: true,
      ephemeralScratch: false,
      sharedThroughput: mbps(50),
    });
    expect(about(stack)).toEqual([expect.stringMatching(/how many cores the nodes have/)]);
  });

  test('tokens are skipped', () => {
    const { stack, grid } = gridStack({
      nodeInstanceType: new InstanceType(Fn.ref('Type')),
      newInstanceTypes: true,
      ephemeralScratch: false,
      sharedThroughput: mbps(50),
    });
    expect(about(stack)).toEqual([]);
    expect(grid.predictedSharedThroughput.mbpsPerCore).toBeUndefined();
    const wish = mbps(Lazy.number({ produce: () => 50 }));
    expect(about(gridStack({ sharedThroughput: wish }).stack)).toEqual([]);
    expect(about(gridStack(papers({ sharedThroughput: wish, failOnShortfall: true })).stack)).toEqual([]);
  });
});
