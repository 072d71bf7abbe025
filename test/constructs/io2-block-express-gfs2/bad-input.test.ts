import { CfnParameter, Duration, Size } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { InstanceType, LookupMachineImage, MachineImage } from 'aws-cdk-lib/aws-ec2';
import { Gfs2OperatingSystem, type Io2BlockExpressGfs2Props } from '../../../constructs';
import { testStack } from '../../helpers/app';
import fc from '../../helpers/fast-check';
import { io2In, io2Stack, r5b } from './stack';

const ID = 'vol-0123456789abcdef0';

const cases: [string, Partial<Io2BlockExpressGfs2Props>, RegExp][] = [
  ['no host', { nodeCount: 0 }, /nodeCount is 0; allowed: a whole number from 1 to 16\. .*IntelLustre/],
  ['17 nodes', { nodeCount: 17 }, /nodeCount is 17; allowed: .*1 to 16/],
  ['half a node', { nodeCount: 2.5 }, /nodeCount is 2\.5; allowed: a whole number/],
  [
    'an adjustment of 11 percent',
    { iopsAdjustment: 11 },
    /iopsAdjustment in percent is 11; allowed: .*-10 to 10/,
  ],
  [
    'an adjustment as a fraction',
    { iopsAdjustment: 0.1 },
    /iopsAdjustment in percent is 0\.1; allowed: a whole/,
  ],
  ['a relative mount point', { mountPoint: 'sasdata' }, /mountPoint is 'sasdata'; allowed: an absolute path/],
  [
    'a volume too small for its IOPS',
    { size: Size.gibibytes(10) },
    /IOPS of a io2 volume of 10 GiB is 14306; allowed: at most 10000 .*at least 15 GiB/,
  ],
  [
    'two volumes too small for their IOPS',
    { size: Size.gibibytes(16), instanceType: r5b('16xlarge') },
    /2 equal shares of size\) is 9537; allowed: at most 8000/,
  ],
  [
    'a volume too large',
    { size: Size.tebibytes(65) },
    /size of a io2 volume in GiB is 66560; allowed: .*4 to 65536/,
  ],
  [
    'more throughput than volumes can be attached',
    { throughputMBps: 44_000 + 1 },
    /throughputMBps is 44001; allowed: .*26 to 44000/,
  ],
  ['no throughput', { throughputMBps: 0 }, /throughputMBps is 0; allowed/],
  [
    'a type whose throughput nobody knows',
    { instanceType: new InstanceType('x99.large') },
    /throughputMBps is undefined; allowed: a number where .*x99\.large\. Name what EBS gives/,
  ],
  [
    'a type before Nitro',
    { instanceType: new InstanceType('m4.10xlarge') },
    /instanceType is 'm4\.10xlarge'; allowed: a Nitro type\. Use R5b/,
  ],
  [
    'a cluster of types before Nitro',
    { nodeCount: 2, instanceType: new InstanceType('c4.8xlarge') },
    /allowed: a Nitro type\. .*Multi-Attach/,
  ],
  [
    'a stripe that is no power of two',
    { stripe: Size.kibibytes(100) },
    /stripe in KiB is 100; allowed: a power/,
  ],
  ['a read-ahead of nothing', { readAhead: Size.kibibytes(0) }, /readAhead in KiB is 0; allowed/],
  [
    'read-ahead in a cluster',
    { nodeCount: 2, readAhead: Size.kibibytes(256) },
    /readAhead is .*nothing for a cluster/,
  ],
  [
    'a cluster name for one host',
    { clusterName: 'sas' },
    /clusterName is 'sas'; allowed: nothing for one host/,
  ],
  [
    'a schedule for a cluster',
    { nodeCount: 2, schedule: Duration.minutes(5) },
    /schedule is .*nothing for a cluster/,
  ],
  [
    'a set of another number of volumes',
    { nodeCount: 2, restoreFrom: { set: '20261128T010203Z', snapshots: ['snap-0123456789abcdef0'] } },
    /number of restoreFrom.snapshots is 1; allowed: a multiple of 2, .* up to 2/,
  ],
  [
    'a set, and volumes that exist',
    {
      nodeCount: 2,
      existingVolumes: ['vol-01234567', 'vol-01234568'],
      restoreFrom: { set: '20261128T010203Z', snapshots: ['snap-01234567', 'snap-01234568'] },
    },
    /restoreFrom is '20261128T010203Z'; allowed: a set, or existingVolumes, not both/,
  ],
  [
    'a hasty time-out',
    { nodeCount: 2, mountTimeout: Duration.minutes(1) },
    /mountTimeout in minutes is 1; allowed: .*5 to 720/,
  ],
  [
    'a cluster name with a dash',
    { nodeCount: 2, clusterName: 'sas-fs' },
    /clusterName is 'sas-fs'; allowed: a lower-case/,
  ],
  [
    'a node name with capitals',
    { nodeCount: 2, nodeNamePrefix: 'Node' },
    /nodeNamePrefix is 'Node'; allowed/,
  ],
  [
    'too few addresses',
    { nodeCount: 2, addresses: ['172.16.4.80'] },
    /number of addresses is 1; allowed: 2, one per node/,
  ],
  [
    'an address twice',
    { nodeCount: 2, addresses: ['172.16.4.80', '172.16.4.80'] },
    /addresses is '172\.16\.4\.80'; allowed: .*differ/,
  ],
  [
    'a volume twice',
    { nodeCount: 2, existingVolumes: [ID, ID] },
    /existingVolumes is 'vol-.*'; allowed: .*differ/,
  ],
  [
    'a volume that is none',
    { nodeCount: 2, existingVolumes: ['data'] },
    /existingVolumes is 'data'; allowed: ids/,
  ],
  [
    'no existing volume',
    { nodeCount: 2, existingVolumes: [] },
    /number of volumes for 7500 MB\/s is 0; allowed: a whole number from 1/,
  ],
  [
    'RHEL 10 in a cluster',
    { nodeCount: 2, operatingSystem: Gfs2OperatingSystem.RHEL_10 },
    /operatingSystem is 'rhel-10'; allowed: one with GFS2\. .*RHEL 10 removed it\. Use RHEL 8 or 9/,
  ],
  [
    'Amazon Linux in a cluster',
    { nodeCount: 2, machineImage: MachineImage.latestAmazonLinux2023() },
    /machineImage is .*; allowed: an image of a system with GFS2\. Amazon Linux never had GFS2/,
  ],
  [
    'an image that is called RHEL 10',
    { nodeCount: 2, machineImage: new LookupMachineImage({ name: 'RHEL-10.0.0_HVM-*' }) },
    /machineImage is .*RHEL-10.*RHEL 10 removed it/,
  ],
];

