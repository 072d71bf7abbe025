import type { Fact } from '../sizing/facts';

// What services take and how long they wait, beside the limits in constructs/sizing/service-limits.ts. Each is a
// constant of its own, so that a function's bundle has only what it uses.

const DOCS = 'https://docs.aws.amazon.com';

/** CloudFormation waits so long for the answer of a custom resource, and no longer. */
export const CUSTOM_RESOURCE_SECONDS: Fact<number> = {
  value: 3600,
  unit: 'seconds that CloudFormation waits for a custom resource at most',
  source: {
    title: 'AWS CloudFormation Template Reference, AWS::CloudFormation::CustomResource: ServiceTimeout',
    reference: `${DOCS}/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-customresource.html`,
    checked: '2026-11-22',
  },
};

/** With a creation policy CloudFormation waits at most so long for signals. */
export const SIGNAL_HOURS: Fact<number> = {
  value: 12,
  unit: 'hours that CloudFormation waits for a signal at most',
  source: {
    title: 'AWS CloudFormation User Guide, CreationPolicy attribute: Timeout',
    reference: `${DOCS}/AWSCloudFormation/latest/UserGuide/aws-attribute-creationpolicy.html`,
    checked: '2026-11-25',
  },
};

/** What tells the senders of signals apart; CloudFormation shows it in the stack's events. */
export const SIGNAL_ID_CHARACTERS: Fact<number> = {
  value: 64,
  unit: 'characters of the UniqueId of a signal',
  source: {
    title: 'AWS CloudFormation API Reference, SignalResource: UniqueId (the model in botocore 1.43.106)',
    reference: `${DOCS}/AWSCloudFormation/latest/APIReference/API_SignalResource.html`,
    checked: '2026-11-25',
  },
};

/** The account's one policy for log delivery. */
export const LOG_POLICY_CHARACTERS: Fact<number> = {
  value: 5120,
  unit: 'characters of the resource policy of CloudWatch Logs',
  source: {
    title:
      'AWS Step Functions Developer Guide, Avoiding Amazon CloudWatch Logs resource policy size restrictions',
    reference: `${DOCS}/step-functions/latest/dg/bp-cwl.html`,
    checked: '2026-11-22',
  },
};

/** The most instances that SendCommand takes by their ids. */
export const COMMAND_INSTANCES: Fact<number> = {
  value: 50,
  unit: 'instances of a command that are named by their ids',
  source: {
    title: 'AWS Systems Manager API Reference, SendCommand: InstanceIds (the model in botocore 1.43.106)',
    reference: `${DOCS}/systems-manager/latest/APIReference/API_SendCommand.html`,
    checked: '2026-11-25',
  },
};

/** The largest page of ListCommandInvocations. */
export const COMMAND_INVOCATIONS_PAGE: Fact<number> = {
  value: 50,
  unit: 'invocations of commands on a page',
  source: {
    title:
      'AWS Systems Manager API Reference, ListCommandInvocations: MaxResults (the model in botocore 1.43.106)',
    reference: `${DOCS}/systems-manager/latest/APIReference/API_ListCommandInvocations.html`,
    checked: '2026-11-25',
  },
};

/** What GetCommandInvocation gives of what a program said. The rest is gone where no bucket was named. */
export const COMMAND_OUTPUT_CHARACTERS: Fact<number> = {
  value: 24_000,
  unit: 'characters of what a program of Run Command said',
  source: {
    title:
      'AWS Systems Manager API Reference, GetCommandInvocation: StandardOutputContent (the model in botocore ' +
      '1.43.106)',
    reference: `${DOCS}/systems-manager/latest/APIReference/API_GetCommandInvocation.html`,
    checked: '2026-11-28',
  },
};

/** The longest that a program of Run Command may run. */
export const COMMAND_SECONDS: Fact<number> = {
  value: 172_800,
  unit: 'seconds that a program of Run Command may run',
  source: {
    title: 'AWS Systems Manager User Guide, Understanding command timeout values: executionTimeout',
    reference: `${DOCS}/systems-manager/latest/userguide/monitor-commands.html`,
    checked: '2026-11-22',
  },
};

