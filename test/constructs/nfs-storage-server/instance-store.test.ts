import { Duration, Size } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { InstanceType } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import {
  DataLossOnFailure,
  HostRole,
  type InstanceStoreNfsStorageProps,
  NfsStorage,
  type NfsStorageServerProps,
} from '../../../constructs';
import { expectKeyForNotifications } from '../../helpers/topic-key';
import { settingsOf, userDataTexts } from '../shared-file-system/user-data';
import { nfsStack, warnings } from './stack';

const dataLossOnFailure = DataLossOnFailure.acceptable('all of it can be computed again');

function local(
  storage: Partial<InstanceStoreNfsStorageProps> = {},
  props: Parameters<typeof nfsStack>[0] = {},
) {
  const own = NfsStorage.instanceStore({ dataLossOnFailure, ...storage });
  const built = nfsStack(
    (stack): Partial<NfsStorageServerProps> => ({
      ...(typeof props === 'function' ? props(stack) : props),
      storage: own,
    }),
  );
  return { ...built, template: Template.fromStack(built.stack) };
}

describe('a server on instance store', () => {
  const { stack, nfs, template } = local();
  const [group] = Object.values(template.findResources('AWS::AutoScaling::AutoScalingGroup'));
  const [launch] = Object.values(template.findResources('AWS::EC2::LaunchTemplate'));

  test('is a current type with 5 TB of disks, and warns of nothing', () => {
    expect(nfs.instanceType.toString()).toBe('i3en.2xlarge');
    expect(warnings(stack)).toEqual([]);
    template.resourceCountIs('AWS::EC2::Volume', 0);
    expect(nfs.reattachment).toBeUndefined();
  });

  test('has an address that outlives it: an interface of the stack, which every server of the group gets', () => {
    const [id] = Object.keys(template.findResources('AWS::EC2::NetworkInterface'));
    template.hasResourceProperties('AWS::EC2::NetworkInterface', { PrivateIpAddress: nfs.address });
    const data = launch!.Properties.LaunchTemplateData;
    expect(data.NetworkInterfaces).toEqual([{ DeviceIndex: 0, NetworkInterfaceId: { Ref: id } }]);
    expect(data.SecurityGroupIds).toBeUndefined();
    // Auto Scaling refuses a subnet beside an existing interface.
    expect(group!.Properties).toMatchObject({
      MinSize: '1',
      MaxSize: '1',
      AvailabilityZones: ['us-east-1a'],
    });
    expect(group!.Properties.VPCZoneIdentifier).toBeUndefined();
  });

  test('tells the host to pool all disks', () => {
    expect(settingsOf(userDataTexts(template), HostRole.NFS_SERVER)).toEqual({
      SERVICE: 'nfs',
      KIND: 'instance-store',
      INSTANCE_STORE_DISKS: '2',
      EXPORT_NAME: 'sasdata',
      CLIENTS: expect.anything(),
    });
  });

  test('says in the template that the loss of data is meant', () => {
    expect(group!.Metadata).toMatchObject({ DataLossOnFailure: 'all of it can be computed again' });
  });

  test('is On-Demand, with a session token for metadata and an encrypted root disk of 100 GiB', () => {
    expect(launch!.Properties.LaunchTemplateData).toMatchObject({
      MetadataOptions: { HttpTokens: 'required' },
      Placement: { GroupName: expect.anything() },
      BlockDeviceMappings: [
        { DeviceName: '/dev/sda1', Ebs: { Encrypted: true, VolumeSize: 100, KmsKeyId: expect.anything() } },
      ],
    });
    expect(launch!.Properties.LaunchTemplateData.InstanceMarketOptions).toBeUndefined();
  });

  test('may do nothing in AWS but talk to Systems Manager', () => {
    const actions = Object.entries(template.findResources('AWS::IAM::Policy'))
      .filter(([id]) => id.startsWith('Storage'))
      .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
      .flatMap(({ Action }) => Action);
    expect(actions.every((action: string) => /^(ssm|ssmmessages|ec2messages):/.test(action))).toBe(true);
  });

  test('lets Auto Scaling use the key for the root disk', () => {
    template.hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: { Statement: Match.arrayWith([Match.objectLike({ Action: 'kms:CreateGrant' })]) },
    });
  });
});

test('Spot is one-time, at the price that was named or at that of On-Demand', () => {
  const market = (spot: InstanceStoreNfsStorageProps['spot']) =>
    Object.values(local({ spot }).template.findResources('AWS::EC2::LaunchTemplate'))[0]!.Properties
      .LaunchTemplateData.InstanceMarketOptions;
  expect(market({})).toEqual({ MarketType: 'spot', SpotOptions: { SpotInstanceType: 'one-time' } });
  expect(market({ maxPriceUsd: 0.5 })).toMatchObject({ SpotOptions: { MaxPrice: '0.5' } });
});

