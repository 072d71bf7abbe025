import { Duration } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as sns from 'aws-cdk-lib/aws-sns';
import { StandbyServers, type VolumeReattachmentProps } from '../../../constructs/volume-reattachment';
import { testStack } from '../../helpers/app';
import { tierIn } from './tier';

function templateOf(props: Partial<VolumeReattachmentProps>): Template {
  const stack = testStack();
  tierIn(stack, { alarmTopic: new sns.Topic(stack, 'Alarms'), ...props });
  return Template.fromStack(stack);
}

const groupOf = (template: Template) =>
  Object.values(template.findResources('AWS::AutoScaling::AutoScalingGroup'))[0]!.Properties;
const ENDING = { 'detail-type': ['EC2 Instance State-change Notification'] };

describe('with a hot spare', () => {
  const template = templateOf({ standby: StandbyServers.hotSpare(), schedule: Duration.minutes(10) });

  test('the group has one server more than slots, and may be told by hand to have only those', () => {
    expect(groupOf(template)).toMatchObject({ MinSize: '2', MaxSize: '3', DesiredCapacity: '3' });
    template.resourceCountIs('AWS::EC2::Volume', 4);
    template.resourceCountIs('AWS::EC2::NetworkInterface', 2);
  });

  test('the reconciler knows of it', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ SLOT_COUNT: '2', SPARE_SERVERS: '1' }) },
    });
  });

  test('instances that end start the workflow, since a spare need not wait until the group notices', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: { ...ENDING, source: ['aws.ec2'], detail: { state: ['shutting-down', 'stopping'] } },
      Targets: [Match.objectLike({ DeadLetterConfig: Match.anyValue() })],
    });
  });

  test('an alarm rings when it has been missing for an hour', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'SpareServers',
      Statistic: 'Maximum',
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      EvaluationPeriods: 6,
      Period: 600,
      AlarmActions: [Match.anyValue()],
    });
  });
});

test.each([
  ['nothing said', {}],
  ['none', { standby: StandbyServers.none() }],
])('with %s there is no spare, and nothing that watches for one', (_name, props) => {
  const template = templateOf(props);
  expect(groupOf(template)).toMatchObject({ MinSize: '2', MaxSize: '2' });
  expect(groupOf(template)).not.toHaveProperty('DesiredCapacity');
  expect(template.findResources('AWS::Events::Rule', { Properties: { EventPattern: ENDING } })).toEqual({});
  const alarms = { Properties: { MetricName: 'SpareServers' } };
  expect(template.findResources('AWS::CloudWatch::Alarm', alarms)).toEqual({});
  template.hasResourceProperties('AWS::Lambda::Function', {
    Environment: { Variables: Match.objectLike({ SPARE_SERVERS: '0' }) },
  });
});

test.each([
  ['a spare', { standby: StandbyServers.hotSpare() }],
  ['no spare, as an instance refresh may leave a server in service that owns nothing', {}],
])(
  'with %s the reconciler may have a member of its own group replaced that took a slot and cannot serve',
  (_name, props) => {
    const template = templateOf(props);
    const group = Match.objectLike({
      'Fn::Join': ['', Match.arrayWith([Match.stringLikeRegexp('autoScalingGroupName/')])],
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyName: Match.stringLikeRegexp('Reconciler'),
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Action: 'autoscaling:SetInstanceHealth', Resource: group }),
        ]),
      },
    });
  },
);

test('recoveries are deleted after their time, and nothing else of the map is', () => {
  templateOf({}).hasResourceProperties('AWS::DynamoDB::Table', {
    TimeToLiveSpecification: { AttributeName: 'deleteAfter', Enabled: true },
  });
});
