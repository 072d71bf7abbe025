/** How the actions of a resource type can be limited. */
export interface TypeActions {
  /** Reads, and creations that know neither a name nor a tag beforehand: on anything. */
  readonly any?: readonly string[];
  /** On what carries the product's tag. */
  readonly tagged?: readonly string[];
  /** On what bears a name that CloudFormation begins with the stack's: the ARN, `<name>` standing for the names. */
  readonly named?: { readonly arns: readonly string[]; readonly actions: readonly string[] };
  /** Delete what holds data. Left out of the role, and denied, when everything of the type is kept in the template. */
  readonly delete?: readonly string[];
}

const crud = (service: string, ...names: string[]): string[] => names.map((name) => `${service}:${name}`);
const ec2 = (...names: string[]): string[] => crud('ec2', ...names);

const TAG_EC2 = ec2('CreateTags', 'DeleteTags');

/**
 * What CloudFormation does with a resource of each type that products have: the permissions that its handlers name in their schemas (AWS
 * CloudFormation registry, "handlers"), and what the calls need beyond (AWS Service Authorization Reference). Reads of EC2 are in the
 * role once for all. Compared with the documentation on 2026-11-21; a type that is not here fails the test, not the launch.
 */
export const LAUNCH_ACTIONS: Readonly<Record<string, TypeActions>> = {
  'AWS::AutoScaling::AutoScalingGroup': {
    any: [
      'autoscaling:Describe*',
      // Auto Scaling asks whether its caller may start what the launch template says.
      ...ec2('RunInstances'),
      'iam:CreateServiceLinkedRole',
    ],
    named: {
      arns: ['autoscaling:*:autoScalingGroup:*:autoScalingGroupName/<name>'],
      actions: crud(
        'autoscaling',
        'CreateAutoScalingGroup',
        'UpdateAutoScalingGroup',
        'DeleteAutoScalingGroup',
        'CreateOrUpdateTags',
        'DeleteTags',
        'EnableMetricsCollection',
        'DisableMetricsCollection',
        'PutLifecycleHook',
        'DeleteLifecycleHook',
        'PutNotificationConfiguration',
        'DeleteNotificationConfiguration',
        'SetInstanceProtection',
        'SuspendProcesses',
        'ResumeProcesses',
        'TerminateInstanceInAutoScalingGroup',
        'AttachTrafficSources',
        'DetachTrafficSources',
      ),
    },
  },
  'AWS::CloudWatch::Alarm': {
    any: ['cloudwatch:DescribeAlarms', 'cloudwatch:ListTagsForResource'],
    named: {
      arns: ['cloudwatch:*:alarm:<name>'],
      actions: crud('cloudwatch', 'PutMetricAlarm', 'DeleteAlarms', 'TagResource', 'UntagResource'),
    },
  },
  'AWS::DLM::LifecyclePolicy': {
    any: crud(
      'dlm',
      'CreateLifecyclePolicy',
      'GetLifecyclePolicies',
      'GetLifecyclePolicy',
      'ListTagsForResource',
    ),
    tagged: crud('dlm', 'UpdateLifecyclePolicy', 'DeleteLifecyclePolicy', 'TagResource', 'UntagResource'),
  },
  'AWS::DynamoDB::Table': {
    any: ['dynamodb:ListTables'],
    named: {
      arns: ['dynamodb:*:table/<name>'],
      actions: crud(
        'dynamodb',
        'CreateTable',
        'UpdateTable',
        'DescribeTable',
        'DescribeContinuousBackups',
        'UpdateContinuousBackups',
        'DescribeTimeToLive',
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
  'AWS::EC2::EIP': {
    any: [...ec2('AllocateAddress'), ...TAG_EC2],
    tagged: ec2('ReleaseAddress', 'AssociateAddress', 'DisassociateAddress'),
  },
  'AWS::EC2::FlowLog': {
    any: [...ec2('CreateFlowLogs'), ...TAG_EC2, 'logs:CreateLogDelivery', 'logs:DeleteLogDelivery'],
    tagged: ec2('DeleteFlowLogs'),
  },
  'AWS::EC2::Instance': {
    any: [...ec2('RunInstances'), ...TAG_EC2],
    tagged: ec2(
      'TerminateInstances',
      'StartInstances',
      'StopInstances',
      'ModifyInstanceAttribute',
      'ModifyInstanceMetadataOptions',
      'MonitorInstances',
      'UnmonitorInstances',
      'AssociateIamInstanceProfile',
      'ReplaceIamInstanceProfileAssociation',
      'DisassociateIamInstanceProfile',
    ),
  },
  'AWS::EC2::InternetGateway': {
    any: [...ec2('CreateInternetGateway'), ...TAG_EC2],
    tagged: ec2('DeleteInternetGateway'),
  },
  'AWS::EC2::LaunchTemplate': {
    any: [...ec2('CreateLaunchTemplate'), ...TAG_EC2],
    tagged: ec2(
      'CreateLaunchTemplateVersion',
      'ModifyLaunchTemplate',
      'DeleteLaunchTemplate',
      'DeleteLaunchTemplateVersions',
    ),
  },
  'AWS::EC2::NatGateway': {
    any: [...ec2('CreateNatGateway'), ...TAG_EC2],
    tagged: ec2('DeleteNatGateway'),
  },
  'AWS::EC2::NetworkInterface': {
    any: [...ec2('CreateNetworkInterface'), ...TAG_EC2],
    tagged: ec2(
      'DeleteNetworkInterface',
      'ModifyNetworkInterfaceAttribute',
      'DetachNetworkInterface',
      'AssignPrivateIpAddresses',
      'UnassignPrivateIpAddresses',
    ),
  },
  'AWS::EC2::PlacementGroup': {
    any: [...ec2('CreatePlacementGroup'), ...TAG_EC2],
    tagged: ec2('DeletePlacementGroup'),
  },
  'AWS::EC2::Route': { tagged: ec2('CreateRoute', 'ReplaceRoute', 'DeleteRoute') },
  'AWS::EC2::RouteTable': {
    any: [...ec2('CreateRouteTable'), ...TAG_EC2],
    tagged: ec2('DeleteRouteTable'),
  },
  'AWS::EC2::SecurityGroup': {
    any: [...ec2('CreateSecurityGroup'), ...TAG_EC2],
    tagged: ec2(
      'DeleteSecurityGroup',
      'AuthorizeSecurityGroupIngress',
      'AuthorizeSecurityGroupEgress',
      'RevokeSecurityGroupIngress',
      'RevokeSecurityGroupEgress',
      'UpdateSecurityGroupRuleDescriptionsIngress',
      'UpdateSecurityGroupRuleDescriptionsEgress',
    ),
  },
  'AWS::EC2::SecurityGroupEgress': {
    tagged: ec2(
      'AuthorizeSecurityGroupEgress',
      'RevokeSecurityGroupEgress',
      'UpdateSecurityGroupRuleDescriptionsEgress',
    ),
  },
  'AWS::EC2::SecurityGroupIngress': {
    tagged: ec2(
      'AuthorizeSecurityGroupIngress',
      'RevokeSecurityGroupIngress',
      'UpdateSecurityGroupRuleDescriptionsIngress',
    ),
  },
  'AWS::EC2::Subnet': {
    any: [...ec2('CreateSubnet', 'ModifySubnetAttribute'), ...TAG_EC2],
    tagged: ec2('DeleteSubnet'),
  },
  // A reservation is of a subnet and takes its tags only when it is made.
  'AWS::EC2::SubnetCidrReservation': {
    any: [...ec2('CreateSubnetCidrReservation', 'DeleteSubnetCidrReservation', 'GetSubnetCidrReservations')],
  },
  'AWS::EC2::SubnetRouteTableAssociation': {
    tagged: ec2('AssociateRouteTable', 'DisassociateRouteTable', 'ReplaceRouteTableAssociation'),
  },
  'AWS::EC2::VPC': {
    any: [...ec2('CreateVpc', 'ModifyVpcAttribute'), ...TAG_EC2],
    tagged: ec2('DeleteVpc'),
  },
  'AWS::EC2::VPCEndpoint': {
    // Private names of an interface endpoint are a zone that it is associated with.
    any: [...ec2('CreateVpcEndpoint'), ...TAG_EC2, 'route53:AssociateVPCWithHostedZone'],
    tagged: ec2('ModifyVpcEndpoint', 'DeleteVpcEndpoints'),
  },
  'AWS::EC2::VPCGatewayAttachment': {
    tagged: ec2('AttachInternetGateway', 'DetachInternetGateway'),
  },
  'AWS::EC2::Volume': {
    any: [...ec2('CreateVolume'), ...TAG_EC2],
    tagged: ec2('ModifyVolume', 'ModifyVolumeAttribute'),
    delete: ec2('DeleteVolume'),
  },
  'AWS::ElasticLoadBalancingV2::Listener': {
    any: ['elasticloadbalancing:Describe*'],
    named: {
      arns: [
        'elasticloadbalancing:*:loadbalancer/*/<short>/*',
        'elasticloadbalancing:*:listener/*/<short>/*',
      ],
      actions: crud(
        'elasticloadbalancing',
        'CreateListener',
        'ModifyListener',
        'ModifyListenerAttributes',
        'DeleteListener',
        'AddTags',
        'RemoveTags',
      ),
    },
  },
  'AWS::ElasticLoadBalancingV2::LoadBalancer': {
    any: ['elasticloadbalancing:Describe*', 'iam:CreateServiceLinkedRole'],
    named: {
      arns: ['elasticloadbalancing:*:loadbalancer/*/<short>/*'],
      actions: crud(
        'elasticloadbalancing',
        'CreateLoadBalancer',
        'ModifyLoadBalancerAttributes',
        'SetSecurityGroups',
        'SetSubnets',
        'SetIpAddressType',
        'DeleteLoadBalancer',
        'AddTags',
        'RemoveTags',
      ),
    },
  },
  'AWS::ElasticLoadBalancingV2::TargetGroup': {
    any: ['elasticloadbalancing:Describe*'],
    named: {
      arns: ['elasticloadbalancing:*:targetgroup/<short>/*'],
      actions: crud(
        'elasticloadbalancing',
        'CreateTargetGroup',
        'ModifyTargetGroup',
        'ModifyTargetGroupAttributes',
        'RegisterTargets',
        'DeregisterTargets',
        'DeleteTargetGroup',
        'AddTags',
        'RemoveTags',
      ),
    },
  },
  'AWS::Events::Rule': {
    named: {
      arns: ['events:*:rule/<name>'],
      actions: crud(
        'events',
        'PutRule',
        'DescribeRule',
        'DeleteRule',
        'PutTargets',
        'RemoveTargets',
        'ListTargetsByRule',
        'TagResource',
        'UntagResource',
        'ListTagsForResource',
      ),
    },
  },
  'AWS::FSx::FileSystem': {
    any: [
      ...crud('fsx', 'CreateFileSystem', 'DescribeFileSystems', 'ListTagsForResource', 'TagResource'),
      'iam:CreateServiceLinkedRole',
    ],
    tagged: crud('fsx', 'UpdateFileSystem', 'UntagResource'),
    delete: ['fsx:DeleteFileSystem'],
  },
  'AWS::IAM::InstanceProfile': {
    named: {
      arns: ['iam::instance-profile/<name>'],
      actions: crud(
        'iam',
        'CreateInstanceProfile',
        'GetInstanceProfile',
        'DeleteInstanceProfile',
        'AddRoleToInstanceProfile',
        'RemoveRoleFromInstanceProfile',
        'TagInstanceProfile',
        'UntagInstanceProfile',
      ),
    },
  },
  'AWS::IAM::Policy': {
    named: {
      arns: ['iam::role/<name>'],
      actions: crud('iam', 'PutRolePolicy', 'GetRolePolicy', 'DeleteRolePolicy'),
    },
  },
  'AWS::IAM::Role': {
    named: {
      arns: ['iam::role/<name>'],
      actions: crud(
        'iam',
        'CreateRole',
        'GetRole',
        'DeleteRole',
        'UpdateRole',
        'UpdateRoleDescription',
        'UpdateAssumeRolePolicy',
        'PutRolePolicy',
        'GetRolePolicy',
        'DeleteRolePolicy',
        'ListRolePolicies',
        'ListAttachedRolePolicies',
        'TagRole',
        'UntagRole',
        'ListRoleTags',
      ),
    },
  },
  'AWS::KMS::Key': {
    // A key has no name, and its policy is written with it: until it has its tag nothing else can be told of it.
    any: crud(
      'kms',
      'CreateKey',
      'TagResource',
      'DescribeKey',
      'GetKeyPolicy',
      'GetKeyRotationStatus',
      'ListResourceTags',
    ),
    tagged: crud(
      'kms',
      'EnableKeyRotation',
      'PutKeyPolicy',
      'UpdateKeyDescription',
      'UntagResource',
      // What EBS, DynamoDB and FSx do with the key on behalf of whoever makes something that it encrypts.
      'CreateGrant',
      'Decrypt',
      'Encrypt',
      'GenerateDataKey*',
      'ReEncrypt*',
    ),
    delete: crud('kms', 'ScheduleKeyDeletion', 'DisableKey'),
  },
  'AWS::Lambda::Function': {
    named: {
      arns: ['lambda:*:function:<name>'],
      actions: crud(
        'lambda',
        'CreateFunction',
        'GetFunction',
        'GetFunctionConfiguration',
        'GetFunctionCodeSigningConfig',
        'GetFunctionRecursionConfig',
        'GetRuntimeManagementConfig',
        'UpdateFunctionCode',
        'UpdateFunctionConfiguration',
        'DeleteFunction',
        'ListTags',
        'TagResource',
        'UntagResource',
        // The custom resources.
        'InvokeFunction',
      ),
    },
  },
  'AWS::Logs::LogGroup': {
    any: ['logs:DescribeLogGroups'],
    named: {
      arns: ['logs:*:log-group:<name>', 'logs:*:log-group:/aws/vendedlogs/states/<name>'],
      actions: crud(
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
        'DescribeIndexPolicies',
        'GetDataProtectionPolicy',
      ),
    },
  },
  'AWS::Route53::HostedZone': {
    any: [
      ...crud('route53', 'CreateHostedZone', 'GetHostedZone', 'UpdateHostedZoneComment', 'DeleteHostedZone'),
      ...crud('route53', 'ListHostedZones', 'ListQueryLoggingConfigs', 'ListTagsForResource', 'GetChange'),
      ...crud(
        'route53',
        'ChangeTagsForResource',
        'AssociateVPCWithHostedZone',
        'DisassociateVPCFromHostedZone',
      ),
    ],
  },
  'AWS::Route53::RecordSet': {
    any: crud('route53', 'ChangeResourceRecordSets', 'ListResourceRecordSets', 'GetHostedZone', 'GetChange'),
  },
  'AWS::S3::Bucket': {
    named: {
      arns: ['s3:::<lower>'],
      actions: crud(
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
      actions: crud('s3', 'GetBucketPolicy', 'PutBucketPolicy', 'DeleteBucketPolicy'),
    },
  },
  'AWS::SNS::Subscription': {
    any: ['sns:Unsubscribe', 'sns:GetSubscriptionAttributes', 'sns:SetSubscriptionAttributes'],
    named: { arns: ['sns:*:<name>'], actions: crud('sns', 'Subscribe', 'ListSubscriptionsByTopic') },
  },
  'AWS::SNS::Topic': {
    named: {
      arns: ['sns:*:<name>'],
      actions: crud(
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
    named: { arns: ['sns:*:<name>'], actions: crud('sns', 'SetTopicAttributes', 'GetTopicAttributes') },
  },
  'AWS::SQS::Queue': {
    named: {
      arns: ['sqs:*:<name>'],
      actions: crud(
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
    named: { arns: ['sqs:*:<name>'], actions: crud('sqs', 'SetQueueAttributes', 'GetQueueAttributes') },
  },
  'AWS::SSM::Association': {
    any: crud('ssm', 'CreateAssociation', 'DescribeAssociation', 'ListTagsForResource', 'GetCalendarState'),
    tagged: crud(
      'ssm',
      'UpdateAssociation',
      'DeleteAssociation',
      'AddTagsToResource',
      'RemoveTagsFromResource',
    ),
  },
  'AWS::SSM::Document': {
    named: {
      arns: ['ssm:*:document/<name>'],
      actions: crud(
        'ssm',
        'CreateDocument',
        'GetDocument',
        'DescribeDocument',
        'UpdateDocument',
        'UpdateDocumentDefaultVersion',
        'DeleteDocument',
        'ListTagsForResource',
        'AddTagsToResource',
        'RemoveTagsFromResource',
      ),
    },
  },
  // Named after the resource and not after the stack.
  'AWS::StepFunctions::StateMachine': {
    any: [
      ...crud('states', 'CreateStateMachine', 'DescribeStateMachine', 'ListTagsForResource', 'TagResource'),
      ...crud('logs', 'CreateLogDelivery', 'GetLogDelivery', 'UpdateLogDelivery', 'DeleteLogDelivery'),
      ...crud(
        'logs',
        'ListLogDeliveries',
        'PutResourcePolicy',
        'DescribeResourcePolicies',
        'DescribeLogGroups',
      ),
    ],
    tagged: crud('states', 'UpdateStateMachine', 'DeleteStateMachine', 'UntagResource'),
  },
  // Invoked through their functions.
  'Custom::SasGridLaunchGuard': {},
  'Custom::SasGridTierServed': {},
  'Custom::SasGridVolumeMap': {},
};
