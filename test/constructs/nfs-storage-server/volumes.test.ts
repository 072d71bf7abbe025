import { Duration, Size, type Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { EbsDeviceVolumeType, InstanceType, SecurityGroup, Subnet, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { PrivateHostedZone } from 'aws-cdk-lib/aws-route53';
import { Topic } from 'aws-cdk-lib/aws-sns';
import {
  GridNetwork,
  HostBundle,
  HostRole,
  MountTarget,
  NfsPreset,
  NfsPresetName,
  NfsStorage,
  NfsStorageServer,
} from '../../../constructs';
import { testStack } from '../../helpers/app';
import { settingsOf, userDataTexts } from '../shared-file-system/user-data';
import { IMAGE, nfsStack, warnings } from './stack';

const serverOf = (template: Template) => settingsOf(userDataTexts(template), HostRole.NFS_SERVER);

const st1 = (gibibytes: number) => ({
  volumeType: EbsDeviceVolumeType.ST1,
  size: Size.gibibytes(gibibytes),
});

describe('the server as it comes', () => {
  const { stack, network, nfs } = nfsStack();
  const clients = new SecurityGroup(stack, 'ClientGroup', { vpc: network.vpc, allowAllOutbound: false });
  const bundle = new HostBundle();
  nfs.mountOn(new MountTarget({ host: clients, hostBundle: bundle }), { mountPoint: '/sasdata' });
  const template = Template.fromStack(stack);

  test('is the Medium-5TB preset on a current type, and warns of nothing', () => {
    expect(nfs.instanceType.toString()).toBe('m6in.xlarge');
    template.hasResource('AWS::EC2::Volume', {
      Properties: { VolumeType: 'st1', Size: 5000, Encrypted: true, KmsKeyId: Match.anyValue() },
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
    template.resourceCountIs('AWS::EC2::Volume', 1);
    expect(warnings(stack)).toEqual([]);
  });

  test('is one slot of a group of one, with a fixed address and a root disk of 100 GiB', () => {
    template.hasResourceProperties('AWS::AutoScaling::AutoScalingGroup', { MinSize: '1', MaxSize: '1' });
    expect(nfs.reattachment!.slots).toEqual([
      expect.objectContaining({ name: 'nfs-00', address: nfs.address }),
    ]);
    template.hasResourceProperties('AWS::EC2::NetworkInterface', { PrivateIpAddress: nfs.address });
    template.hasResourceProperties('AWS::EC2::LaunchTemplate', {
      LaunchTemplateData: {
        BlockDeviceMappings: [{ DeviceName: '/dev/sda1', Ebs: { VolumeSize: 100, Encrypted: true } }],
        Placement: { GroupName: Match.anyValue() },
      },
    });
  });

  test('tells the host to serve one volume to the VPC, and leaves threads and options to it', () => {
    expect(serverOf(template)).toEqual({
      SERVICE: 'nfs',
      KIND: 'ebs',
      VOLUMES_PER_SLOT: '1',
      EXPORT_NAME: 'sasdata',
      CLIENTS: '172.16.0.0/20',
    });
  });

  test('mounts by address, and opens port 2049 from the client to the server only', () => {
    expect(bundle.setting(HostRole.NFS_CLIENT, 'SERVER')).toBe(nfs.address);
    expect(bundle.setting(HostRole.NFS_CLIENT, 'EXPORT')).toBe('/export/sasdata');
    expect(bundle.setting(HostRole.NFS_CLIENT, 'MOUNT_POINT')).toBe('/sasdata');
    expect(bundle.setting(HostRole.NFS_CLIENT, 'NCONNECT')).toBe('16');
    expect(bundle.setting(HostRole.NFS_CLIENT, 'MOUNT_OPTIONS')).toBeUndefined();
    const [client] = Object.keys(template.findResources('AWS::EC2::SecurityGroup')).filter((id) =>
      id.startsWith('ClientGroup'),
    );
    const isClient = { 'Fn::GetAtt': [client, 'GroupId'] };
    const nfsRule = { IpProtocol: 'tcp', FromPort: 2049, ToPort: 2049 };
    template.hasResourceProperties('AWS::EC2::SecurityGroupIngress', {
      ...nfsRule,
      SourceSecurityGroupId: isClient,
    });
    template.hasResourceProperties('AWS::EC2::SecurityGroupEgress', { ...nfsRule, GroupId: isClient });
    const into = template.findResources('AWS::EC2::SecurityGroupIngress', {
      Properties: { GroupId: isClient },
    });
    expect(into).toEqual({});
    expect(nfs.mountCommand('/sasdata')).toBe(
      `mount -t nfs4 -o nfsvers=4.2,hard,nconnect=16,noatime ${nfs.address}:/export/sasdata /sasdata`,
    );
  });

  test('lets no range through the security group that was not named', () => {
    expect(JSON.stringify(template.toJSON())).not.toContain('NFS clients of a named range');
  });

  test('publishes its name in a zone of its own, beside which other zones of the domain can stand', () => {
    expect(nfs.fullName).toBe('storage1.sas-grid.internal');
    template.hasResourceProperties('AWS::Route53::HostedZone', { Name: 'storage1.sas-grid.internal.' });
    template.hasResourceProperties('AWS::Route53::RecordSet', {
      Name: 'storage1.sas-grid.internal.',
      Type: 'A',
      ResourceRecords: [nfs.address],
    });
  });

  test('keeps its key and its map', () => {
    template.hasResource('AWS::KMS::Key', {
      Properties: { EnableKeyRotation: true, Description: Match.stringLikeRegexp('NFS server') },
      DeletionPolicy: 'Retain',
    });
    template.allResources('AWS::DynamoDB::Table', { DeletionPolicy: 'Retain' });
  });

  test('has no backup and no archive', () => {
    template.resourceCountIs('AWS::DLM::LifecyclePolicy', 0);
    template.resourceCountIs('AWS::SSM::Association', 0);
  });
});

describe('a server with everything named', () => {
  const { stack, nfs } = nfsStack((own) => ({
    storage: NfsStorage.ebs({
      preset: NfsPreset.current(NfsPresetName.SMALL_2TB),
      volume: {
        volumeType: EbsDeviceVolumeType.GP3,
        size: Size.tebibytes(4),
        iops: 4000,
        throughputMiBps: 500,
      },
      volumeCount: 3,
      throughputMBps: 700,
      backup: { every: Duration.hours(6), startTime: '01:30', retention: Duration.days(30) },
      recoveryTimeout: Duration.minutes(30),
      schedule: Duration.minutes(10),
    }),
    securityGroup: SecurityGroup.fromSecurityGroupId(own, 'Own', 'sg-0123456789abcdef0'),
    usePlacementGroup: false,
    address: '172.16.4.77',
    hostName: 'files',
    domainName: 'example.internal',
    exportName: 'projects',
    clientRanges: ['172.16.0.0/22', '10.1.2.0/24'],
    exportOptions: ['no_wdelay', 'anonuid=5000'],
    nfsdThreads: 128,
    clientConnections: 8,
    encryptionKey: new Key(own, 'Mine'),
    rootVolumeSize: Size.gibibytes(40),
    rootDeviceName: '/dev/xvda',
    alarmTopic: new Topic(own, 'Alarms'),
  }));
  const template = Template.fromStack(stack);

  test('has a type for the throughput that was asked for, and the volumes that were named', () => {
    expect(nfs.instanceType.toString()).toBe('m6in.2xlarge');
    expect(
      Object.keys(
        template.findResources('AWS::EC2::Volume', {
          Properties: { VolumeType: 'gp3', Size: 4096, Iops: 4000, Throughput: 500 },
        }),
      ),
    ).toHaveLength(3);
  });

  test('tells the host all of it', () => {
    expect(serverOf(template)).toEqual({
      SERVICE: 'nfs',
      KIND: 'ebs',
      VOLUMES_PER_SLOT: '3',
      EXPORT_NAME: 'projects',
      CLIENTS: '172.16.0.0/22,10.1.2.0/24',
      EXPORT_OPTIONS: 'no_wdelay,anonuid=5000',
      NFSD_THREADS: '128',
    });
    expect(nfs.exportPath).toBe('/export/projects');
    expect(nfs.mountSource).toBe('172.16.4.77:/export/projects');
    expect(nfs.mountCommand('/p')).toContain('nconnect=8');
    expect(nfs.fullName).toBe('files.example.internal');
  });

  test('lets the named ranges through the group that was named', () => {
    for (const CidrIp of ['172.16.0.0/22', '10.1.2.0/24']) {
      template.hasResourceProperties('AWS::EC2::SecurityGroupIngress', {
        GroupId: 'sg-0123456789abcdef0',
        CidrIp,
        FromPort: 2049,
        ToPort: 2049,
      });
    }
  });

  test('has the root disk, the key and no placement group, as asked', () => {
    const [mine] = Object.keys(template.findResources('AWS::KMS::Key')).filter((id) => id.startsWith('Mine'));
    const KmsKeyId = { 'Fn::GetAtt': [mine, 'Arn'] };
    template.allResourcesProperties('AWS::EC2::Volume', { KmsKeyId });
    template.hasResourceProperties('AWS::EC2::LaunchTemplate', {
      LaunchTemplateData: {
        BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { VolumeSize: 40, KmsKeyId } }],
        Placement: Match.absent(),
      },
    });
  });

  test('is checked as often as asked, and its alarms go to the topic', () => {
    template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(10 minutes)' });
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
    expect(alarms.length).toBeGreaterThan(0);
    for (const { Properties } of alarms) expect(Properties.AlarmActions).toHaveLength(1);
    template.hasResourceProperties('Custom::SasGridTierServed', { TimeoutSeconds: 1800 });
  });

  test('is snapshotted as a whole, at one instant, and snapshots expire by age', () => {
    const tag = stack.resolve(nfs.reattachment!.tierTag);
    template.hasResourceProperties('AWS::DLM::LifecyclePolicy', {
      State: 'ENABLED',
      PolicyDetails: {
        ResourceTypes: ['INSTANCE'],
        TargetTags: [{ Key: 'cdk-sas-grid:tier', Value: tag }],
        Parameters: { ExcludeBootVolume: true },
        Schedules: [
          {
            CopyTags: true,
            CreateRule: { Interval: 6, IntervalUnit: 'HOURS', Times: ['01:30'] },
            RetainRule: { Interval: 30, IntervalUnit: 'DAYS' },
          },
        ],
      },
    });
    const deletes = Match.objectLike({
      Action: 'ec2:DeleteSnapshot',
      Condition: { StringEquals: { 'aws:ResourceTag/cdk-sas-grid:backup-of': tag } },
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: { Statement: Match.arrayWith([deletes]) },
    });
  });

  test('may use the key of the volumes for it, through EC2 only', () => {
    const [mine] = Object.keys(template.findResources('AWS::KMS::Key')).filter((id) => id.startsWith('Mine'));
    const viaEc2 = { StringLike: { 'kms:ViaService': 'ec2.us-east-1.amazonaws.com*' } };
    const grant = { Bool: { 'kms:GrantIsForAWSResource': 'true' }, ...viaEc2 };
    const Resource = { 'Fn::GetAtt': [mine, 'Arn'] };
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyName: Match.stringLikeRegexp('BackupRole'),
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Action: 'kms:CreateGrant', Resource, Condition: grant }),
          Match.objectLike({ Action: Match.arrayWith(['kms:Decrypt']), Resource, Condition: viaEc2 }),
        ]),
      },
    });
  });

  test('rings when the newest complete set of snapshots is older than two of them, or nobody looks', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'SnapshotAgeSeconds',
      Dimensions: [{ Name: 'Tier', Value: stack.resolve(nfs.reattachment!.tierTag) }],
      Threshold: 13 * 3600,
      TreatMissingData: 'breaching',
    });
  });
});