test('the type follows from the capacity and the throughput', () => {
  expect(local({ capacity: Size.tebibytes(13) }).nfs.instanceType.toString()).toBe('i3en.6xlarge');
  expect(local({ throughputMBps: 1000 }).nfs.instanceType.toString()).toBe('i3en.2xlarge');
  expect(local({ throughputMBps: 3000 }).nfs.instanceType.toString()).toBe('i3en.6xlarge');
});

test("the paper's d2 has its disks mapped and named, and is not encrypted by AWS", () => {
  const { stack, template } = local({ instanceType: new InstanceType('d2.xlarge') });
  expect(settingsOf(userDataTexts(template), HostRole.NFS_SERVER)).toMatchObject({
    INSTANCE_STORE_DISKS: '3',
    DISK_DEVICES: '/dev/xvdb /dev/xvdc /dev/xvdd',
  });
  template.hasResourceProperties('AWS::EC2::LaunchTemplate', {
    LaunchTemplateData: {
      BlockDeviceMappings: [
        Match.anyValue(),
        { DeviceName: '/dev/sdb', VirtualName: 'ephemeral0' },
        { DeviceName: '/dev/sdc', VirtualName: 'ephemeral1' },
        { DeviceName: '/dev/sdd', VirtualName: 'ephemeral2' },
      ],
    },
  });
  expect(warnings(stack)).toEqual([expect.stringMatching(/disks of d2.xlarge are not NVMe.*not encrypt/)]);
});

test('a type that is newer than the table is accepted with its disks', () => {
  const { template } = local(
    { instanceType: new InstanceType('i9x.large'), instanceStore: { count: 4, size: Size.gibibytes(900) } },
    { newInstanceTypes: true },
  );
  expect(settingsOf(userDataTexts(template), HostRole.NFS_SERVER).INSTANCE_STORE_DISKS).toBe('4');
});

test('with an alarm topic, failed launches and a missing server are told', () => {
  const { template } = local({}, (own) => ({ alarmTopic: new Topic(own, 'Alarms') }));
  template.hasResourceProperties('AWS::AutoScaling::AutoScalingGroup', {
    NotificationConfigurations: [
      { NotificationTypes: Match.arrayWith(['autoscaling:EC2_INSTANCE_LAUNCH_ERROR']) },
    ],
  });
  template.hasResourceProperties('AWS::CloudWatch::Alarm', {
    MetricName: 'GroupInServiceInstances',
    AlarmActions: [Match.anyValue()],
  });
});

test('the key of an encrypted alarm topic lets the group tell', () => {
  const { template } = local({}, (own) => ({
    alarmTopic: new Topic(own, 'Alarms', { masterKey: new Key(own, 'TopicKey') }),
  }));
  expectKeyForNotifications(template);
});

