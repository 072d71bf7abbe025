import { type ActionTable, actionsOf } from './type-actions';

/** What runs and who may: groups, functions, workflows, load balancers, roles. */
export const SERVICE_ACTIONS: ActionTable = {
  'AWS::AutoScaling::AutoScalingGroup': {
    any: [
      'autoscaling:Describe*',
      // Auto Scaling asks whether its caller may start what the launch template says.
      'ec2:RunInstances',
      'iam:CreateServiceLinkedRole',
    ],
    named: {
      arns: ['autoscaling:*:autoScalingGroup:*:autoScalingGroupName/<name>'],
      actions: actionsOf(
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
  'AWS::ElasticLoadBalancingV2::Listener': {
    any: ['elasticloadbalancing:Describe*'],
    named: {
      arns: [
        'elasticloadbalancing:*:loadbalancer/*/<short>/*',
        'elasticloadbalancing:*:listener/*/<short>/*',
      ],
      actions: actionsOf(
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
      actions: actionsOf(
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
      actions: actionsOf(
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
      actions: actionsOf(
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
  'AWS::IAM::InstanceProfile': {
    named: {
      arns: ['iam::instance-profile/<name>'],
      actions: actionsOf(
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
      actions: actionsOf('iam', 'PutRolePolicy', 'GetRolePolicy', 'DeleteRolePolicy'),
    },
  },
  'AWS::IAM::Role': {
    named: {
      arns: ['iam::role/<name>'],
      actions: actionsOf(
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
        // An organisation's boundary, which may come, change or go after the launch.
        'PutRolePermissionsBoundary',
        'DeleteRolePermissionsBoundary',
        'ListRolePolicies',
        'ListAttachedRolePolicies',
        'TagRole',
        'UntagRole',
        'ListRoleTags',
      ),
    },
  },
  'AWS::Lambda::Function': {
    named: {
      arns: ['lambda:*:function:<name>'],
      actions: actionsOf(
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
  'AWS::Lambda::EventInvokeConfig': {
    named: {
      arns: ['lambda:*:function:<name>'],
      actions: actionsOf(
        'lambda',
        'PutFunctionEventInvokeConfig',
        'GetFunctionEventInvokeConfig',
        'UpdateFunctionEventInvokeConfig',
        'DeleteFunctionEventInvokeConfig',
      ),
    },
  },
  'AWS::Lambda::Permission': {
    named: {
      arns: ['lambda:*:function:<name>'],
      actions: actionsOf('lambda', 'AddPermission', 'RemovePermission', 'GetPolicy'),
    },
  },
  'AWS::SSM::Association': {
    any: actionsOf(
      'ssm',
      'CreateAssociation',
      'DescribeAssociation',
      'ListTagsForResource',
      'GetCalendarState',
    ),
    tagged: actionsOf(
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
      actions: actionsOf(
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
      ...actionsOf(
        'states',
        'CreateStateMachine',
        'DescribeStateMachine',
        'ListTagsForResource',
        'TagResource',
      ),
      ...actionsOf('logs', 'CreateLogDelivery', 'GetLogDelivery', 'UpdateLogDelivery', 'DeleteLogDelivery'),
      ...actionsOf(
        'logs',
        'ListLogDeliveries',
        'PutResourcePolicy',
        'DescribeResourcePolicies',
        'DescribeLogGroups',
      ),
    ],
    tagged: actionsOf('states', 'UpdateStateMachine', 'DeleteStateMachine', 'UntagResource'),
  },
  'AWS::SecretsManager::Secret': {
    any: ['secretsmanager:GetRandomPassword'],
    named: {
      // CloudFormation calls a secret by its logical id, not by the stack's name.
      arns: ['secretsmanager:*:secret:Io2ClusterMembershipKey*'],
      actions: actionsOf(
        'secretsmanager',
        'CreateSecret',
        'DescribeSecret',
        'UpdateSecret',
        'DeleteSecret',
        'GetSecretValue',
        'TagResource',
        'UntagResource',
      ),
    },
  },
  // CloudFormation's own.
  'AWS::CloudFormation::WaitCondition': {},
  // Invoked through their functions.
  'Custom::SasGridAddressReservation': {},
  'Custom::SasGridFirstData': {},
  'Custom::SasGridFixedValues': {},
  'Custom::SasGridKeptAttachments': {},
  'Custom::SasGridTierServed': {},
  'Custom::SasGridVolumeMap': {},
};