test('volumes of a deleted stack are served again, at the address that clients know', () => {
  const { stack, nfs } = nfsStack({
    storage: NfsStorage.ebs({ existingVolumes: ['vol-0123456789abcdef0'] }),
    address: '172.16.4.80',
  });
  expect(nfs.reattachment!.slots).toEqual([
    expect.objectContaining({ address: '172.16.4.80', volumeIds: ['vol-0123456789abcdef0'] }),
  ]);
  Template.fromStack(stack).resourceCountIs('AWS::EC2::Volume', 0);
});

test.each([
  [NfsPresetName.SMALL_2TB, 'm4.xlarge', 2000, 'm6in.large'],
  [NfsPresetName.MEDIUM_5TB, 'm4.2xlarge', 5000, 'm6in.xlarge'],
  [NfsPresetName.LARGE_10TB, 'm4.4xlarge', 10_000, 'm6in.2xlarge'],
  [NfsPresetName.XLARGE_15TB, 'm4.10xlarge', 15_000, 'm6in.2xlarge'],
])("%s is the paper's %s with st1 of %d GB, and %s today", (name, paperType, gibibytes, currentType) => {
  for (const [preset, type] of [
    [NfsPreset.papers2016(name), paperType],
    [NfsPreset.current(name), currentType],
  ] as const) {
    expect([preset.name, preset.instanceType.toString()]).toEqual([name, type]);
    expect([preset.volume.volumeType, preset.volume.size.toGibibytes()]).toEqual(['st1', gibibytes]);
  }
});

