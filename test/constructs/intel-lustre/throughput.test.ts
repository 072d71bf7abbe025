import { Lazy, Size, type Stack } from 'aws-cdk-lib';
import { EbsDeviceVolumeType, InstanceType } from 'aws-cdk-lib/aws-ec2';
import { LustrePreset, ThroughputPerCore } from '../../../constructs';
import { warnings } from '../nfs-storage-server/stack';
import { lustreStack } from './stack';

/** Warnings about servers and their volumes. */
const bandwidth = (stack: Stack) => warnings(stack).filter((text) => text.includes('BelowVolumes'));

const notes = (stack: Stack) =>
  stack.node
    .findAll()
    .flatMap(({ node }) => node.metadata.filter(({ type }) => type === 'aws:cdk:info'))
    .map(({ data }) => String(data));

describe('a file system that is sized by what it has to deliver', () => {
  const throughputMBps = ThroughputPerCore.mbps(50).forNodes(4, new InstanceType('i2.8xlarge'));

  test("has as many of the papers' servers as their 500 MB/s each take", () => {
    const { stack, lustre } = lustreStack({ preset: LustrePreset.papers2015(), throughputMBps });
    expect(throughputMBps).toBe(3200);
    expect(lustre.oss.slots).toHaveLength(7);
    expect(notes(stack)).toEqual([
      expect.stringMatching(/7 object storage servers for 3200 MB\/s.*serverCount: 7/),
    ]);
  });

  test('has fewer where another type and other volumes deliver more', () => {
    const oss = { instanceType: new InstanceType('m6in.16xlarge') };
    expect(lustreStack({ throughputMBps }).lustre.oss.slots).toHaveLength(2);
    expect(lustreStack({ throughputMBps, oss }).lustre.oss.slots).toHaveLength(2);
    const volume = {
      volumeType: EbsDeviceVolumeType.GP3,
      size: Size.gibibytes(500),
      throughputMiBps: 1000,
      iops: 4000,
    };
    expect(lustreStack({ throughputMBps, oss: { ...oss, volume } }).lustre.oss.slots).toHaveLength(1);
  });

  test('keeps a number of servers that is named, and says when it is too small', () => {
    const preset = LustrePreset.papers2015();
    const few = lustreStack({ preset, throughputMBps, oss: { serverCount: 3 } });
    expect(few.lustre.oss.slots).toHaveLength(3);
    expect(warnings(few.stack)).toContainEqual(
      expect.stringMatching(/3 object storage servers give 1.5 GB\/s; the throughputMBps of 3200 needs 7 \(/),
    );
    const enough = lustreStack({ preset, throughputMBps, oss: { serverCount: 7 } });
    expect(warnings(enough.stack).join()).not.toContain('needs');
    expect(notes(enough.stack)).toEqual([]);
  });

  test('is refused where nobody can say how many servers that are', () => {
    const token = Lazy.number({ produce: () => 3200 });
    expect(() => lustreStack({ throughputMBps: token })).toThrow(
      /throughputMBps is 'a token'.*oss.serverCount/,
    );
    expect(lustreStack({ throughputMBps: token, oss: { serverCount: 2 } }).lustre.oss.slots).toHaveLength(2);
    for (const value of [0, -5, 1e8]) {
      expect(() => lustreStack({ throughputMBps: value })).toThrow(/above 0, up to 10000000/);
    }
    expect(() => lustreStack({ throughputMBps: Number.NaN })).toThrow(
      /throughputMBps is NaN; allowed: a number that is finite\. .+/,
    );
    expect(() => lustreStack({ throughputMBps: 1_000_000 })).toThrow(
      /up to 400000, what 128 object storage servers give.*larger servers/,
    );
    const unknown = {
      throughputMBps,
      newInstanceTypes: true,
      oss: { instanceType: new InstanceType('m99.large') },
    };
    expect(() => lustreStack(unknown)).toThrow(/does not know m99.large.*Name oss.serverCount/);
    const volume = {
      volumeType: EbsDeviceVolumeType.GP3,
      size: Size.gibibytes(500),
      throughputMiBps: Lazy.number({ produce: () => 250 }),
    };
    expect(() => lustreStack({ throughputMBps, oss: { volume } })).toThrow(
      /Name oss.serverCount.*at deployment/,
    );
  });
});

describe('volumes that are faster than their server', () => {
  const gp3 = (throughputMiBps?: number) => ({
    volumeType: EbsDeviceVolumeType.GP3,
    size: Size.gibibytes(500),
    throughputMiBps,
  });
  const told = (instanceType: string, throughputMiBps?: number) =>
    bandwidth(
      lustreStack({ oss: { instanceType: new InstanceType(instanceType), volume: gp3(throughputMiBps) } })
        .stack,
    );

  test('are told with what the server carries to them', () => {
    expect(told('m6in.4xlarge', 375)).toEqual([
      expect.stringMatching(
        /deliver 3146 MB\/s all day; .* 1563 MB\/s \(EBS bandwidth of m6in.4xlarge\).*ebsBandwidthBelowVolumes/,
      ),
    ]);
  });

  test('are told with what the server carries to the clients', () => {
    expect(told('r5b.8xlarge', 250)).toEqual([
      expect.stringMatching(
        /deliver 2097 MB\/s all day; .* 1250 MB\/s \(network of r5b.8xlarge\).*networkBelowVolumes/,
      ),
    ]);
  });

  test('a tenth more is nothing to tell, as with the preset', () => {
    expect(bandwidth(lustreStack().stack)).toEqual([]);
    expect(told('m6in.8xlarge', 400)).toEqual([]);
    expect(told('m6in.8xlarge', 420)).toHaveLength(1);
  });

  test('tokens are skipped', () => {
    expect(told('m6in.large', Lazy.number({ produce: () => 1000 }))).toEqual([]);
  });
});
