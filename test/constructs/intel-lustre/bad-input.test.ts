import { Fn, Lazy, Size } from 'aws-cdk-lib';
import { InstanceType } from 'aws-cdk-lib/aws-ec2';
import { HostBundle, type IntelLustreProps, LustreSoftware, MountTarget } from '../../../constructs';
import { lustreStack } from './stack';

const cases: [string, Partial<IntelLustreProps>, RegExp][] = [
  [
    'a file system name of nine characters',
    { fileSystemName: 'sasdata01' },
    /fileSystemName is 'sasdata01'; allowed: 1 to 8 letters.*Shorten it/,
  ],
  ['a file system name with a space', { fileSystemName: 'sas dat' }, /fileSystemName is 'sas dat'; allowed/],
  [
    'no object storage server',
    { oss: { serverCount: 0 } },
    /oss.serverCount is 0; allowed: a whole number from 1 to 128/,
  ],
  [
    '129 object storage servers',
    { oss: { serverCount: 129 } },
    /oss.serverCount is 129; allowed: .*1 to 128/,
  ],
  [
    'more volumes than the map can be told of',
    { oss: { serverCount: 112, volumesPerServer: 20 } },
    /describes the slots .*up to 262144 \(112 slots with 20 volumes each\)\. Use fewer, larger volumes/,
  ],
  [
    'two metadata servers',
    { mds: { serverCount: 2 } },
    /mds.serverCount is 2; allowed: .*1 to 1.*not offered/,
  ],
  ['two management targets', { mgs: { volumesPerServer: 2 } }, /mgs.volumesPerServer is 2; allowed/],
  [
    'a file over more targets than there are',
    { striping: { stripeCount: 25 } },
    /stripeCount is 25; allowed: -1 \(all targets\), or a whole number from 1 to the 24/,
  ],
  ['a stripe count of zero', { striping: { stripeCount: 0 } }, /stripeCount is 0; allowed: -1/],
  [
    'a stripe size that is no multiple of 64 KiB',
    { striping: { stripeSize: Size.kibibytes(100) } },
    /stripeSize in bytes is 102400; allowed: a multiple of 65536/,
  ],
  [
    'a stripe of 4 GiB',
    { striping: { stripeSize: Size.gibibytes(4) } },
    /4294967296; allowed: .*less than 4 GiB/,
  ],
  ['a lock list of zero', { client: { lockLruSize: 0 } }, /client.lockLruSize is 0; allowed/],
  [
    'a tuning parameter with a blank',
    { serverTuning: [{ name: 'obdfilter.*.x', value: '1 2' }] },
    /A Lustre parameter is 'obdfilter.\*.x=1 2'; allowed/,
  ],
  [
    'a monitoring page for the whole world',
    { monitoring: { allowedRanges: ['0.0.0.0/0'] } },
    /monitoring.allowedRanges is '0.0.0.0\/0'; allowed: .*never 0.0.0.0\/0.*company's range/,
  ],
  ['a range that is none', { monitoring: { allowedRanges: ['10.0.0.256/8'] } }, /'10.0.0.256\/8'; allowed/],
  [
    'more volumes than the type can attach',
    { oss: { serverCount: 1, volumesPerServer: 40, instanceType: new InstanceType('m6in.8xlarge') } },
    /allowed/,
  ],
  [
    'servers of which nobody knows how many',
    { oss: { serverCount: Lazy.number({ produce: () => 3 }) } },
    /oss.serverCount is 'a token'; allowed: .*known at synthesis.*Spell the number out/,
  ],
  [
    'volumes of which nobody knows how many',
    { oss: { volumesPerServer: Lazy.number({ produce: () => 3 }) } },
    /oss.volumesPerServer is 'a token'; allowed: .*known at synthesis/,
  ],
  [
    'one address for two tiers',
    { mgs: { addresses: ['172.16.4.20'] }, mds: { addresses: ['172.16.4.20'] } },
    /mds.addresses is '172.16.4.20'; allowed: what no other tier has\. It is one of mgs, too/,
  ],
  [
    'one kept volume for two tiers',
    { mgs: { existingVolumes: ['vol-00000001'] }, mds: { existingVolumes: ['vol-00000001'] } },
    /mds.existingVolumes is 'vol-00000001'; allowed: what no other tier has/,
  ],
  [
    'an address that the network reserves for another tier',
    { oss: { serverCount: 1, addresses: ['172.16.4.64'] } },
    /oss.addresses is '172.16.4.64'; allowed: .*mgs/,
  ],
  [
    'a stripe that nobody knows',
    { striping: { stripeSize: Size.mebibytes(Lazy.number({ produce: () => 1 })) } },
    /striping.stripeSize is 'a token'; allowed: a size known at synthesis/,
  ],
  [
    'a range with zeros in front',
    { monitoring: { allowedRanges: ['10.0.0.01/32'] } },
    /monitoring.allowedRanges is '10.0.0.01\/32'; allowed: an IPv4 range/,
  ],
  [
    'half of the world',
    { monitoring: { allowedRanges: ['128.0.0.0/1'] } },
    /monitoring.allowedRanges is '128.0.0.0\/1'; allowed: an IPv4 range from \/8/,
  ],
  [
    'ranges of which nobody knows how many',
    { monitoring: { allowedRanges: Fn.split(',', Fn.importValue('ranges')) } },
    /monitoring.allowedRanges is 'a token'; allowed: a list whose length is known/,
  ],
  [
    'a type that no cluster placement group takes',
    { mgs: { instanceType: new InstanceType('t3.large') } },
    /t3\.large.*allowed/,
  ],
];

test.each(cases)('%s is refused, with the range and the fix', (_, props, message) => {
  expect(() => lustreStack(props)).toThrow(message);
});

test('a repository over an open connection, or a version that is none, is refused', () => {
  const url = 'http://packages.example.com';
  expect(() => LustreSoftware.repository({ url, version: '2.15.6' })).toThrow(
    /allowed: an address that begins with https/,
  );
  expect(() => LustreSoftware.repository({ url: 'https://a.example.com', version: 'latest' })).toThrow(
    /The Lustre version is 'latest'; allowed: an exact version/,
  );
  const https = { url: 'https://a.example.com', version: '2.15.6' };
  expect(() => LustreSoftware.repository({ ...https, keyUrl: 'http://a.example.com/key' })).toThrow(
    /The key of the Lustre repository is 'http:.*'; allowed: an address that begins with https/,
  );
  expect(() => LustreSoftware.repository({ ...https, debianSuite: 'jammy' })).toThrow(
    /The suite of the Lustre repository is 'jammy'; allowed: a suite and its components/,
  );
});

test("servers cannot have the distribution's Lustre, clients can", () => {
  const software = LustreSoftware.distribution();
  expect(() => lustreStack({ software })).toThrow(
    /software of Lustre servers is 'distribution'; allowed: LustreSoftware.preinstalled\(\).*for client\.software/,
  );
  expect(() => lustreStack({ client: { software } })).not.toThrow();
});

test('a relative mount point is refused, and so is a second Lustre file system on one host', () => {
  const { network, lustre } = lustreStack();
  const host = new MountTarget({ host: network.gridSecurityGroup, hostBundle: new HostBundle() });
  expect(() => lustre.mountOn(host, { mountPoint: 'sasdata' })).toThrow(
    /The mount point is 'sasdata'; allowed: an absolute path.*For example \/sasdata/,
  );
  lustre.mountOn(host, { mountPoint: '/sasdata' });
  expect(() => lustre.mountOn(host, { mountPoint: '/other' })).toThrow(/MOUNT_POINT/);
});