describe('the archive', () => {
  const { template, nfs } = local({}, (own) => ({
    archive: { every: Duration.hours(6), prefix: 'backup/files', keepFormerVersions: Duration.days(30) },
    alarmTopic: new Topic(own, 'Alarms'),
  }));
  const [document] = Object.values(template.findResources('AWS::SSM::Document'));
  const lines: unknown[] = document!.Properties.Content.mainSteps[0].inputs.runCommand;
  const command = JSON.stringify(lines);

  test('runs the host program on whichever server the group has, as often as asked', () => {
    const [group] = Object.keys(template.findResources('AWS::AutoScaling::AutoScalingGroup'));
    template.hasResourceProperties('AWS::SSM::Association', {
      ScheduleExpression: 'rate(6 hours)',
      Targets: [{ Key: 'tag:aws:autoscaling:groupName', Values: [{ Ref: group }] }],
    });
    expect(command).toContain('exec bash /dev/fd/3 /export/sasdata ');
    expect(command).toContain(' backup/files us-east-1 ');
    expect(command).toContain('archive copy \\"$TARGET\\"');
    expect(lines).toContain('class Copy:');
    // Systems Manager would take these for its own parameters.
    expect(command).not.toContain('{{');
    expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThan(64 * 1024);
  });

  test('is brought back by a document, which is told whose', () => {
    const [, restore] = Object.values(template.findResources('AWS::SSM::Document'));
    const { parameters, mainSteps } = restore!.Properties.Content;
    expect(Object.keys(parameters)).toEqual(['FileSystem']);
    const text = JSON.stringify(mainSteps);
    expect(text.match(/\{\{.*?\}\}/g)).toEqual(['{{ FileSystem }}']);
    expect(text).toMatch(/exec bash \/dev\/fd\/3 \/export\/sasdata .* restore \{\{ FileSystem \}\} 3<</);
  });

  test('goes to a bucket with versions that is kept, encrypted and private', () => {
    template.hasResource('AWS::S3::Bucket', {
      Properties: {
        VersioningConfiguration: { Status: 'Enabled' },
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [
            { ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms' }, BucketKeyEnabled: true },
          ],
        },
        LifecycleConfiguration: {
          Rules: [
            {
              AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
              NoncurrentVersionExpiration: { NoncurrentDays: 30 },
            },
          ],
        },
      },
      DeletionPolicy: 'Retain',
    });
    template.allResourcesProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
    });
    expect(nfs.archiveBucket).toBeDefined();
  });

  test('may be written and read below its prefix, and never deleted by the server', () => {
    const [policy] = Object.values(
      template.findResources('AWS::IAM::Policy', {
        Properties: {
          PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: 's3:ListBucket' })]) },
        },
      }),
    );
    const statements = policy!.Properties.PolicyDocument.Statement;
    expect(JSON.stringify(statements)).not.toContain('Delete');
    const objects = statements.find(({ Action }: { Action: string[] }) => Action.includes('s3:PutObject'));
    expect(JSON.stringify(objects.Resource)).toContain('/backup/files/*');
  });

  test('lets the server use the key for objects, and for nothing else that it encrypts', () => {
    const policies = Object.values(template.findResources('AWS::IAM::Policy'));
    const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
    const forKeys = statements.filter(({ Action }) => JSON.stringify(Action).includes('"kms:'));
    expect(forKeys.map(({ Condition }) => Condition)).toEqual([{ StringLike: { 'kms:ViaService': 's3.*' } }]);
  });

  // The agent asks for associations itself: a role that may not never runs one, and no run fails.
  test('comes to the server: its role may ask for it, read the document and report', () => {
    const [name] = Object.keys(template.findResources('AWS::SSM::Document'));
    const [id, policy] = Object.entries(template.findResources('AWS::IAM::Policy')).find(([, each]) =>
      JSON.stringify(each).includes('ssm:ListInstanceAssociations'),
    )!;
    const [read, report] = policy.Properties.PolicyDocument.Statement;
    expect(read.Action).toBe('ssm:GetDocument');
    expect(JSON.stringify(read.Resource)).toContain(`:document/",{"Ref":"${name}"}`);
    expect(report.Action).toEqual(
      expect.arrayContaining(['ssm:PutComplianceItems', 'ssm:UpdateInstanceAssociationStatus']),
    );
    const [association] = Object.values(template.findResources('AWS::SSM::Association'));
    expect(association!.DependsOn).toContain(id);
  });

  test('rings when nothing was copied for the time of two copies, as what never starts fails nothing', () => {
    const [topic] = Object.keys(template.findResources('AWS::SNS::Topic'));
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'CdkSasGrid',
      MetricName: 'ArchiveCompleted',
      Dimensions: [
        { Name: 'Archive', Value: { 'Fn::Join': ['', [{ Ref: Match.anyValue() }, '/backup/files']] } },
      ],
      Period: 3600,
      EvaluationPeriods: 12,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
      AlarmActions: [{ Ref: topic }],
    });
    const statements = Object.values(template.findResources('AWS::IAM::Policy')).flatMap(
      ({ Properties }) => Properties.PolicyDocument.Statement,
    );
    expect(statements.find(({ Action }) => Action === 'cloudwatch:PutMetricData').Condition).toEqual({
      StringEquals: { 'cloudwatch:namespace': 'CdkSasGrid' },
    });
    for (const name of ['CdkSasGrid', 'ArchiveCompleted', 'Archive=$1']) expect(command).toContain(name);
  });

  test('is warned of when no alarm can watch over it', () => {
    const rare = local({}, () => ({ archive: { every: Duration.days(4) } }));
    rare.template.resourcePropertiesCountIs('AWS::CloudWatch::Alarm', { MetricName: 'ArchiveCompleted' }, 0);
    expect(warnings(rare.stack).join()).toContain('archive.every is 96 hours');
  });

  test('tells the topic when it fails', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: { source: ['aws.ssm'], detail: { status: ['Failed'] } },
      Targets: [Match.anyValue()],
    });
  });
});

test('an archive in a bucket of your own makes none', () => {
  const { template } = local({}, (own) => ({
    archive: { bucket: Bucket.fromBucketName(own, 'Mine', 'my-archive') },
  }));
  template.resourceCountIs('AWS::S3::Bucket', 0);
  template.hasResourceProperties('AWS::SSM::Association', { ScheduleExpression: 'rate(24 hours)' });
  const [document] = Object.values(template.findResources('AWS::SSM::Document'));
  expect(JSON.stringify(document)).toContain('/export/sasdata my-archive storage1 us-east-1');
});
