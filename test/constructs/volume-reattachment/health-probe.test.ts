import { Duration } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as sns from 'aws-cdk-lib/aws-sns';
import { testStack } from '../../helpers/app';
import { tierIn } from './tier';

const TIER_TAG = { 'Fn::Join': ['', [{ Ref: 'AWS::StackName' }, '/Oss']] };

const stack = testStack();
const tier = tierIn(stack, { alarmTopic: new sns.Topic(stack, 'Alarms'), healthProbe: { misses: 4 } });
const template = Template.fromStack(stack);
const id = (each: { node: { defaultChild?: unknown } } | undefined) =>
  stack.getLogicalId(each?.node.defaultChild as never);

test('the servers are asked once a minute, and late rounds are dropped', () => {
  template.hasResourceProperties('AWS::Events::Rule', {
    ScheduleExpression: 'rate(1 minute)',
    Targets: [
      {
        Arn: { 'Fn::GetAtt': [id(tier.healthProber), 'Arn'] },
        RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
      },
    ],
  });
});

test('the prober is told its tier, its stack and its limits', () => {
  template.hasResourceProperties('AWS::Lambda::Function', {
    Environment: {
      Variables: Match.objectLike({
        TIER: 'oss',
        TIER_TAG,
        STACK_ID: { Ref: 'AWS::StackId' },
        SLOT_COUNT: '2',
        INTERVAL_SECONDS: '60',
        MISSES: '4',
      }),
    },
  });
});

describe('the prober’s rights', () => {
  const [policy] = Object.entries(template.findResources('AWS::IAM::Policy')).filter(([name]) =>
    name.includes('HealthProbe'),
  );
  const statements: { Sid?: string; Action: string | string[]; Resource: unknown; Condition?: unknown }[] =
    policy![1].Properties.PolicyDocument.Statement;
  const named = (sid: string) => statements.find((each) => each.Sid === sid)!;
  const actions = statements.flatMap((each) => each.Action);

  test('end where volumes, interfaces and lifecycle actions begin', () => {
    const forbidden = actions.filter((action) =>
      /^ec2:|Lifecycle|Terminate|Attach|Detach|PutItem|DeleteItem/.test(action),
    );
    expect(forbidden).toEqual([]);
  });

  test('to declare unhealthy are about this group', () => {
    expect(named('DeclareUnhealthy').Action).toBe('autoscaling:SetInstanceHealth');
    expect(JSON.stringify(named('DeclareUnhealthy').Resource)).toMatch(
      /autoScalingGroup:\*:autoScalingGroupName\/.*AWS::StackName.*-oss-/,
    );
  });

  test('to send are about its own document and the servers of the tier', () => {
    const document = Object.keys(template.findResources('AWS::SSM::Document')).find((name) =>
      name.includes('Probe'),
    );
    expect(JSON.stringify(named('AskWhat').Resource)).toContain(`"Ref":"${document}"`);
    expect(named('AskWhom').Condition).toEqual({
      StringEquals: { 'ssm:resourceTag/cdk-sas-grid:tier': TIER_TAG },
    });
  });

  test('in the map are about the items of the tier', () => {
    expect(named('OwnItems')).toMatchObject({
      Action: ['dynamodb:Query', 'dynamodb:UpdateItem'],
      Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['oss'] } },
    });
  });

  test('to look at deployments are about the own stack', () => {
    expect(named('SeeDeployments')).toMatchObject({
      Action: 'cloudformation:DescribeStacks',
      Resource: { Ref: 'AWS::StackId' },
    });
  });
});

test('the program travels in the document, bounded in time, with nothing that Systems Manager would replace', () => {
  const [document] = Object.entries(template.findResources('AWS::SSM::Document')).filter(([name]) =>
    name.includes('Probe'),
  );
  const content = document![1].Properties.Content;
  const { runCommand, timeoutSeconds } = content.mainSteps[0].inputs;
  expect(content.parameters).toBeUndefined();
  expect(timeoutSeconds).toBe('45');
  expect(runCommand[0]).toBe('#!/bin/bash');
  expect(runCommand.join('\n')).not.toContain('{{');
  // It says which program it is, and the prober is told which one it asks with.
  const [, program] = /^echo program ([0-9a-f]{16})$/.exec(runCommand[1])!;
  template.hasResourceProperties('AWS::Lambda::Function', {
    Environment: { Variables: Match.objectLike({ PROGRAM: program }) },
  });
  expect(JSON.stringify(content).length).toBeLessThan(64 * 1024);
});

test('alarms tell of services that fail and of servers that cannot be asked', () => {
  const alarm = (MetricName: string, more: object) =>
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName,
      Dimensions: [{ Name: 'Tier', Value: TIER_TAG }],
      Statistic: 'Minimum',
      Period: 300,
      EvaluationPeriods: 3,
      ...more,
    });
  alarm('MissingServices', { TreatMissingData: 'notBreaching' });
  alarm('UnprobedServers', { TreatMissingData: 'breaching' });
  // Of servers that nobody asks yet it would ring at once.
  const [unprobed] = Object.values(
    template.findResources('AWS::CloudWatch::Alarm', { Properties: { MetricName: 'UnprobedServers' } }),
  );
  expect(unprobed!.DependsOn).toEqual(
    expect.arrayContaining([expect.stringMatching(/^OssHealthProbeInterval/)]),
  );
  // Each server that is replaced for what a probe said is a person's business, also when the next one serves in
  // minutes.
  alarm('ServersDeclaredUnhealthy', {
    Statistic: 'Maximum',
    Threshold: 1,
    EvaluationPeriods: 1,
    TreatMissingData: 'notBreaching',
  });
});

test('nobody asks where nobody shall', () => {
  const other = testStack();
  const silent = tierIn(other, { healthProbe: { enabled: false } });
  expect(silent.healthProber).toBeUndefined();
  const text = JSON.stringify(Template.fromStack(other).toJSON());
  for (const word of ['UnprobedServers', 'ProbeDocument', 'Prober']) expect(text).not.toContain(word);
});

test.each([
  [5, 900],
  [60, 7200],
])('with a check every %i minutes a hook waits %i s for a sign of life', (minutes, HeartbeatTimeout) => {
  const other = testStack();
  tierIn(other, { schedule: Duration.minutes(minutes) });
  Template.fromStack(other).hasResourceProperties('AWS::AutoScaling::AutoScalingGroup', {
    LifecycleHookSpecificationList: [
      Match.objectLike({ HeartbeatTimeout }),
      Match.objectLike({ HeartbeatTimeout }),
    ],
  });
});
