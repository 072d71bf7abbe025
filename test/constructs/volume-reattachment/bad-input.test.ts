import { Duration, Fn, Size } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import { HostBundle, HostRole } from '../../../constructs/host';
import type { VolumeReattachmentProps } from '../../../constructs/volume-reattachment';
import { VolumeReattachment } from '../../../constructs/volume-reattachment';
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
  ['half a slot', { slotCount: 1.5 }, ['slotCount is 1.5', 'whole number']],
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
        /Test\/Oss.*sas-grid-serve.*allowed: .*lustre-mgs, lustre-mds, lustre-oss, nfs-server, local-volumes\. Give it one/s,
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
