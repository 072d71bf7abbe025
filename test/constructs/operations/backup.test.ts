import { Match, Template } from 'aws-cdk-lib/assertions';
import { loadConfig } from '../../../lib/config';
import { createDeployment } from '../../../lib/deployment';
import { testApp } from '../../helpers/app';

const template = (name: string, operations?: object, region?: string): Template => {
  const config = { ...loadConfig(name), ...(operations && { operations }), ...(region && { region }) };
  return Template.fromStack(createDeployment(testApp(), name, config).operations);
};

describe('backups of a deployment with a schedule', () => {
  const schedule = { schedule: 'cron(0 2 * * ? *)', timeZone: 'Europe/Berlin', alarmAfterHours: 30 };
  const found = template('sas-grid-nfs', { backup: schedule });

  test('begin at that time of that zone', () => {
    found.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'cron(0 2 * * ? *)',
      ScheduleExpressionTimezone: 'Europe/Berlin',
    });
  });

  test('ring when the newest is too old, and when nobody has looked', () => {
    found.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'BackupAgeSeconds',
      Threshold: 30 * 3600,
      TreatMissingData: 'breaching',
    });
  });

  test('may delete snapshots of own sets that nobody protects, and no volume', () => {
    found.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: 'ec2:DeleteSnapshot',
            Condition: {
              StringEquals: { 'aws:ResourceTag/cdk-sas-grid:deployment': 'sas-grid-nfs' },
              Null: {
                'aws:ResourceTag/cdk-sas-grid:backup-set': 'false',
                'aws:ResourceTag/cdk-sas-grid:backup-protected': 'true',
              },
            },
          }),
        ]),
      },
    });
    expect(JSON.stringify(found.toJSON())).not.toMatch(/ec2:(Delete|Detach|Modify)Volume/);
  });
});

test('without a schedule nothing is deleted, and no age rings', () => {
  const found = template('sas-grid-lustre');
  expect(JSON.stringify(found.toJSON())).not.toContain('ec2:DeleteSnapshot');
  found.resourcePropertiesCountIs('AWS::CloudWatch::Alarm', { MetricName: 'BackupAgeSeconds' }, 0);
});

describe('FSx for Lustre', () => {
  const schedule = { schedule: 'cron(0 2 * * ? *)', timeZone: 'Europe/Berlin' };
  const found = template('sas-grid-fsx', { backup: schedule });
  const statement = (Sid: string, more: object) =>
    found.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Sid, ...more })]) },
    });

  test('is backed up by FSx: its own file system, which no snapshot is made of', () => {
    const functions = JSON.stringify(found.findResources('AWS::Lambda::Function'));
    expect(functions).toMatch(/managed.*FsxLustreFileSystem/);
    expect(functions).not.toContain('refusal');
    statement('BackUp', { Action: 'fsx:CreateBackup' });
    expect(JSON.stringify(found.toJSON())).not.toMatch(/ec2:CreateSnapshots|fsx:(Delete|Update)FileSystem/);
  });

  test('has backups deleted of own sets that nobody protects only', () => {
    statement('DeleteOlderSets', {
      Action: 'fsx:DeleteBackup',
      Condition: {
        StringEquals: { 'aws:ResourceTag/cdk-sas-grid:deployment': 'sas-grid-fsx' },
        Null: {
          'aws:ResourceTag/cdk-sas-grid:backup-set': 'false',
          'aws:ResourceTag/cdk-sas-grid:backup-protected': 'true',
        },
      },
    });
    expect(JSON.stringify(template('sas-grid-fsx').toJSON())).not.toContain('fsx:DeleteBackup');
  });

  test('may take a day: FSx copies for hours', () => {
    const functions = JSON.stringify(found.findResources('AWS::Lambda::Function'));
    expect(functions).toContain('"DEADLINE_SECONDS":"86400"');
  });
});

test('of GFS2 snapshots are made of nodes of this cluster, and of what they share', () => {
  const found = template('sas-grid-gfs2');
  const functions = JSON.stringify(found.findResources('AWS::Lambda::Function'));
  expect(functions).not.toContain('refusal');
  for (const said of ['gfs2-00', 'sas-grid-gfs2-storage', 'node1', 'Node1Group'])
    expect(functions).toMatch(new RegExp(`cluster.*${said}`));
  const ofCluster = {
    'aws:ResourceTag/cdk-sas-grid:cluster': Match.stringLikeRegexp(
      '^sas-grid-gfs2-storage/sasgfs2-[0-9a-f]{8}$',
    ),
  };
  found.hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Sid: 'MakeSnapshotsOf',
          Action: 'ec2:CreateSnapshots',
          Condition: { StringEquals: ofCluster },
        }),
        Match.objectLike({ Sid: 'MakeSnapshotsOfVolumes', Condition: { StringEqualsIfExists: ofCluster } }),
        Match.objectLike({ Sid: 'MakeSnapshots' }),
      ]),
    },
  });
  // The stack of the volumes has to be able to let go of them.
  expect(JSON.stringify(found.toJSON())).not.toContain('Io2ClusterVolume');
  // No volume map is read.
  expect(JSON.stringify(found.toJSON())).not.toContain('dynamodb:LeadingKeys');
});

