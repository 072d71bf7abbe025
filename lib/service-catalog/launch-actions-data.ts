import { type ActionTable, of } from './type-actions';

/** What keeps data, messages and names. */
export const DATA_ACTIONS: ActionTable = {
  'AWS::CloudWatch::Alarm': {
    any: ['cloudwatch:DescribeAlarms', 'cloudwatch:ListTagsForResource'],
    named: {
      arns: ['cloudwatch:*:alarm:<name>'],
      actions: of('cloudwatch', 'PutMetricAlarm', 'DeleteAlarms', 'TagResource', 'UntagResource'),
    },
  },
  'AWS::DLM::LifecyclePolicy': {
    any: of(
      'dlm',
      'CreateLifecyclePolicy',
      'GetLifecyclePolicies',
      'GetLifecyclePolicy',
      'ListTagsForResource',
    ),
    tagged: of('dlm', 'UpdateLifecyclePolicy', 'DeleteLifecyclePolicy', 'TagResource', 'UntagResource'),
  },
  'AWS::DynamoDB::Table': {
    any: ['dynamodb:ListTables'],
    named: {
      arns: ['dynamodb:*:table/<name>'],
      actions: of(
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
      ...of('fsx', 'CreateFileSystem', 'DescribeFileSystems', 'ListTagsForResource', 'TagResource'),
      'iam:CreateServiceLinkedRole',
    ],
    tagged: of('fsx', 'UpdateFileSystem', 'UntagResource'),
    delete: ['fsx:DeleteFileSystem'],
  },
  'AWS::KMS::Key': {
    // A key has no name. A tag may take five minutes to count for its authorization (AWS KMS Developer Guide, "ABAC for
    // AWS KMS").
    any: of(
      'kms',
      'CreateKey',
      'TagResource',
      'DescribeKey',
      'GetKeyPolicy',
      'GetKeyRotationStatus',
      'ListResourceTags',
    ),
    atOnce: of('kms', 'EnableKeyRotation', 'PutKeyPolicy'),
    byServices: {
      services: ['dynamodb', 'ec2', 'fsx', 'secretsmanager'],
      actions: of('kms', 'CreateGrant', 'Decrypt', 'Encrypt', 'GenerateDataKey*', 'ReEncrypt*'),
    },
    tagged: of('kms', 'UpdateKeyDescription', 'UntagResource'),
    delete: of('kms', 'ScheduleKeyDeletion', 'DisableKey'),
  },
  'AWS::Logs::LogGroup': {
    any: ['logs:DescribeIndexPolicies', 'logs:DescribeLogGroups'],
    named: {
      arns: ['logs:*:log-group:<name>', 'logs:*:log-group:/aws/vendedlogs/states/<name>'],
      actions: of(
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
      ...of('route53', 'CreateHostedZone', 'GetHostedZone', 'UpdateHostedZoneComment', 'DeleteHostedZone'),
      ...of('route53', 'ListHostedZones', 'ListQueryLoggingConfigs', 'ListTagsForResource', 'GetChange'),
      ...of(
        'route53',
        'ChangeTagsForResource',
        'AssociateVPCWithHostedZone',
        'DisassociateVPCFromHostedZone',
      ),
    ],
  },
  'AWS::Route53::RecordSet': {
    any: of('route53', 'ChangeResourceRecordSets', 'ListResourceRecordSets', 'GetHostedZone', 'GetChange'),
  },
  'AWS::S3::Bucket': {
    named: {
      arns: ['s3:::<lower>'],
      actions: of(
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
      actions: of('s3', 'GetBucketPolicy', 'PutBucketPolicy', 'DeleteBucketPolicy'),
    },
  },
  'AWS::SNS::Subscription': {
    any: ['sns:Unsubscribe', 'sns:GetSubscriptionAttributes', 'sns:SetSubscriptionAttributes'],
    named: { arns: ['sns:*:<name>'], actions: of('sns', 'Subscribe', 'ListSubscriptionsByTopic') },
  },
  'AWS::SNS::Topic': {
    named: {
      arns: ['sns:*:<name>'],
      actions: of(
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
    named: { arns: ['sns:*:<name>'], actions: of('sns', 'SetTopicAttributes', 'GetTopicAttributes') },
  },
  'AWS::SQS::Queue': {
    named: {
      arns: ['sqs:*:<name>'],
      actions: of(
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
    named: { arns: ['sqs:*:<name>'], actions: of('sqs', 'SetQueueAttributes', 'GetQueueAttributes') },
  },
};