/** EC2's largest page of instances, and of network interfaces. */
export const EC2_PAGE: Fact<number> = {
  value: 1000,
  unit: 'instances or network interfaces on a page',
  source: {
    title:
      'Amazon EC2 API Reference, DescribeNetworkInterfaces: MaxResults (the model in botocore 1.43.106); of ' +
      'instances it says nothing',
    reference: `${DOCS}/AWSEC2/latest/APIReference/API_DescribeInstances.html`,
    checked: '2026-11-25',
  },
};

/** EC2's largest page of volumes. */
export const EC2_VOLUMES_PAGE: Fact<number> = {
  value: 500,
  unit: 'volumes on a page',
  source: {
    title: 'Amazon EC2 API Reference, DescribeVolumes: MaxResults',
    reference: `${DOCS}/AWSEC2/latest/APIReference/API_DescribeVolumes.html`,
    checked: '2026-11-25',
    unverified: true,
  },
};

/** EC2 takes this many values in one filter. */
export const EC2_FILTER_VALUES: Fact<number> = {
  value: 200,
  unit: 'values of a filter',
  source: {
    title: 'Amazon EC2 API Reference, Filter: up to 200 values',
    reference: `${DOCS}/AWSEC2/latest/APIReference/API_DescribeInstances.html`,
    checked: '2026-11-25',
    unverified: true,
  },
};

/** An item of DynamoDB, names and values. */
export const DYNAMODB_ITEM_BYTES: Fact<number> = {
  value: 400_000,
  unit: 'bytes of an item of DynamoDB (400 KB)',
  source: {
    title: 'Amazon DynamoDB Developer Guide, Quotas: item size',
    reference: `${DOCS}/amazondynamodb/latest/developerguide/ServiceQuotas.html`,
    checked: '2026-11-22',
  },
};

/** A subject is shorter, and without line breaks and control characters. */
export const SNS_SUBJECT_CHARACTERS: Fact<number> = {
  value: 100,
  unit: 'characters that the subject of a message has to stay below',
  source: {
    title: 'Amazon SNS API Reference, Publish: Subject (the model in botocore 1.43.106)',
    reference: `${DOCS}/sns/latest/api/API_Publish.html`,
    checked: '2026-11-25',
  },
};

/** A message of SNS. */
export const SNS_MESSAGE_BYTES: Fact<number> = {
  value: 262_144,
  unit: 'bytes of a message',
  source: {
    title: 'Amazon SNS API Reference, Publish: Message (the model in botocore 1.43.106)',
    reference: `${DOCS}/sns/latest/api/API_Publish.html`,
    checked: '2026-11-25',
  },
};

/** The value of a dimension: printable ASCII characters, not only blanks. */
export const METRIC_DIMENSION_CHARACTERS: Fact<number> = {
  value: 1024,
  unit: 'characters of the value of a metric dimension',
  source: {
    title: 'Amazon CloudWatch API Reference, Dimension: Value (the model in botocore 1.43.106)',
    reference: `${DOCS}/AmazonCloudWatch/latest/APIReference/API_Dimension.html`,
    checked: '2026-11-25',
  },
};

/** How often Data Lifecycle Manager makes a snapshot. */
export const SNAPSHOT_HOURS: Fact<readonly number[]> = {
  value: [1, 2, 3, 4, 6, 8, 12, 24],
  unit: 'hours between snapshots that Amazon Data Lifecycle Manager takes',
  source: {
    title: 'Amazon DLM API Reference, CreateRule: Interval (the model in botocore 1.43.106)',
    reference: `${DOCS}/dlm/latest/APIReference/API_CreateRule.html`,
    checked: '2026-11-25',
  },
};

/** A topic that approvals are asked by. */
export const APPROVAL_TOPIC_PREFIX: Fact<string> = {
  value: 'Automation',
  unit: 'what the name of a topic for approvals begins with',
  source: {
    title: 'AWS Systems Manager User Guide, aws:approve: NotificationArn',
    reference: `${DOCS}/systems-manager/latest/userguide/automation-action-approve.html`,
    checked: '2026-11-22',
  },
};

