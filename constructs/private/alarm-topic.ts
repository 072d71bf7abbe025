import { Annotations, ArnFormat } from 'aws-cdk-lib';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { addKeyStatement, requireSameRegion } from './imported';

/**
 * Has alarms tell a topic, and lets CloudWatch publish there. A topic with a policy of its own, for example the one of
 * `enforceSSL`, has lost the policy that SNS gives a topic by itself: the alarm goes off, its message is refused, and
 * only the alarm's history says so (SNS Developer Guide, "Example cases for Amazon SNS access control"; CloudWatch uses
 * the topic's key itself, "Key management", read 2026-11). Policies of topics and keys that are imported are their
 * owners'. What Auto Scaling groups tell the topic needs `allowNotifications` as well.
 */
export function tellTopic(alarms: readonly cloudwatch.Alarm[], topic: sns.ITopic | undefined): void {
  if (topic === undefined || alarms.length === 0) return;
  requireSameRegion(alarms[0]!, 'alarmTopic', topic);
  for (const alarm of alarms) alarm.addAlarmAction(new SnsAction(topic));
  const { account } = topic.stack;
  const cloudWatch = new iam.ServicePrincipal('cloudwatch.amazonaws.com');
  // The same for each alarm: the document keeps one of equal statements.
  topic.addToResourcePolicy(
    new iam.PolicyStatement({
      principals: [cloudWatch],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': account },
        ArnLike: { 'aws:SourceArn': topic.stack.formatArn(ALARMS) },
      },
    }),
  );
  if (topic.masterKey?.keyArn.endsWith('alias/aws/sns')) {
    Annotations.of(alarms[0]!).addWarningV2(
      'cdk-sas-grid:alarmTopicKey',
      'The alarm topic is encrypted with the key alias/aws/sns, which CloudWatch may not use: its alarms tell ' +
        'nobody. Give the topic a key of the app, or none.',
    );
  }
  if (!topic.masterKey) return;
  addKeyStatement(
    alarms[0]!,
    topic.masterKey,
    new iam.PolicyStatement({
      principals: [cloudWatch],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      resources: ['*'],
    }),
    'alarms that tell the topic that it encrypts',
  );
}

const ALARMS = {
  service: 'cloudwatch',
  resource: 'alarm',
  resourceName: '*',
  arnFormat: ArnFormat.COLON_RESOURCE_NAME,
};