test("the paper's server says that its volumes cannot be identified on AWS", () => {
  const { stack, nfs } = nfsStack({ storage: NfsStorage.ebs({ preset: NfsPreset.papers2016() }) });
  expect(nfs.instanceType.toString()).toBe('m4.2xlarge');
  expect(warnings(stack)).toEqual([
    expect.stringMatching(/m4.2xlarge is a type before Nitro/),
    // As paper 003 measured: 119 MB/s.
    expect.stringMatching(/deliver 205 MB\/s all day; .* 125 MB\/s \(EBS bandwidth of m4.2xlarge\)/),
  ]);
});

describe('the type of the server', () => {
  const typeOf = (...args: Parameters<typeof NfsStorage.ebs>) =>
    nfsStack({ storage: NfsStorage.ebs(...args) }).nfs.instanceType.toString();

  test('follows from what the volumes deliver, up to the limit of one server', () => {
    expect(typeOf({ volume: st1(2000), volumeCount: 3 })).toBe('m6in.xlarge');
    expect(
      typeOf({ volume: { volumeType: EbsDeviceVolumeType.IO2, size: Size.tebibytes(1), iops: 64_000 } }),
    ).toBe('m6in.4xlarge');
  });

  test('is the one that was named, whatever is asked for', () => {
    const instanceType = new InstanceType('m7i.4xlarge');
    expect(typeOf({ instanceType, throughputMBps: 100 })).toBe('m7i.4xlarge');
  });
});

