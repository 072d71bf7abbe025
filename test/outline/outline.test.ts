import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { archive } from '../../constructs/host/archive';
import { textBeside } from './beside';
import { outline } from './outline';
import { digest, unpacked } from './packed';
import { text } from './section';
import type { Template } from './template';

const TEMPLATE: Template = {
  Resources: {
    Volume: {
      Type: 'AWS::EC2::Volume',
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        AvailabilityZone: { Ref: 'Zone' },
        Size: 100,
        Tags: [
          { Key: 'cdk-sas-grid:deployment', Value: 'mine' },
          { Key: 'Name', Value: 'a volume' },
          { Key: 'cdk-sas-grid:slot', Value: 'nfs-00' },
        ],
      },
    },
    Table: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'map' }, DependsOn: ['Volume'] },
    Policy: {
      Type: 'AWS::IAM::Policy',
      Properties: {
        PolicyName: 'Policy',
        Roles: [{ Ref: 'Role' }],
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Action: ['dynamodb:Query', 'dynamodb:PutItem'],
              Resource: { 'Fn::GetAtt': ['Table', 'Arn'] },
              Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
            },
          ],
        },
      },
    },
    Rule: {
      Type: 'AWS::EC2::SecurityGroupIngress',
      Properties: {
        GroupId: { 'Fn::GetAtt': ['Group', 'GroupId'] },
        IpProtocol: 'tcp',
        FromPort: 988,
        ToPort: 988,
        CidrIp: '10.0.0.0/8',
      },
    },
    Alarm: {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        Namespace: 'SasGrid',
        MetricName: 'Unserved',
        Dimensions: [{ Name: 'Tier', Value: 'nfs' }],
        Statistic: 'Maximum',
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        Threshold: 1,
        EvaluationPeriods: 3,
        Period: 60,
        TreatMissingData: 'breaching',
        AlarmActions: [{ Ref: 'Topic' }],
      },
    },
  },
};

test('an outline has a line for each resource, statement, rule and alarm, and what an update changes in place', () => {
  expect(text(outline(TEMPLATE))).toBe(`\
== resources
Alarm AWS::CloudWatch::Alarm; refers to Topic
Policy AWS::IAM::Policy; refers to Role Table
Rule AWS::EC2::SecurityGroupIngress; replaces {GroupId: <Group.GroupId>, IpProtocol: tcp, FromPort: 988, \
ToPort: 988, CidrIp: 10.0.0.0/8}; refers to Group
Table AWS::DynamoDB::Table; replaces {TableName: map}; after Volume
Volume AWS::EC2::Volume; of mine; when deleted Retain, when replaced Retain; is refused {AvailabilityZone: <Zone>}\
; refers to Zone

== permissions
Policy PolicyDocument 2012-10-17 of Roles [<Role>]
  Allow dynamodb:Query, dynamodb:PutItem on <Table.Arn> if StringEquals {aws:SourceAccount: <AWS::AccountId>}

== security groups
Group in tcp 988 CidrIp 10.0.0.0/8

== alarms
Alarm Maximum of SasGrid Unserved [{Name: Tier, Value: nfs}]; >= 1; 3 times 60 s; missing data breaching\
; tells [<Topic>]

== settings
Volume {Size: 100, Tags: {cdk-sas-grid:slot: nfs-00}}`);
});

test('a stack that is nearly like another one costs what differs', () => {
  const { Rule: _, ...others } = TEMPLATE.Resources;
  const table = { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'other' } };
  const other: Template = { Resources: { ...others, Table: table } };
  expect(textBeside(outline(other), outline(TEMPLATE), 'model')).toBe(`\
as model, but for:
== resources
Table AWS::DynamoDB::Table; replaces {TableName: other}
no Rule

== security groups
no Rule`);
});

test('the order of a list is a difference', () => {
  const machine = (...names: string[]): Template => ({
    Resources: {
      Document: {
        Type: 'AWS::SSM::Document',
        Properties: { Content: { mainSteps: names.map((name) => ({ name, action: 'z'.repeat(220) })) } },
      },
    },
  });
  const difference = textBeside(outline(machine('two', 'one')), outline(machine('one', 'two')), 'model');
  expect(difference).toContain('in the order - name: two - name: one');
});

test('user data is held with the host software that is packed in it, however it was packed', () => {
  const packed = archive([{ path: 'bin/serve', content: 'echo served\n' }]);
  const script = `cat <<'BUNDLE'\n${packed}\nBUNDLE\n`;
  expect(unpacked(script)).toContain('bin/serve\necho served\n');
  const host = { Type: 'AWS::EC2::Instance', Properties: { UserData: { 'Fn::Base64': script } } };
  expect(text(outline({ Resources: { Host: host } }))).toContain(
    `restarts {UserData: user data ${digest(unpacked(script))}}`,
  );
});

test('the recorded outlines are few enough to be read', () => {
  const files = ['reference-deployments.test.ts.snap', 'service-catalog/catalog.test.ts.snap'].map((file) =>
    join(__dirname, '../lib', file.replace(/[^/]+$/, '__snapshots__/$&')),
  );
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  expect(lines.length).toBeLessThanOrEqual(8_000);
});