test.each(cases)('%s is refused, with the range and the fix', (_, props, message) => {
  expect(() => io2Stack(props)).toThrow(message);
});

test('what decides how many resources there are has to be known at synthesis', () => {
  const stack = testStack();
  const token = new CfnParameter(stack, 'Number', { type: 'Number' }).valueAsNumber;
  const list = new CfnParameter(stack, 'List', { type: 'CommaDelimitedList' }).valueAsList;
  const unknown: Partial<Io2BlockExpressGfs2Props>[] = [
    { nodeCount: token },
    { throughputMBps: token },
    { size: Size.gibibytes(token) },
    { nodeCount: 2, existingVolumes: list },
    { nodeCount: 2, addresses: list },
  ];
  for (const props of unknown) {
    expect(() => io2Stack(props)).toThrow(/is 'a token'; allowed: .*known at synthesis/);
  }
});

test('one host may run what has no GFS2', () => {
  for (const operatingSystem of [Gfs2OperatingSystem.RHEL_10, Gfs2OperatingSystem.AMAZON_LINUX]) {
    expect(() => io2Stack({ operatingSystem })).not.toThrow();
  }
  expect(() => io2Stack({ machineImage: MachineImage.latestAmazonLinux2023() })).not.toThrow();
});

test('any input is a template, or an error that says what is allowed and what to do', () => {
  const number = (min: number, max: number) => fc.option(fc.integer({ min, max }), { nil: undefined });
  const any = fc.record({
    nodeCount: number(-1, 20),
    size: fc.integer({ min: 1, max: 400_000 }).map((gibibytes) => Size.gibibytes(gibibytes)),
    instanceType: fc.constantFrom('large', '12xlarge', '24xlarge', 'metal', '99xlarge').map(r5b),
    throughputMBps: number(-10, 60_000),
    iopsAdjustment: number(-12, 12),
    stripe: fc.option(
      fc.integer({ min: 0, max: 9000 }).map((kib) => Size.kibibytes(kib)),
      { nil: undefined },
    ),
    mountPoint: fc.option(fc.string({ maxLength: 8 }), { nil: undefined }),
    clusterName: fc.option(fc.string({ maxLength: 40 }), { nil: undefined }),
    newInstanceTypes: fc.boolean(),
  });
  fc.assert(
    fc.property(any, (props) => {
      const stack = testStack();
      try {
        io2In(stack, props);
      } catch (error) {
        expect((error as Error).name).toBe('InvalidInputError');
        expect((error as Error).message).toMatch(/^Test\/.* is .*; allowed: .*\. .+/s);
        return;
      }
      const volumes = Object.values(Template.fromStack(stack).findResources('AWS::EC2::Volume'));
      for (const { Properties } of volumes) {
        expect(Properties.Iops).toBeLessThanOrEqual(Math.min(256_000, 1000 * Properties.Size));
        expect(Properties.MultiAttachEnabled === true).toBe((props.nodeCount ?? 1) > 1);
      }
    }),
    { numRuns: 60 },
  );
});