test('of NFS on instance store it says what to do instead', () => {
  const { gameDay: _, ...others } = loadConfig('sas-grid-nfs');
  const nfs = { instanceStore: { instanceType: 'i3en.6xlarge', dataLossAcceptableBecause: 'test' } };
  const { operations } = createDeployment(testApp(), 'sas-grid-nfs', { ...others, nfs });
  const found = JSON.stringify(Template.fromStack(operations).toJSON());
  expect(found).toMatch(/refusal.*Copy it/);
  expect(found).not.toContain('ec2:CreateSnapshots');
});

describe('copies in another region', () => {
  const schedule = { schedule: 'cron(0 2 * * ? *)', timeZone: 'UTC' };
  const copying = (copyTo: object) => template('sas-grid-nfs', { backup: { ...schedule, copyTo } });

  test('are made by a function that may do nothing else, and ring when they are too old', () => {
    const found = copying({ region: 'eu-west-1' });
    const own = Object.entries(found.findResources('AWS::IAM::Policy')).filter(([id]) =>
      id.includes('CopyTo'),
    );
    expect(own).toHaveLength(1);
    const statements: { Action: string | string[]; Condition?: object }[] =
      own[0]![1].Properties.PolicyDocument.Statement;
    const actions = statements.flatMap(({ Action }) => Action).filter((each) => each.startsWith('ec2:'));
    expect(actions.sort()).toEqual([
      'ec2:CopySnapshot',
      'ec2:CopySnapshot',
      'ec2:CreateTags',
      'ec2:DeleteSnapshot',
      'ec2:DescribeSnapshots',
    ]);
    expect(statements.find(({ Action }) => Action === 'ec2:DeleteSnapshot')).toMatchObject({
      Resource: { 'Fn::Join': ['', expect.arrayContaining([':ec2:eu-west-1::snapshot/*'])] },
      Condition: {
        StringEquals: {
          'aws:ResourceTag/cdk-sas-grid:deployment': 'sas-grid-nfs',
          'aws:ResourceTag/cdk-sas-grid:backup-copy-from': {
            'Fn::Join': ['', [{ Ref: 'AWS::AccountId' }, '/', { Ref: 'AWS::Region' }]],
          },
        },
        Null: { 'aws:ResourceTag/cdk-sas-grid:backup-copy-of': 'false' },
      },
    });
    found.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'BackupCopyAgeSeconds',
      Threshold: (49 + 24) * 3600,
      TreatMissingData: 'breaching',
    });
  });

  test('in another account are made by its role, for which snapshots are shared with that account only', () => {
    const roleArn = 'arn:aws:iam::444455556666:role/copies';
    const found = copying({ region: 'us-east-1', roleArn });
    found.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Action: 'sts:AssumeRole', Resource: roleArn }),
          Match.objectLike({
            Action: 'ec2:ModifySnapshotAttribute',
            Condition: {
              StringEquals: {
                'aws:ResourceTag/cdk-sas-grid:deployment': 'sas-grid-nfs',
                'ec2:Add/userId': '444455556666',
              },
            },
          }),
        ]),
      },
    });
    expect(JSON.stringify(found.toJSON())).not.toContain('ec2:CopySnapshot');
  });

  test('in another account may use the key of the volumes, by that role and no other', () => {
    const roleArn = 'arn:aws:iam::444455556666:role/copies';
    const operations = { backup: { ...schedule, copyTo: { region: 'us-east-1', roleArn } } };
    const config = { ...loadConfig('sas-grid-nfs'), operations };
    const { storage } = createDeployment(testApp(), 'sas-grid-nfs', config);
    const ofAccount = { AWS: { 'Fn::Join': ['', Match.arrayWith([':iam::444455556666:root'])] } };
    Template.fromStack(storage).hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Sid: 'CopiesOfSnapshots',
            Principal: ofAccount,
            Condition: { StringEquals: { 'aws:PrincipalArn': roleArn } },
          }),
          Match.objectLike({
            Sid: 'CopiesOfSnapshotsByEbs',
            Action: 'kms:CreateGrant',
            Condition: {
              StringEquals: { 'aws:PrincipalArn': roleArn },
              Bool: { 'kms:GrantIsForAWSResource': 'true' },
            },
          }),
        ]),
      },
    });
  });

  test('of a cluster use the key of its volumes', () => {
    const found = template('sas-grid-gfs2', { backup: { ...schedule, copyTo: { region: 'eu-west-1' } } });
    found.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName: 'BackupCopyAgeSeconds' });
  });

  test('of what FSx backs up are refused', () => {
    const operations = { backup: { ...schedule, copyTo: { region: 'eu-west-1' } } };
    expect(() => template('sas-grid-fsx', operations)).toThrow(
      /copyTo is 'eu-west-1'; allowed: none, since it has no snapshots of volumes/,
    );
  });

  test.each([
    ['the same region', { region: 'us-east-1' }, {}, /copyTo.region is 'us-east-1'; allowed: another one/],
    [
      'a key of elsewhere',
      { region: 'eu-west-1', kmsKeyArn: 'arn:aws:kms:us-east-1:444455556666:key/1' },
      {},
      /copyTo.kmsKeyArn is .* allowed: the ARN of a key of eu-west-1/,
    ],
    ['one set only', { region: 'eu-west-1' }, { keep: 1 }, /keep is 1; allowed: 2 or more/],
  ])('refuse %s', (_, copyTo, more, message) => {
    const operations = { backup: { ...schedule, ...more, copyTo } };
    expect(() => template('sas-grid-nfs', operations, 'us-east-1')).toThrow(message);
  });
});
