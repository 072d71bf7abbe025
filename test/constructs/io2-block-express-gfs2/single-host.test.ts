import { Size } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { InstanceType } from 'aws-cdk-lib/aws-ec2';
import { HostBundle, HostRole, MountTarget } from '../../../constructs';
import { settingsOf, userDataTexts } from '../shared-file-system/user-data';
import { io2Stack, r5b } from './stack';

const volumesOf = (template: Template) => Object.values(template.findResources('AWS::EC2::Volume'));

describe('one host', () => {
  const { stack, fileSystem } = io2Stack();
  const template = Template.fromStack(stack);

  test('has one encrypted io2 volume that is kept, with the IOPS of its type', () => {
    const [volume, ...others] = volumesOf(template);
    expect(others).toEqual([]);
    expect(volume).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: { VolumeType: 'io2', Size: 10_240, Iops: 14_306, Encrypted: true },
    });
    expect(volume!.Properties.MultiAttachEnabled).toBeUndefined();
    expect(fileSystem.volumes).toEqual({ count: 1, sizeGiB: 10_240, iops: 14_306 });
    expect(fileSystem.monthlyVolumeUsd).toBeCloseTo(10_240 * 0.125 + 14_306 * 0.065);
  });

  test('is an R5b that Auto Scaling replaces, with its volume and its address', () => {
    template.hasResourceProperties('AWS::AutoScaling::AutoScalingGroup', { MinSize: '1', MaxSize: '1' });
    template.hasResourceProperties('AWS::EC2::LaunchTemplate', {
      LaunchTemplateData: { InstanceType: 'r5b.12xlarge', MetadataOptions: { HttpTokens: 'required' } },
    });
    expect(fileSystem.tier!.slots).toHaveLength(1);
    expect(fileSystem.hosts.map(({ name, address }) => [name, address])).toEqual([
      ['io2-00', fileSystem.tier!.slots[0]!.address],
    ]);
  });

  test('makes XFS on a stripe of 1 MiB with read-ahead of 256 KiB, never on instance store', () => {
    expect(settingsOf(userDataTexts(template), HostRole.LOCAL_VOLUMES)).toEqual({
      VOLUMES_PER_SLOT: '1',
      MOUNT_POINT: '/sasdata',
      STRIPE_KIB: '1024',
      READ_AHEAD_KIB: '256',
    });
    expect(fileSystem.fileSystemType).toBe('xfs');
    expect(fileSystem.hosts[0]!.hostBundle.hasRole(HostRole.SCRATCH)).toBe(false);
  });

  test('lets nobody in', () => {
    const [group] = Object.values(template.findResources('AWS::EC2::SecurityGroup')).filter(
      ({ Properties }) => Properties.GroupDescription.startsWith('Hosts of'),
    );
    expect(group!.Properties.SecurityGroupIngress).toBeUndefined();
  });
});

test.each([
  ['8xlarge', 1, 9537],
  ['16xlarge', 2, 9537],
  ['24xlarge', 2, 14_306],
])('r5b.%s gets %d volume(s) in equal shares with %d IOPS each', (size, count, iops) => {
  const { stack, fileSystem } = io2Stack({ instanceType: r5b(size), size: Size.tebibytes(40) });
  const volumes = volumesOf(Template.fromStack(stack));
  expect(volumes).toHaveLength(count);
  for (const { Properties } of volumes)
    expect(Properties).toMatchObject({ Iops: iops, Size: (40 * 1024) / count });
  expect(fileSystem.hosts[0]!.hostBundle.setting(HostRole.LOCAL_VOLUMES, 'VOLUMES_PER_SLOT')).toBe(
    String(count),
  );
});

test('a re-test with ten percent more IOPS changes nothing else', () => {
  const before = Template.fromStack(io2Stack().stack).toJSON();
  const { stack } = io2Stack({ iopsAdjustment: 10 });
  const after = Template.fromStack(stack).toJSON();
  const [id] = Object.keys(Template.fromStack(stack).findResources('AWS::EC2::Volume'));
  expect(after.Resources[id!].Properties.Iops).toBe(15_736);
  after.Resources[id!].Properties.Iops = before.Resources[id!].Properties.Iops;
  expect(after).toEqual(before);
});

test('volumes that were kept are served instead of new ones', () => {
  const { stack, fileSystem } = io2Stack({
    existingVolumes: ['vol-0123456789abcdef0'],
    addresses: ['172.16.4.80'],
  });
  expect(fileSystem.volumeIds).toEqual(['vol-0123456789abcdef0']);
  expect(fileSystem.hosts[0]!.address).toBe('172.16.4.80');
  Template.fromStack(stack).resourceCountIs('AWS::EC2::Volume', 0);
});

test('the host can be a grid node besides', () => {
  const { stack, fileSystem } = io2Stack();
  fileSystem.hosts[0]!.hostBundle.addRole(HostRole.GRID_NODE, {
    HOST_NAME: 'sas',
    SAS_UID: '5000',
    SAS_GID: '5000',
  });
  const [text] = userDataTexts(Template.fromStack(stack));
  expect(text).toMatch(/^exec .*sas-grid-bootstrap" local-volumes grid-node$/m);
});

describe('mountOn', () => {
  const { network, fileSystem } = io2Stack();
  const own = fileSystem.hosts[0]!;

  test('accepts the host that has the volumes', () => {
    expect(() => fileSystem.mountOn(own, { mountPoint: '/sasdata' })).not.toThrow();
    const wrapped = new MountTarget({ host: own, hostBundle: own.hostBundle });
    expect(() => fileSystem.mountOn(wrapped, { mountPoint: '/sasdata' })).not.toThrow();
  });

  test('refuses any other host, with what to do', () => {
    const other = new MountTarget({ host: network.gridSecurityGroup, hostBundle: new HostBundle() });
    expect(() => fileSystem.mountOn(other, { mountPoint: '/sasdata' })).toThrow(
      /Test\/SasData: The host to mount on .*allowed: one of hosts: io2-00\. Add .*hostBundle.*IntelLustre/,
    );
  });

  test('refuses another place and read-only', () => {
    expect(() => fileSystem.mountOn(own, { mountPoint: '/data' })).toThrow(/'\/data'; allowed: '\/sasdata'/);
    expect(() => fileSystem.mountOn(own, { mountPoint: '/sasdata', readOnly: true })).toThrow(
      /readOnly is true/,
    );
  });
});

test.each([
  ['c6in.8xlarge', 1],
  ['r5b.8xlarge', 0],
])('%s: %d warning(s) of little memory for each core', (type, count) => {
  const { stack } = io2Stack({ instanceType: new InstanceType(type) });
  const message = Match.stringLikeRegexp('4 GiB of memory for each physical core; SAS wants 8');
  expect(Annotations.fromStack(stack).findWarning('*', message)).toHaveLength(count);
});