describe('advice', () => {
  const LUSTRE = /up to 48 TiB, 1 GB\/s and 32 clients .*paper 003.*Use IntelLustre/;

  test.each([
    [
      '49 TiB',
      { storage: NfsStorage.ebs({ volume: st1(12_544), volumeCount: 4 }) },
      /49 TiB is more than 48/,
    ],
    [
      'more than 1 GB/s',
      {
        storage: NfsStorage.ebs({
          volume: { volumeType: EbsDeviceVolumeType.IO2, size: Size.tebibytes(1), iops: 8000 },
          throughputMBps: 1500,
        }),
      },
      /1500 MB\/s is more than 1 GB\/s/,
    ],
    ['33 clients', { expectedClients: 33 }, /33 clients are more than 32/],
  ])('%s: Lustre instead', (_, props, reason) => {
    const [warning] = warnings(nfsStack(props).stack);
    expect(warning).toMatch(reason);
    expect(warning).toMatch(LUSTRE);
    expect(warning).toContain('cdk-sas-grid:lustreInstead');
  });

  test('the 33rd host that mounts the export: Lustre instead', () => {
    const { stack, network, nfs } = nfsStack();
    const mount = () =>
      nfs.mountOn(new MountTarget({ host: network.gridSecurityGroup, hostBundle: new HostBundle() }), {
        mountPoint: '/sasdata',
      });
    for (let count = 0; count < 32; count += 1) mount();
    expect(warnings(stack)).toEqual([]);
    mount();
    expect(warnings(stack)).toEqual([expect.stringMatching(LUSTRE)]);
  });

  test('volumes or a server that cannot do what is asked for are named', () => {
    const { stack } = nfsStack({
      storage: NfsStorage.ebs({ instanceType: new InstanceType('m6in.large'), throughputMBps: 400 }),
    });
    expect(warnings(stack).sort()).toEqual([
      expect.stringMatching(/m6in.large passes on 195 MB\/s all day; asked for are 400/),
      expect.stringMatching(/volumes deliver 204 MB\/s all day; asked for are 400/),
    ]);
  });
});