/** The longest that aws:approve waits. */
export const APPROVAL_DAYS: Fact<number> = {
  value: 30,
  unit: 'days that an approval may be waited for',
  source: {
    title: 'AWS Systems Manager User Guide, aws:approve: timeoutSeconds, 30 days',
    reference: `${DOCS}/systems-manager/latest/userguide/automation-action-approve.html`,
    checked: '2026-11-22',
  },
};

/** The runtime of scripts in Automation. Python 3.6 to 3.9 have not run since 2025-09-10. */
export const AUTOMATION_RUNTIME: Fact<string> = {
  value: 'python3.11',
  unit: 'runtime of aws:executeScript',
  source: {
    title:
      'AWS Systems Manager User Guide, aws:executeScript; end of 3.6 to 3.9: modernisation-platform#11278',
    reference: `${DOCS}/systems-manager/latest/userguide/automation-action-executeScript.html`,
    checked: '2026-11-25',
  },
};

/** Until a tag of a KMS key counts in its authorization. */
export const KMS_TAG_SECONDS: Fact<number> = {
  value: 300,
  unit: 'seconds until a tag or an alias of a key counts in its authorization, at most',
  source: {
    title: 'AWS KMS Developer Guide, ABAC for AWS KMS: up to five minutes',
    reference: `${DOCS}/kms/latest/developerguide/abac.html`,
    checked: '2026-11-25',
  },
};

/** Alarms that DescribeAlarms takes by their names. */
export const DESCRIBED_ALARMS: Fact<number> = {
  value: 100,
  unit: 'names of alarms in a call',
  source: {
    title: 'Amazon CloudWatch API Reference, DescribeAlarms: AlarmNames (the model in botocore 1.43.106)',
    reference: `${DOCS}/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html`,
    checked: '2026-11-28',
  },
};

/** Metrics that GetMetricData answers at once. */
export const METRIC_QUERIES: Fact<number> = {
  value: 500,
  unit: 'metrics in a call',
  source: {
    title: 'Amazon CloudWatch API Reference, GetMetricData (the model in botocore 1.43.106)',
    reference: `${DOCS}/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html`,
    checked: '2026-11-28',
  },
};

/** How often every volume and file system says at least what it has read and written. */
export const THROUGHPUT_SECONDS: Fact<number> = {
  value: 300,
  unit: 'seconds between two figures of bytes read and written, at most',
  source: {
    title: 'Amazon EBS User Guide, Amazon CloudWatch metrics for Amazon EBS (FSx sends every minute)',
    reference: `${DOCS}/ebs/latest/userguide/using_cloudwatch_ebs.html`,
    checked: '2026-11-28',
    unverified: true,
  },
};

/** Auto Scaling groups that DescribeAutoScalingGroups takes by their names. */
export const DESCRIBED_GROUPS: Fact<number> = {
  value: 50,
  unit: 'names of groups in a call',
  source: {
    title:
      'Amazon EC2 Auto Scaling API Reference, DescribeAutoScalingGroups: AutoScalingGroupNames ' +
      '(the model in botocore 1.43.106)',
    reference: `${DOCS}/autoscaling/ec2/APIReference/API_DescribeAutoScalingGroups.html`,
    checked: '2026-11-28',
  },
};

/** How many copies of snapshots EBS makes at a time in the region that they go to, of the whole account. */
export const SNAPSHOT_COPIES_AT_ONCE: Fact<number> = {
  value: 20,
  unit: 'copies of snapshots at a time into one region; one more is refused: ResourceLimitExceeded',
  source: {
    title: 'Amazon EBS User Guide, Copy an Amazon EBS snapshot: considerations for copying snapshots',
    reference: `${DOCS}/ebs/latest/userguide/ebs-copy-snapshot.html`,
    checked: '2026-11-28',
  },
};
