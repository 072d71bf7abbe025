import { Duration, Fn, Lazy, Size } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import { HostBundle, HostRole } from '../../../constructs/host';
import type { VolumeReattachmentProps } from '../../../constructs/volume-reattachment';
import { StandbyServers, VolumeReattachment } from '../../../constructs/volume-reattachment';
import { testStack } from '../../helpers/app';
import { tierIn, tierProps } from './tier';

const gp3 = (gibibytes: number, more: object = {}) => ({
  volumeType: ec2.EbsDeviceVolumeType.GP3,
  size: Size.gibibytes(gibibytes),
  ...more,
});

const cases: [string, Partial<VolumeReattachmentProps>, (string | RegExp)[]][] = [
  ['a tier with capitals', { tier: 'OSS' }, ["tier is 'OSS'", 'lower-case', 'oss']],
  ['no slots', { slotCount: 0 }, ['slotCount is 0', '1 to 128']],
  ['too many slots', { slotCount: 129 }, ['slotCount is 129', '1 to 128']],
  [
    'more spares than slots',
    { standby: StandbyServers.hotSpare(3) },
    ['standby: the number of hot spares is 3', '1 to 2', 'may be lost at once'],
  ],
  ['no spare as a hot spare', { standby: StandbyServers.hotSpare(0) }, ['hot spares is 0', '1 to 2']],
  ['half a spare', { standby: StandbyServers.hotSpare(0.5) }, ['hot spares is 0.5', 'whole number']],
  ['half a slot', { slotCount: 1.5 }, ['slotCount is 1.5', 'whole number']],
  [
    'probes twice a minute',
    { healthProbe: { interval: Duration.seconds(30) } },
    ['healthProbe.interval', '30 seconds', 'whole minutes from 1 to 15'],
  ],
  [
    'probes once an hour',
    { healthProbe: { interval: Duration.hours(1) } },
    ['healthProbe.interval', '1 to 15'],
  ],
  [
    'a replacement after a single failure',
    { healthProbe: { misses: 1 } },
    ['healthProbe.misses is 1', '2 to 10'],
  ],
  ['no volumes', { volumes: [] }, ['number of volumes per slot is 0', '1 to']],
  [
    'more volumes than the type attaches',
    { volumes: Array(30).fill(gp3(10)) },
    ['m6in.8xlarge is 30', 'at most', 'fewer'],
  ],
  ['a gp3 volume that is too large', { volumes: [gp3(70_000)] }, ['volumes[0]', '70000', '65536']],
  ['too many IOPS', { volumes: [gp3(1000, { iops: 100_000 })] }, ['volumes[0]', '100000', '80000']],
  [
    'too few existing volumes',
    { existingVolumes: ['vol-00000000'] },
    ['existingVolumes is 1', 'a multiple of 2', 'up to 4 for 2 slots', 'slot 00'],
  ],
  [
    'more existing volumes than slots',
    { existingVolumes: Array(6).fill('vol-00000000') },
    ['existingVolumes is 6', 'up to 4 for 2 slots'],
  ],
  [
    'existing volumes of which nobody knows how many',
    { existingVolumes: Fn.split(',', Fn.importValue('volumes')) },
    ["existingVolumes is 'a token'", 'known at synthesis', 'Spell'],
  ],
  [
    'an existing volume that is none',
    { existingVolumes: Array(4).fill('my-volume') },
    ["'my-volume'", 'vol-0123'],
  ],
  [
    'an existing volume named twice',
    { existingVolumes: Array(4).fill('vol-00000000') },
    ["'vol-00000000'", 'twice'],
  ],
  ['too few addresses', { addresses: ['172.16.4.20'] }, ['number of addresses is 1', '2, one per slot']],
  ['an address that is none', { addresses: ['172.16.4', '172.16.4.21'] }, ["'172.16.4'", 'IPv4']],
  [
    'an address elsewhere',
    { addresses: ['172.16.5.1', '172.16.4.21'] },
    ["'172.16.5.1'", '172.16.4.4 to 172.16.4.254'],
  ],
  ['an address that EC2 keeps', { addresses: ['172.16.4.2', '172.16.4.21'] }, ["'172.16.4.2'", 'first four']],
  ['an address named twice', { addresses: ['172.16.4.20', '172.16.4.20'] }, ["'172.16.4.20'", 'twice']],
  ['a hasty time-out', { recoveryTimeout: Duration.minutes(1) }, ['recoveryTimeout is', '5 to 720']],
  ['a time-out of days', { recoveryTimeout: Duration.days(2) }, ['recoveryTimeout is', '5 to 720']],
  ['a rare schedule', { schedule: Duration.hours(3) }, ['schedule is', '1 to 60']],
  [
    'slots of which nobody knows how many',
    { slotCount: Lazy.number({ produce: () => 2 }) },
    ["slotCount is 'a token'", 'known at synthesis', 'Spell'],
  ],
  [
    'more slots and volumes than the map can be told of at once',
    { slotCount: 128, volumes: Array(20).fill(gp3(10)), addresses: undefined },
    ['describes the slots', 'up to 262144 (128 slots with 20 volumes each)', 'several tiers'],
  ],
  ['no place for interfaces', { resourcesInStack: -1 }, ['resourcesInStack is -1', '0 to 500']],
  [
    'addresses of which nobody knows how many',
    { addresses: Fn.split(',', Fn.importValue('addresses')) },
    ["addresses is 'a token'", 'known at synthesis', 'Spell'],
  ],
  [
    'an address with zeros in front',
    { addresses: ['172.16.4.020', '172.16.4.21'] },
    ["'172.16.4.020'", 'IPv4'],
  ],
  ['a volume of one and a half GiB', { volumes: [gp3(1.5)] }, ['volumes[0]', 'is 1.5', 'whole number']],
  [
    'a volume of 1500 MiB',
    { volumes: [{ volumeType: ec2.EbsDeviceVolumeType.GP3, size: Size.mebibytes(1500) }] },
    ['volumes[0]', 'is 1.46484375', 'whole number'],
  ],
  ['a volume of no number', { volumes: [gp3(Number.NaN)] }, ['volumes[0]', 'is NaN', 'whole number']],
  [
    'a volume of a token in MiB',
    {
      volumes: [
        { volumeType: ec2.EbsDeviceVolumeType.GP3, size: Size.mebibytes(Lazy.number({ produce: () => 1 })) },
      ],
    },
    ['volumes[0]: size', 'a token in another unit', 'in GiB'],
  ],
  [
    'a time-out in milliseconds',
    { recoveryTimeout: Duration.millis(90_500) },
    ['recoveryTimeout is', 'whole minutes from 5 to 720'],
  ],
  [
    'a time-out that nobody knows',
    { recoveryTimeout: Duration.minutes(Lazy.number({ produce: () => 60 })) },
    ["recoveryTimeout is 'a token'", 'known at synthesis'],
  ],
  [
    'a schedule that nobody knows',
    { schedule: Duration.minutes(Lazy.number({ produce: () => 5 })) },
    ["schedule is 'a token'", 'known at synthesis'],
  ],
  [
    'a root disk of 10000 MiB',
    { rootVolumeSize: Size.mebibytes(10_000) },
    ['rootVolumeSize in GiB is 9.765625', 'whole number'],
  ],
  ['a root device without /dev', { rootDeviceName: 'xvda' }, ["rootDeviceName is 'xvda'", '/dev/', 'RHEL']],
  [
    'a type that is none',
    { instanceType: new ec2.InstanceType('banana') },
    ["instanceType is 'banana'", 'm6in'],
  ],
  ['a tiny root disk', { rootVolumeSize: Size.gibibytes(2) }, ['rootVolumeSize in GiB is 2', '8 to 16384']],
];

