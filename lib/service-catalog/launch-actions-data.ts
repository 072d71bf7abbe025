import { type ActionTable, actionsOf } from './type-actions';

/** What keeps data, messages and names. */
export const DATA_ACTIONS: ActionTable = {
  'AWS::CloudWatch::Alarm': {
    any: ['cloudwatch:DescribeAlarms', 'cloudwatch:ListTagsForResource'],
    named: {
      arns: ['cloudwatch:*:alarm:<name>'],
      actions: actionsOf('cloudwatch', 'PutMetricAlarm', 'DeleteAlarms', 'TagResource', 'UntagResource'),
    },
  },
  'AWS::DLM::LifecyclePolicy': {
    any: actionsOf(
      'dlm',
      'CreateLifecyclePolicy',
      'GetLifecyclePolicies',
      'GetLifecyclePolicy',
      'ListTagsForResource',
    ),
    tagged: actionsOf(
      'dlm',
      'UpdateLifecyclePolicy',
      'DeleteLifecyclePolicy',
      'TagResource',
      'UntagResource',
    ),
  },
  'AWS::DynamoDB::Table': {
    any: ['dynamodb:ListTables'],
    named: {
      arns: ['dynamodb:*:table/<name>'],
      actions: actionsOf(
        'dynamodb',
        'CreateTable',
        'UpdateTable',
        'DescribeTable',
        'DescribeContinuousBackups',
        'UpdateContinuousBackups',
        'DescribeTimeToLive',
        'UpdateTimeToLive',
        'DescribeContributorInsights',
        'DescribeKinesisStreamingDestination',
        'GetResourcePolicy',
        'ListTagsOfResource',
        'TagResource',
        'UntagResource',
      ),
    },
    delete: ['dynamodb:DeleteTable'],
  },
  'AWS::FSx::FileSystem': {
    any: [
      ...actionsOf('fsx', 'CreateFileSystem', 'DescribeFileSystems', 'ListTagsForResource', 'TagResource'),
      'iam:CreateServiceLinkedRole',
    ],
    tagged: actionsOf('fsx', 'UpdateFileSystem', 'UntagResource'),
    delete: ['fsx:DeleteFileSystem'],
  },
  'AWS::KMS::Key': {
    // A key has no name. A tag may take five minutes to count for its authorization (AWS KMS Developer Guide, "ABAC for
    // AWS KMS").
    any: actionsOf(
      'kms',
      'CreateKey',
      'TagResource',
      'DescribeKey',
      'GetKeyPolicy',
      'GetKeyRotationStatus',
      'ListResourceTags',
    ),
    atOnce: actionsOf('kms', 'EnableKeyRotation', 'PutKeyPolicy'),
    byServices: {
      services: ['dynamodb', 'ec2', 'fsx', 'secretsmanager'],
      actions: actionsOf('kms', 'CreateGrant', 'Decrypt', 'Encrypt', 'GenerateDataKey*', 'ReEncrypt*'),
    },
    tagged: actionsOf('kms', 'UpdateKeyDescription', 'UntagResource'),
    delete: actionsOf('kms', 'ScheduleKeyDeletion', 'DisableKey'),
  },
  'AWS::Logs::LogGroup': {
    any: ['logs:DescribeIndexPolicies', 'logs:DescribeLogGroups'],
    named: {
      arns: ['logs:*:log-group:<name>', 'logs:*:log-group:/aws/vendedlogs/states/<name>'],
      actions: actionsOf(
        'logs',
        'CreateLogGroup',
        'DeleteLogGroup',
        'PutRetentionPolicy',
        'DeleteRetentionPolicy',
        'AssociateKmsKey',
        'DisassociateKmsKey',
        'ListTagsForResource',
        'TagResource',
        'UntagResource',
        'GetDataProtectionPolicy',
      ),
    },
  },
  'AWS::Route53::HostedZone': {
    any: [
      ...actionsOf(
        'route53',
        'CreateHostedZone',
        'GetHostedZone',
        'UpdateHostedZoneComment',
        'DeleteHostedZone',
      ),
      ...actionsOf(
        'route53',
        'ListHostedZones',
        'ListQueryLoggingConfigs',
        'ListTagsForResource',
        'GetChange',
      ),
      ...actionsOf(
        'route53',
        'ChangeTagsForResource',
        'AssociateVPCWithHostedZone',
        'DisassociateVPCFromHostedZone',
      ),
    ],
  },
  'AWS::Route53::RecordSet': {
    any: actionsOf(
      'route53',
      'ChangeResourceRecordSets',
      'ListResourceRecordSets',
      'GetHostedZone',
      'GetChange',
    ),
  },
  'AWS::S3::Bucket': {
    named: {
      arns: ['s3:::<lower>'],
      actions: actionsOf(
        's3',
        'CreateBucket',
        'ListBucket',
        'GetBucket*',
        'GetEncryptionConfiguration',
        'GetLifecycleConfiguration',
        'PutEncryptionConfiguration',
        'PutLifecycleConfiguration',
        'PutBucketPublicAccessBlock',
        'GetBucketPublicAccessBlock',
        'PutBucketTagging',
        'PutBucketVersioning',
        'PutBucketOwnershipControls',
        'GetBucketOwnershipControls',
        'TagResource',
        'UntagResource',
      ),
    },
    delete: ['s3:DeleteBucket'],
  },
  'AWS::S3::BucketPolicy': {
    named: {
      arns: ['s3:::<lower>'],
      actions: actionsOf('s3', 'GetBucketPolicy', 'PutBucketPolicy', 'DeleteBucketPolicy'),
    },
  },
  'AWS::SNS::Subscription': {
    any: ['sns:Unsubscribe', 'sns:GetSubscriptionAttributes', 'sns:SetSubscriptionAttributes'],
    named: { arns: ['sns:*:<name>'], actions: actionsOf('sns', 'Subscribe', 'ListSubscriptionsByTopic') },
  },
  'AWS::SNS::Topic': {
    named: {
      arns: ['sns:*:<name>'],
      actions: actionsOf(
        'sns',
        'CreateTopic',
        'DeleteTopic',
        'GetTopicAttributes',
        'SetTopicAttributes',
        'GetDataProtectionPolicy',
        'ListSubscriptionsByTopic',
        'ListTagsForResource',
        'TagResource',
        'UntagResource',
      ),
    },
  },
  'AWS::SNS::TopicPolicy': {
    named: { arns: ['sns:*:<name>'], actions: actionsOf('sns', 'SetTopicAttributes', 'GetTopicAttributes') },
  },
  'AWS::SQS::Queue': {
    named: {
      arns: ['sqs:*:<name>'],
      actions: actionsOf(
        'sqs',
        'CreateQueue',
        'DeleteQueue',
        'GetQueueAttributes',
        'GetQueueUrl',
        'SetQueueAttributes',
        'ListQueueTags',
        'TagQueue',
        'UntagQueue',
      ),
    },
  },
  'AWS::SQS::QueuePolicy': {
    named: { arns: ['sqs:*:<name>'], actions: actionsOf('sqs', 'SetQueueAttributes', 'GetQueueAttributes') },
  },
};