test('a host mounts read only when asked, and refuses a second NFS export', () => {
  const { network, nfs } = nfsStack();
  const bundle = new HostBundle();
  const host = new MountTarget({ host: network.gridSecurityGroup, hostBundle: bundle });
  nfs.mountOn(host, { mountPoint: '/sasdata', readOnly: true });
  expect(bundle.setting(HostRole.NFS_CLIENT, 'MOUNT_OPTIONS')).toBe('ro');
  expect(() => nfs.mountOn(host, { mountPoint: '/other' })).toThrow(/MOUNT_POINT/);
});

test('a host outside of the app gets its software by the address alone', () => {
  const bundle = NfsStorageServer.clientBundle({
    server: '172.16.4.64',
    exportName: 'projects',
    mountPoint: '/projects',
    readOnly: true,
    connections: 4,
  });
  const text = testStack().resolve(bundle.userData().render());
  for (const line of [
    'SERVER=172.16.4.64',
    'EXPORT=/export/projects',
    'MOUNT_POINT=/projects',
    'NCONNECT=4',
    'MOUNT_OPTIONS=ro',
  ]) {
    expect(text).toContain(`\n${line}\n`);
  }
});

test('a zone of your own gets the record, and no other zone is made', () => {
  const { stack, nfs } = nfsStack((own) => ({
    hostedZone: new PrivateHostedZone(own, 'Mine', {
      zoneName: 'corp.internal',
      vpc: Vpc.fromVpcAttributes(own, 'Vpc', { vpcId: 'vpc-1', availabilityZones: ['us-east-1a'] }),
    }),
  }));
  expect(nfs.fullName).toBe('storage1.corp.internal');
  const template = Template.fromStack(stack);
  template.resourceCountIs('AWS::Route53::HostedZone', 1);
  template.hasResourceProperties('AWS::Route53::RecordSet', { Name: 'storage1.corp.internal.' });
});

describe('in an existing network', () => {
  const build = (
    attributes: { vpcCidrBlock?: string },
    clientRanges?: string[],
  ): [Stack, NfsStorageServer] => {
    const stack = testStack();
    const network = new GridNetwork(stack, 'Network', {
      existing: {
        vpc: Vpc.fromVpcAttributes(stack, 'Vpc', {
          vpcId: 'vpc-0123456789abcdef0',
          availabilityZones: ['us-east-1a'],
          ...attributes,
        }),
        privateSubnets: [
          Subnet.fromSubnetAttributes(stack, 'Subnet', {
            subnetId: 'subnet-0123456789abcdef0',
            availabilityZone: 'us-east-1a',
          }),
        ],
      },
    });
    return [stack, new NfsStorageServer(stack, 'Storage', { network, machineImage: IMAGE, clientRanges })];
  };

  test('EC2 picks the address, once, and clients mount it whatever it will be', () => {
    const [stack, nfs] = build({ vpcCidrBlock: '10.0.0.0/16' });
    const template = Template.fromStack(stack);
    expect(serverOf(template).CLIENTS).toBe('10.0.0.0/16');
    const [id] = Object.keys(template.findResources('AWS::EC2::NetworkInterface'));
    expect(stack.resolve(nfs.address)).toEqual({ 'Fn::GetAtt': [id, 'PrimaryPrivateIpAddress'] });
  });

  test('of which the range is not known, the clients have to be named', () => {
    expect(() => build({})).toThrow(/clientRanges is undefined; allowed: a list of ranges.*Name the subnets/);
    const [stack] = build({}, ['10.0.0.0/16']);
    expect(serverOf(Template.fromStack(stack)).CLIENTS).toBe('10.0.0.0/16');
  });
});