test.each(cases)('%s is refused with value, range and fix', (_name, props, words) => {
  const stack = testStack();
  let message = '';
  try {
    tierIn(stack, props);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toMatch(/^Test\/Oss: .* is .*; allowed: .*\. .+/);
  for (const word of words)
    expect(message).toMatch(typeof word === 'string' ? new RegExp(literal(word)) : word);
});

test('a part of an hour is accepted where it is whole minutes', () => {
  const stack = testStack();
  tierIn(stack, { recoveryTimeout: Duration.hours(0.3), schedule: Duration.hours(0.1) });
  Template.fromStack(stack).hasResourceProperties('AWS::Events::Rule', {
    ScheduleExpression: 'rate(6 minutes)',
  });
});

describe('host software that cannot serve a slot', () => {
  const tierWith = (hostBundle: HostBundle) => {
    const stack = testStack();
    tierIn(stack, { hostBundle });
    return () => Template.fromStack(stack);
  };

  test('is refused at synthesis, with the roles that can', () => {
    const client = new HostBundle();
    client.addRole(HostRole.LUSTRE_CLIENT, { FSNAME: 'sasfs' });
    for (const bundle of [new HostBundle(), client]) {
      expect(tierWith(bundle)).toThrow(
        /Test\/Oss.*sas-grid-serve.*allowed: .*lustre-mgs, .*, nfs-server, local-volumes\. Give it one/s,
      );
    }
  });

  test('is accepted with a role that comes after the tier', () => {
    const bundle = new HostBundle();
    const synthesize = tierWith(bundle);
    bundle.addRole(HostRole.LUSTRE_MDS, { FSNAME: 'sasfs' });
    expect(synthesize).not.toThrow();
  });
});

test('two tiers of one name on one map are refused', () => {
  const stack = testStack();
  const props = tierProps(stack);
  new VolumeReattachment(stack, 'One', props);
  expect(() => new VolumeReattachment(stack, 'Two', props)).toThrow(
    /Test\/Two: tier is 'oss'; allowed: .*other than oss/,
  );
});

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
