import { CfnParameter } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import {
  EfsSharedFileSystem,
  ExistingLustre,
  ExistingNfs,
  FileSystemAccess,
  FsxLustre,
  FsxOntap,
  FsxOpenZfs,
  HostRole,
  NfsVersion,
} from '../../../constructs';
import { mounted, type Place, place, rulesOfHost } from './stack';

const ID = 'fs-0123456789abcdef0';
const LUSTRE_KEYS = ['MGS_NID', 'FSNAME', 'TUNABLES', 'LARGE_CLIENT'];
const NFS_KEYS = ['SERVER', 'EXPORT', 'NFS_VERSION', 'NCONNECT', 'MOUNT_OPTIONS'];

test("a Lustre of one's own is mounted with the papers' parameters, and no rule is made", () => {
  const at = place();
  const lustre = new ExistingLustre(at.stack, 'SasData', {
    mgsNid: '172.16.4.10@tcp:172.16.4.11@tcp',
    fileSystemName: 'sasdata',
  });
  expect(lustre.mountSource).toBe('172.16.4.10@tcp:172.16.4.11@tcp:/sasdata');
  expect(mounted(at, lustre, HostRole.LUSTRE_CLIENT, LUSTRE_KEYS)).toEqual({
    MGS_NID: '172.16.4.10@tcp:172.16.4.11@tcp',
    FSNAME: 'sasdata',
    TUNABLES: 'osc.*.max_rpcs_in_flight=16 osc.*.max_dirty_mb=256',
    LARGE_CLIENT: 'false',
  });
  expect(rulesOfHost(at.stack)).toEqual([]);
});

test("an FSx for Lustre is mounted with AWS's parameters; its security group is opened", () => {
  const at = place();
  const group = SecurityGroup.fromSecurityGroupId(at.stack, 'Group', 'sg-0123456789abcdef0');
  const lustre = FsxLustre.fromAttributes(
    at.stack,
    'SasData',
    { fileSystemId: ID, mountName: 'abcdef01' },
    { access: FileSystemAccess.fromSecurityGroup(group) },
  );
  expect(mounted(at, lustre, HostRole.LUSTRE_CLIENT, LUSTRE_KEYS)).toMatchObject({
    MGS_NID: `${ID}.fsx.us-east-1.<AWS::URLSuffix>@tcp`,
    FSNAME: 'abcdef01',
    TUNABLES: expect.stringContaining('max_rpcs_in_flight=32'),
    LARGE_CLIENT: 'true',
  });
  expect(rulesOfHost(at.stack)).toEqual([
    'in tcp 1018-1023',
    'in tcp 988-988',
    'out tcp 1018-1023',
    'out tcp 988-988',
  ]);
  const opened = Template.fromStack(at.stack).findResources('AWS::EC2::SecurityGroupIngress', {
    Properties: { GroupId: 'sg-0123456789abcdef0' },
  });
  expect(
    Object.values(opened)
      .map(({ Properties }) => Properties.FromPort)
      .sort(),
  ).toEqual([1018, 988]);
});

test('what FSx for Lustre brings along can be replaced', () => {
  const at = place();
  const lustre = FsxLustre.fromAttributes(
    at.stack,
    'SasData',
    { fileSystemId: ID, mountName: 'abcdef01' },
    { tuning: [], largeClientTuning: false },
  );
  expect(mounted(at, lustre, HostRole.LUSTRE_CLIENT, LUSTRE_KEYS)).toMatchObject({
    TUNABLES: '',
    LARGE_CLIENT: 'false',
  });
});

test('an NFS server in a known range: the way out of the host is opened', () => {
  const at = place();
  const nfs = new ExistingNfs(at.stack, 'SasData', {
    server: 'filer.example.com',
    exportPath: '/export/sasdata',
    version: NfsVersion.V4_1,
    connections: 8,
    mountOptions: ['nosuid'],
    access: FileSystemAccess.fromRange('10.20.0.0/24'),
  });
  expect(mounted(at, nfs, HostRole.NFS_CLIENT, NFS_KEYS, true)).toEqual({
    SERVER: 'filer.example.com',
    EXPORT: '/export/sasdata',
    NFS_VERSION: '4.1',
    NCONNECT: '8',
    MOUNT_OPTIONS: 'nosuid,ro',
  });
  const [host] = Object.entries(Template.fromStack(at.stack).findResources('AWS::EC2::SecurityGroup'))
    .filter(([id]) => id.startsWith('HostGroup'))
    .map(([, { Properties }]) => Properties);
  expect(host!.SecurityGroupEgress).toMatchObject([{ CidrIp: '10.20.0.0/24', FromPort: 2049, ToPort: 2049 }]);
  expect(host!.SecurityGroupIngress).toBeUndefined();
});

test.each([
  [
    'FSx for OpenZFS',
    (at: Place) => FsxOpenZfs.fromAttributes(at.stack, 'X', { fileSystemId: ID }),
    { SERVER: `${ID}.fsx.us-east-1.<AWS::URLSuffix>`, EXPORT: '/fsx', NFS_VERSION: '4.2', NCONNECT: '16' },
  ],
  [
    'FSx for ONTAP',
    (at: Place) =>
      FsxOntap.fromAttributes(at.stack, 'X', {
        fileSystemId: ID,
        storageVirtualMachineId: 'svm-0123456789abcdef0',
        junctionPath: '/vol1',
      }),
    {
      SERVER: `svm-0123456789abcdef0.${ID}.fsx.us-east-1.<AWS::URLSuffix>`,
      EXPORT: '/vol1',
      NFS_VERSION: '4.1',
      NCONNECT: '16',
    },
  ],
  [
    'EFS',
    (at: Place) => EfsSharedFileSystem.fromAttributes(at.stack, 'X', { fileSystemId: ID }),
    {
      SERVER: `${ID}.efs.us-east-1.<AWS::URLSuffix>`,
      EXPORT: '/',
      NFS_VERSION: '4.1',
      NCONNECT: '1',
      MOUNT_OPTIONS: 'noresvport',
    },
  ],
])('an existing %s is mounted as one that is made here', (_, from, expected) => {
  const at = place();
  const fileSystem = from(at);
  expect(mounted(at, fileSystem, HostRole.NFS_CLIENT, NFS_KEYS)).toMatchObject(expected);
  expect(rulesOfHost(at.stack)).toEqual([]);
});

test('ids that are known at deployment only are taken as they are', () => {
  const at = place();
  const id = new CfnParameter(at.stack, 'Id').valueAsString;
  const lustre = FsxLustre.fromAttributes(at.stack, 'SasData', { fileSystemId: id, mountName: id });
  expect(mounted(at, lustre, HostRole.LUSTRE_CLIENT, ['FSNAME'])).toEqual({ FSNAME: '<Id>' });
});
