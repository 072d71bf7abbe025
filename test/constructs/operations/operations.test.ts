import { Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { Operations, Sleep, type SleepProps } from '../../../constructs/operations';
import { nagFindings, testApp, testStack } from '../../helpers/app';
import { judgedStateMachines } from '../../helpers/state-machines';
import { tierIn } from '../volume-reattachment/tier';

const SCHEDULE = {
  stop: 'cron(0 20 ? * MON-FRI *)',
  start: 'cron(0 7 ? * MON-FRI *)',
  timeZone: 'Europe/Berlin',
};

interface Statement {
  readonly Sid?: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** A deployment with a tier, a cluster's group and nodes. */
function sleepIn(scope: Construct, props: Partial<SleepProps> = {}): Sleep {
  const operations = new Operations(scope, 'Operations', {
    deployment: 'mine',
    alarmTopic: sns.Topic.fromTopicArn(scope, 'Topic', 'arn:aws:sns:us-east-1:111122223333:alarms'),
  });
  return new Sleep(scope, 'Sleep', {
    operations,
    description: { tiers: [tierIn(scope)], clusterGroups: ['cluster-1'] },
    storageStack: 'mine-storage',
    nodeStack: 'mine-grid',
    stacks: ['mine-storage', 'mine-grid'],
    ...props,
  });
}

const stack = testStack(testApp());
sleepIn(stack, { schedule: SCHEDULE });
const template = Template.fromStack(stack);

const STEPS = 'SleepSteps';
const ofSteps = (id: string) => id.startsWith(STEPS);

/** What the function may do besides its own log, by the name of the statement. */
const statementsIn = (of: Template): Statement[] =>
  Object.entries(of.findResources('AWS::IAM::Policy'))
    .filter(([id]) => ofSteps(id))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement as Statement[]);
const statements = statementsIn(template);
const statement = (sid: string): Statement => statements.find(({ Sid }) => Sid === sid)!;
const text = (value: unknown): string => JSON.stringify(value);

describe('what the function may do', () => {
  test('is to change nothing but sizes of the named groups, nodes of the stack, and the tiers of the map', () => {
    expect(text(statement('ResizeGroups').Resource)).toContain(':autoScalingGroupName/mine-storage-*');
    expect(statement('ResizeGroups').Action).toBe('autoscaling:UpdateAutoScalingGroup');
    expect(statement('StopAndStartNodes')).toMatchObject({
      Action: ['ec2:StopInstances', 'ec2:StartInstances'],
      Condition: { StringEquals: { 'aws:ResourceTag/aws:cloudformation:stack-name': 'mine-grid' } },
    });
    expect(statement('SleepInTheMap')).toMatchObject({
      Action: ['dynamodb:Query', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
      Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['oss'] } },
    });
    expect(statement('AskWhom').Condition).toEqual({
      StringEquals: { 'ssm:resourceTag/cdk-sas-grid:deployment': 'mine' },
    });
    expect(text(statement('AskWhat').Resource)).toContain('SleepDocument');
  });

  test('on everything is only to look', () => {
    const anything = statements.filter(({ Resource }) => [Resource].flat().includes('*'));
    expect(anything.flatMap(({ Action }) => Action)).toEqual(
      expect.arrayContaining(['ec2:DescribeInstances', 'ssm:ListCommandInvocations']),
    );
    for (const action of anything.flatMap(({ Action }) => Action))
      expect(action).toMatch(/:(Describe|List)[A-Z]/);
  });

  test('is neither to terminate a server nor to touch a volume, a row of another tier or another execution', () => {
    const all = statements.flatMap(({ Action }) => Action);
    const changes = all.filter((action) => !/:(Describe|List|Get|Query)/.test(action)).sort();
    expect([...new Set(changes)]).toEqual(
      [
        'autoscaling:UpdateAutoScalingGroup',
        'dynamodb:DeleteItem',
        'dynamodb:UpdateItem',
        'ec2:StartInstances',
        'ec2:StopInstances',
        'kms:Decrypt',
        'kms:Encrypt',
        'kms:GenerateDataKey',
        'logs:CreateLogStream',
        'logs:PutLogEvents',
        'ssm:SendCommand',
      ].filter((action) => changes.includes(action)),
    );
    expect(all.some((action) => action.includes('*'))).toBe(false);
  });

  test('leaves no finding of cdk-nag', () => {
    expect(nagFindings((scope) => sleepIn(scope, { schedule: SCHEDULE }))).toEqual([]);
  });

  test('without nodes, tiers or groups is less', () => {
    const alone = testStack(testApp());
    sleepIn(alone, { description: {}, nodeStack: undefined });
    const policies = text(statementsIn(Template.fromStack(alone)));
    for (const right of ['ec2:StopInstances', 'autoscaling:UpdateAutoScalingGroup', 'dynamodb:Query', 'kms:'])
      expect(policies).not.toContain(right);
  });
});

