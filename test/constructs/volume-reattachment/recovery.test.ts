import { Duration, type Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as sns from 'aws-cdk-lib/aws-sns';
import { UNSTABLE_MS, UNSTABLE_SERVINGS } from '../../../lambda/volume-reconciler/settings';
import { testStack } from '../../helpers/app';
import { expectKeyForNotifications } from '../../helpers/topic-key';
import { tierIn } from './tier';

const stack = testStack();
const topic = new sns.Topic(stack, 'Alarms', { enforceSSL: true });
tierIn(stack, { alarmTopic: topic, schedule: Duration.minutes(10), healthProbe: { enabled: false } });
const template = Template.fromStack(stack);

const TIER_TAG = { 'Fn::Join': ['', [{ Ref: 'AWS::StackName' }, '/Oss']] };
const GROUP_NAME = {
  'Fn::Join': ['', [{ Ref: 'AWS::StackName' }, Match.stringLikeRegexp('^-oss-[0-9a-f]{8}$')]],
};

describe('what starts the workflow', () => {
  test('are the group’s own events and the schedule, each with a dead-letter queue', () => {
    template.resourceCountIs('AWS::Events::Rule', 2);
    template.allResourcesProperties('AWS::Events::Rule', {
      Targets: [
        Match.objectLike({
          DeadLetterConfig: { Arn: Match.anyValue() },
          RetryPolicy: { MaximumEventAgeInSeconds: 3600, MaximumRetryAttempts: 10 },
        }),
      ],
    });
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['aws.autoscaling'],
        'detail-type': Match.arrayWith([
          'EC2 Instance-launch Lifecycle Action',
          'EC2 Instance-terminate Lifecycle Action',
        ]),
        detail: { AutoScalingGroupName: [GROUP_NAME] },
      },
    });
    template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(10 minutes)' });
  });

  test('is no state change of EC2, which cannot be filtered by tag', () => {
    expect(JSON.stringify(template.findResources('AWS::Events::Rule'))).not.toContain('State-change');
  });
});

