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

test.each(['sas-grid-gfs2'])('%s says what to do instead', (name) => {
  const found = template(name);
  const functions = JSON.stringify(found.findResources('AWS::Lambda::Function'));
  expect(functions).toMatch(/refusal.*create-snapshot --volume-id/);
  expect(JSON.stringify(found.toJSON())).not.toContain('ec2:CreateSnapshots');
});