test('the function is told all that it needs, the servers in the order of their start and of their end', () => {
  const [variables] = Object.entries(template.findResources('AWS::Lambda::Function'))
    .filter(([id]) => ofSteps(id))
    .map(([, { Properties }]) => Properties.Environment.Variables);
  expect(Object.keys(variables).sort()).toEqual([
    'DEADLINE_SECONDS',
    'DEPLOYMENT',
    'DOCUMENT',
    'OPERATIONS_TABLE',
  ]);
  const deployment = text(variables.DEPLOYMENT).replaceAll('\\"', '"');
  expect(deployment).toContain('"slots":2,"spares":0');
  expect(deployment).toContain('"stopOrder":["oss"],"clusterGroups":["cluster-1"],"hostsHaveUsers":false');
  expect(deployment).toContain('"stacks":["mine-storage","mine-grid"],"nodeStack":"mine-grid"');
});

describe('each workflow', () => {
  test.each(['stop', 'start'])(
    '%s can be run, ends before its execution does, and keeps a log',
    (operation) => {
      expect(judgedStateMachines(template.toJSON() as never).problems).toEqual([]);
      const machines = Object.values(template.findResources('AWS::StepFunctions::StateMachine'));
      const own = machines
        .map(({ Properties }) => Properties)
        .find(
          (each) =>
            text(each).includes(`-${operation}`) ||
            text(each.DefinitionString).includes(`${operation} of the deployment mine`),
        )!;
      const definition = JSON.parse(
        own.DefinitionString['Fn::Join'][1]
          .map((part: unknown) => (typeof part === 'string' ? part : 'arn'))
          .join(''),
      );
      expect(definition.TimeoutSeconds).toBeGreaterThan(Duration.hours(3).toSeconds());
      expect(definition.States.Step.Parameters).toMatchObject({
        operation,
        'execution.$': '$$.Execution.Id',
      });
      expect(own.LoggingConfiguration).toMatchObject({ Level: 'ALL', IncludeExecutionData: true });
    },
  );

  test('rings when it was refused or failed', () => {
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'))
      .map(({ Properties }) => Properties)
      .filter(({ AlarmDescription }) => /^Deployment mine: (stop|start) /.test(AlarmDescription));
    expect(alarms.map(({ MetricName }) => MetricName).sort()).toEqual([
      'ExecutionsFailed',
      'ExecutionsFailed',
    ]);
    for (const alarm of alarms) {
      expect(alarm).toMatchObject({
        Threshold: 1,
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        TreatMissingData: 'notBreaching',
        AlarmActions: ['arn:aws:sns:us-east-1:111122223333:alarms'],
      });
    }
  });
});

describe('by the clock', () => {
  test.each(['stop', 'start'] as const)(
    '%s is started as the configuration says, with the right to that alone',
    (operation) => {
      template.hasResourceProperties('AWS::Scheduler::Schedule', {
        ScheduleExpression: SCHEDULE[operation],
        ScheduleExpressionTimezone: 'Europe/Berlin',
        FlexibleTimeWindow: { Mode: 'OFF' },
        Target: Match.objectLike({ Input: '{"cause":"schedule"}' }),
      });
      const [policy] = Object.entries(template.findResources('AWS::IAM::Policy'))
        .filter(([id]) => id.startsWith(`Sleep${operation}ScheduleRole`))
        .map(([, { Properties }]) => Properties.PolicyDocument.Statement);
      expect(policy).toEqual([
        {
          Action: 'states:StartExecution',
          Effect: 'Allow',
          Resource: { Ref: expect.stringMatching(/^OperationsSt/) },
        },
      ]);
    },
  );

  test('nothing happens unless somebody said when', () => {
    const by = testStack(testApp());
    sleepIn(by);
    Template.fromStack(by).resourceCountIs('AWS::Scheduler::Schedule', 0);
  });
});

test('the program travels in the document, which takes what is asked', () => {
  template.hasResourceProperties('AWS::SSM::Document', {
    Content: Match.objectLike({
      parameters: { what: Match.objectLike({ allowedValues: ['work', 'unmount', 'mounted'] }) },
      mainSteps: [
        Match.objectLike({ inputs: Match.objectLike({ runCommand: Match.arrayWith(['WHAT={{ what }}']) }) }),
      ],
    }),
  });
  const documents = Object.values(template.findResources('AWS::SSM::Document'));
  const lines = documents.map(
    ({ Properties }) => Properties.Content.mainSteps?.[0]?.inputs?.runCommand ?? [],
  );
  expect(lines.find((each) => each.includes('WHAT={{ what }}'))[0]).toBe('#!/bin/bash');
});

test('what is remembered goes with the deployment, and can be brought back', () => {
  const tables = Object.entries(template.findResources('AWS::DynamoDB::Table'));
  const [, own] = tables.find(([id]) => id.startsWith('OperationsTable'))!;
  expect(own).toMatchObject({
    DeletionPolicy: 'Delete',
    Properties: { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
  });
  expect(Stack.of(stack).stackName).toBe('Test');
});