describe('the workflow', () => {
  const [machine] = Object.values(template.findResources('AWS::StepFunctions::StateMachine'));
  const text = machine!.Properties.DefinitionString['Fn::Join'][1]
    .map((part: unknown) => (typeof part === 'string' ? part : 'X'))
    .join('');
  const { States: states } = JSON.parse(text);

  test('loops, retries with jitter, and goes on after a pass that failed', () => {
    expect(states.Wait).toMatchObject({
      Type: 'Wait',
      SecondsPath: '$.result.waitSeconds',
      Next: 'Reconcile',
    });
    expect(states.Reconcile.Retry[0]).toMatchObject({ ErrorEquals: ['States.ALL'], JitterStrategy: 'FULL' });
    expect(states.Reconcile.Catch[0]).toMatchObject({ Next: 'Count the failure', ResultPath: '$.error' });
  });

  test('keeps its deadline also while passes fail', () => {
    expect(states.Reconcile.Retry[0].MaxAttempts).toBe(2);
    const { QueryLanguage, Choices, Default } = states['Failed too often?'];
    expect([QueryLanguage, Default]).toEqual(['JSONata', 'Wait']);
    expect(Choices).toEqual([{ Condition: expect.any(String), Next: 'Does CloudFormation wait?' }]);
    expect(Choices[0].Condition).toContain('$states.input.result.failures >= 5 or ');
    // JSONPath fields fail a state in JSONata: the state machine would be refused.
    expect(Object.keys(states['Failed too often?']).sort()).toEqual([
      'Choices',
      'Default',
      'QueryLanguage',
      'Type',
    ]);
    expect(givesUp(Choices[0].Condition, { failures: 5, minutes: 1 })).toBe(true);
    expect(givesUp(Choices[0].Condition, { failures: 4, minutes: 49 })).toBe(false);
    expect(givesUp(Choices[0].Condition, { failures: 1, minutes: 50 })).toBe(true);
  });

  test('logs where no log delivery policy grows, in a group that does not outlive it', () => {
    const groups = Object.values(template.findResources('AWS::Logs::LogGroup'));
    const named = groups.filter(({ Properties }) => Properties.LogGroupName);
    expect(named).toEqual([
      expect.objectContaining({ DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' }),
    ]);
    const name = named[0]!.Properties.LogGroupName['Fn::Join'][1];
    expect(name).toEqual([
      '/aws/vendedlogs/states/',
      { Ref: 'AWS::StackName' },
      expect.stringMatching(/^-oss-[0-9a-f]{8}$/),
    ]);
    // What happened to the servers stays.
    expect(groups.filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain')).toHaveLength(2);
  });

  test('answers CloudFormation only where it waits', () => {
    const [choice] = states['Does CloudFormation wait?'].Choices;
    expect(choice).toEqual({ Variable: '$.answer', IsPresent: true, Next: 'Answer CloudFormation' });
  });

  test('keeps the answer address out of the logs', () => {
    expect(machine!.Properties.LoggingConfiguration).toMatchObject({
      Level: 'ALL',
      IncludeExecutionData: false,
    });
  });
});

describe('alarms', () => {
  test('go to the topic, also when nobody looks any more', () => {
    template.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [{ Ref: Match.anyValue() }] });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'UnservedSlots',
      Namespace: 'CdkSasGrid',
      Dimensions: [{ Name: 'Tier', Value: TIER_TAG }],
      Period: 600,
      EvaluationPeriods: 3,
      TreatMissingData: 'breaching',
      // Three of those periods.
      AlarmDescription: Match.stringLikeRegexp('for 30 minutes'),
    });
  });

  test('may publish to the topic, whose own policy takes SNS’s place', () => {
    const { Statement } = Object.values(template.findResources('AWS::SNS::TopicPolicy'))[0]!.Properties
      .PolicyDocument;
    expect(Statement).toHaveLength(2);
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      Topics: [{ Ref: Match.stringLikeRegexp('^Alarms') }],
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Action: 'sns:Publish',
            Resource: { Ref: Match.stringLikeRegexp('^Alarms') },
            Condition: {
              StringEquals: { 'aws:SourceAccount': '111122223333' },
              ArnLike: {
                'aws:SourceArn': {
                  'Fn::Join': [
                    '',
                    ['arn:', { Ref: 'AWS::Partition' }, ':cloudwatch:us-east-1:111122223333:alarm:*'],
                  ],
                },
              },
            },
          }),
        ]),
      },
    });
  });

  test('may use the key of an encrypted topic', () => {
    const other = testStack();
    const masterKey = new kms.Key(other, 'TopicKey');
    tierIn(other, { alarmTopic: new sns.Topic(other, 'Alarms', { masterKey }) });
    Template.fromStack(other).hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
          }),
        ]),
      },
    });
  });

  test('have a key with which the group can tell of launches and terminations, too', () => {
    const other = testStack();
    const masterKey = new kms.Key(other, 'TopicKey');
    const alarmTopic = new sns.Topic(other, 'Alarms', { masterKey });
    tierIn(other, { alarmTopic });
    expectKeyForNotifications(Template.fromStack(other));
  });

  test('leave the policies of an imported topic with an imported key to their owners', () => {
    const other = testStack();
    const arnOf = (what: string) => `arn:aws:${what}`;
    const alarmTopic = sns.Topic.fromTopicAttributes(other, 'Alarms', {
      topicArn: arnOf('sns:us-east-1:111122223333:alarms'),
      keyArn: arnOf('kms:us-east-1:111122223333:key/01234567-89ab-cdef-0123-456789abcdef'),
    });
    tierIn(other, { alarmTopic });
    const text = JSON.stringify(Template.fromStack(other).findResources('AWS::KMS::Key'));
    expect(text).not.toContain('["kms:Decrypt","kms:GenerateDataKey*"]');
  });

  test('warn of a topic with the key of AWS, which lets CloudWatch tell nobody', () => {
    const warned = (masterKey?: (scope: Stack) => kms.IKey) => {
      const other = testStack();
      tierIn(other, { alarmTopic: new sns.Topic(other, 'Alarms', { masterKey: masterKey?.(other) }) });
      return Annotations.fromStack(other).findWarning('*', Match.stringLikeRegexp('alias/aws/sns'));
    };
    expect(warned((scope) => kms.Alias.fromAliasName(scope, 'Aws', 'alias/aws/sns'))).not.toEqual([]);
    expect(warned((scope) => new kms.Key(scope, 'Own'))).toEqual([]);
    expect(warned()).toEqual([]);
  });

  test('of what nobody measures come when the tier is served, and go before it does; the others come before', () => {
    const served = Object.keys(template.findResources('Custom::SasGridTierServed'));
    const late: string[] = [];
    for (const [id, { DependsOn = [], Properties }] of Object.entries(
      template.findResources('AWS::CloudWatch::Alarm'),
    )) {
      if (Properties.TreatMissingData === 'breaching') {
        late.push(Properties.MetricName);
        expect(DependsOn).toEqual(expect.arrayContaining(served));
      } else {
        // Whoever deploys for the first time hears why no launch gets to serve.
        expect({ id, waits: served.filter((each) => DependsOn.includes(each)) }).toEqual({ id, waits: [] });
      }
    }
    expect(late).toEqual(['UnservedSlots']);
  });

  test('tell of a slot that fails again and again, as the reconciler counts it', () => {
    expect([UNSTABLE_SERVINGS, UNSTABLE_MS / 3_600_000]).toEqual([4, 3]);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'UnstableSlots',
      Statistic: 'Minimum',
      Threshold: 1,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
      AlarmDescription: Match.stringLikeRegexp('four times within three hours'),
    });
  });

  test('tell of what would be deleted with a server, also when the reconciler took it back in the same pass', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'AttachmentsNotKept',
      Statistic: 'Maximum',
      Threshold: 1,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    });
  });

  test.each([
    ['UnreachableLaunchesKept', /Systems Manager never reached it/],
    ['FailingLaunchesKept', /does not get to serve/],
    ['EndedLaunches', /also the one that was to be kept/],
  ])('say why a launch is kept, or is none: %s', (MetricName, why) => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName,
      Statistic: 'Minimum',
      Threshold: 1,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
      AlarmDescription: Match.stringLikeRegexp(why.source),
    });
  });
});

/** What the condition says after so many failures, so many minutes into an execution of 50 minutes. */
function givesUp(condition: string, { failures, minutes }: { failures: number; minutes: number }): boolean {
  const start = Date.parse('2026-11-20T10:00:00.000Z');
  const states = {
    input: { result: { failures }, deadlineSeconds: 3000 },
    context: {
      Execution: { StartTime: new Date(start).toISOString() },
      State: { EnteredTime: new Date(start + minutes * 60_000).toISOString() },
    },
  };
  // The little of JSONata that it uses, in JavaScript.
  const script = condition.replace(/^\{% | %\}$/g, '').replace(/ or /g, ' || ');
  return new Function('$states', '$toMillis', `return ${script};`)(states, Date.parse);
}
