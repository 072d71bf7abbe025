import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { HostBundle, MountTarget } from '../../../constructs';
import { requireMountPoint } from '../../../constructs/shared-file-system/mount-point';
import { testStack } from '../../helpers/app';

test('a host of your own becomes a mount target with its security groups and its software', () => {
  const stack = testStack();
  const vpc = new Vpc(stack, 'Vpc', { maxAzs: 1 });
  const host = new SecurityGroup(stack, 'Host', { vpc });
  const hostBundle = new HostBundle();
  const target = new MountTarget({ host, hostBundle });
  expect(target.connections.securityGroups).toEqual([host]);
  expect(target.hostBundle).toBe(hostBundle);
});

test.each(['/sasdata', '/data/sas_9.4/x-1'])('%s is a mount point', (path) => {
  expect(() => requireMountPoint(undefined, 'mountPoint', path)).not.toThrow();
});

test.each(['sasdata', '/', '', '/a b', '/a/../etc', '/a//b', '/a/', "/a'b", '/$HOME'])(
  "'%s' is refused as a mount point, with an example",
  (path) => {
    expect(() => requireMountPoint(undefined, 'mountPoint', path)).toThrow(
      /mountPoint is '.*'; allowed: an absolute path.*For example \/sasdata/,
    );
  },
);
