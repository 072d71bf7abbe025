// A small CDK app with what the reference deployments rest on: a group with lifecycle hooks, a workflow that
// answers a custom resource later, a volume that outlives its stack. Run by test_cdk.py from the project root.
const cdk = require('aws-cdk-lib');
const ec2 = require('aws-cdk-lib/aws-ec2');
const events = require('aws-cdk-lib/aws-events');
const targets = require('aws-cdk-lib/aws-events-targets');
const iam = require('aws-cdk-lib/aws-iam');
const lambda = require('aws-cdk-lib/aws-lambda');
const sfn = require('aws-cdk-lib/aws-stepfunctions');
const tasks = require('aws-cdk-lib/aws-stepfunctions-tasks');
const autoscaling = require('aws-cdk-lib/aws-autoscaling');
const sqs = require('aws-cdk-lib/aws-sqs');

const app = new cdk.App();
const stack = new cdk.Stack(app, 'LocalcloudProbe', {
  env: { account: process.env.CDK_DEFAULT_ACCOUNT, region: process.env.CDK_DEFAULT_REGION },
});

const vpc = new ec2.Vpc(stack, 'Vpc', { maxAzs: 1, restrictDefaultSecurityGroup: false });
const subnet = vpc.privateSubnets[0];
const group = new ec2.SecurityGroup(stack, 'Group', { vpc });
const volume = new ec2.CfnVolume(stack, 'Volume', {
  availabilityZone: subnet.availabilityZone,
  size: Number(app.node.tryGetContext('size') ?? 10),
  volumeType: 'gp3',
  encrypted: true,
});
volume.applyRemovalPolicy(cdk.RemovalPolicy.RETAIN);

const step = new lambda.Function(stack, 'Step', {
  runtime: lambda.Runtime.NODEJS_22_X,
  handler: 'step.handler',
  code: lambda.Code.fromAsset(`${__dirname}/functions`),
  timeout: cdk.Duration.seconds(30),
});
step.addToRolePolicy(
  new iam.PolicyStatement({ actions: ['autoscaling:CompleteLifecycleAction'], resources: ['*'] }),
);

const invoke = new tasks.LambdaInvoke(stack, 'Try', { lambdaFunction: step, outputPath: '$.Payload' });
invoke.addRetry({ errors: ['Busy'], interval: cdk.Duration.seconds(1), maxAttempts: 2 });
invoke.addCatch(new sfn.Fail(stack, 'Failed'));
const wait = new sfn.Wait(stack, 'Pause', { time: sfn.WaitTime.duration(cdk.Duration.seconds(1)) });
const choice = new sfn.Choice(stack, 'Done?')
  .when(sfn.Condition.booleanEquals('$.done', true), new sfn.Succeed(stack, 'Ok'))
  .otherwise(wait.next(invoke));
const machine = new sfn.StateMachine(stack, 'Machine', {
  definitionBody: sfn.DefinitionBody.fromChainable(invoke.next(choice)),
  timeout: cdk.Duration.minutes(5),
});

const starter = new lambda.Function(stack, 'Starter', {
  runtime: lambda.Runtime.NODEJS_22_X,
  handler: 'starter.handler',
  code: lambda.Code.fromAsset(`${__dirname}/functions`),
  timeout: cdk.Duration.seconds(30),
  environment: { MACHINE: machine.stateMachineArn },
});
machine.grantStartExecution(starter);

const template = new ec2.LaunchTemplate(stack, 'Template', {
  machineImage: ec2.MachineImage.latestAmazonLinux2023(),
  instanceType: new ec2.InstanceType('m6i.large'),
  securityGroup: group,
  role: new iam.Role(stack, 'Role', { assumedBy: new iam.ServicePrincipal('ec2.amazonaws.com') }),
  requireImdsv2: true,
});
const members = new autoscaling.CfnAutoScalingGroup(stack, 'Members', {
  minSize: '1',
  maxSize: '1',
  launchTemplate: { launchTemplateId: template.launchTemplateId, version: template.latestVersionNumber },
  vpcZoneIdentifier: [subnet.subnetId],
  lifecycleHookSpecificationList: [
    {
      lifecycleHookName: 'launch',
      lifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING',
      heartbeatTimeout: 120,
      defaultResult: 'ABANDON',
    },
  ],
});
const letters = new sqs.Queue(stack, 'Letters');
const rule = new events.Rule(stack, 'Rule', {
  eventPattern: {
    source: ['aws.autoscaling'],
    detailType: ['EC2 Instance-launch Lifecycle Action'],
    detail: { AutoScalingGroupName: [members.ref] },
  },
});
rule.addTarget(
  new targets.SfnStateMachine(machine, {
    input: events.RuleTargetInput.fromObject({
      cause: 'launch',
      detail: events.EventField.fromPath('$.detail'),
    }),
    deadLetterQueue: letters,
    retryAttempts: 2,
  }),
);

const answered = new cdk.CustomResource(stack, 'Answered', {
  serviceToken: starter.functionArn,
  resourceType: 'Custom::AnsweredLater',
  properties: { Group: members.ref },
});
answered.node.addDependency(rule);
// As a tier has it that is too large for one stack.
const nested = new cdk.NestedStack(stack, 'Nested');
const nestedVolume = new ec2.CfnVolume(nested, 'Volume', {
  availabilityZone: subnet.availabilityZone,
  size: 10,
  volumeType: 'gp3',
  tags: [{ key: 'of', value: stack.stackName }],
});
nestedVolume.applyRemovalPolicy(cdk.RemovalPolicy.RETAIN);
new ec2.CfnNetworkInterface(nested, 'Interface', { subnetId: subnet.subnetId });
// Last: the rule must be there when the first member is launched.
nested.node.addDependency(answered);

new cdk.CfnOutput(stack, 'VolumeId', { value: volume.ref });
new cdk.CfnOutput(stack, 'NestedVolumeId', { value: nestedVolume.ref });
new cdk.CfnOutput(stack, 'GroupName', { value: members.ref });
new cdk.CfnOutput(stack, 'Answer', { value: answered.getAttString('Answer') });
new cdk.CfnOutput(stack, 'Asked', { value: answered.getAttString('Asked') });
