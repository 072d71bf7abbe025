import { Match, Template } from 'aws-cdk-lib/assertions';
import { loadConfig } from '../../../lib/config';
import { createDeployment } from '../../../lib/deployment';
import { testApp } from '../../helpers/app';

const template = (name: string, operations?: object): Template => {
  const config = { ...loadConfig(name), ...(operations && { operations }) };
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

test.each(['sas-grid-fsx'])('%s says what to do instead', (name) => {
  const found = template(name);
  const functions = JSON.stringify(found.findResources('AWS::Lambda::Function'));
  expect(functions).toMatch(/refusal.*create-backup/);
  expect(JSON.stringify(found.toJSON())).not.toContain('ec2:CreateSnapshots');
});
