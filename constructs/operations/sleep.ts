import { Duration, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as ssm from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { keyArnInPolicies } from '../private/imported';
import { nagText } from '../private/nag-text';
import { viaService } from '../private/via-service';
import type { VolumeReattachment } from '../volume-reattachment';
import { acknowledge } from '../volume-reattachment/acknowledge';
import { sleepDocument } from './host-documents';
import { scheduleOperation } from './schedule';
import { type OperationProps, stepsFunction } from './steps';

/** How the servers of a file system go to sleep. */
export interface SleepDescription {
  /** Its tiers in the order in which they are started; none where AWS runs the servers, or hosts share volumes. */
  readonly tiers?: readonly VolumeReattachment[];
  /**
   * Their names in the order in which they are stopped.
   *
   * @default - the last one first
   */
  readonly stopOrder?: readonly string[];
  /** Names of groups of one host each that share volumes. */
  readonly clusterGroups?: readonly string[];
  /** Whether the hosts with the volumes have users, as the nodes of a grid do. */
  readonly hostsHaveUsers?: boolean;
  /** Why it cannot sleep, and what to do. */
  readonly refusal?: string;
}

/** When it stops and starts by itself. */
export interface SleepSchedule {
  /** An expression of EventBridge Scheduler: `cron(0 20 ? * MON-FRI *)`. */
  readonly stop: string;
  readonly start: string;
  /** An IANA name: `Europe/Berlin`. */
  readonly timeZone: string;
}

/** Properties of `Sleep`. */
export interface SleepProps extends OperationProps {
  readonly description: SleepDescription;
  /** The stack of the servers of the file system: names of their groups begin with it. */
  readonly storageStack: string;
  /** The stack whose instances are the nodes of the grid. */
  readonly nodeStack?: string;
  readonly schedule?: SleepSchedule;
}

/** Longer than a tier with many volumes takes to be unmounted, and the next one to boot. */
const DEADLINE = Duration.hours(3);

/** The operations `stop` and `start`: the servers of a deployment go, its volumes, addresses and nodes' disks stay. */
export class Sleep extends Construct {
  constructor(scope: Construct, id: string, props: SleepProps) {
    super(scope, id);
    const { operations } = props;
    const { deployment } = operations.props;
    const document = sleepDocument(this, deployment);
    const steps = this.newFunction(props, document);
    for (const operation of ['stop', 'start']) operations.add({ operation, steps, deadline: DEADLINE });
    if (!props.schedule) return;
    for (const operation of ['stop', 'start'] as const) {
      const { stateMachine } = operations.workflows[operation]!;
      scheduleOperation(this, operation, stateMachine, props.schedule[operation], props.schedule.timeZone);
    }
  }

  private newFunction(props: SleepProps, document: ssm.CfnDocument): lambda.Function {
    const { operations, description, nodeStack } = props;
    const tiers = description.tiers ?? [];
    const steps = stepsFunction(this, 'operation-sleep', {
      operations,
      description: `Puts the deployment ${operations.props.deployment} to sleep, and wakes it`,
      document,
      deadline: DEADLINE,
      settings: {
        tiers: tiers.map((tier) => ({
          tier: tier.tier,
          table: tier.volumeMap.table.tableName,
          group: tier._groupNameIn(this),
          slots: tier.slots.length,
          spares: tier._spares,
        })),
        stopOrder: description.stopOrder ?? tiers.map(({ tier }) => tier).reverse(),
        clusterGroups: description.clusterGroups ?? [],
        hostsHaveUsers: description.hostsHaveUsers ?? false,
        stacks: props.stacks,
        ...(nodeStack && { nodeStack }),
        ...(description.refusal && { refusal: description.refusal }),
      },
    });
    this.allow(steps, props, document);
    return steps;
  }

  private allow(
    steps: lambda.Function,
    { description, storageStack, nodeStack, stacks, operations }: SleepProps,
    document: ssm.CfnDocument,
  ): void {
    const { partition, region, account } = Stack.of(this);
    const arn = (service: string, what: string) => `arn:${partition}:${service}:${region}:${account}:${what}`;
    const instances = arn('ec2', 'instance/*');
    const add = (sid: string, actions: string[], resources: string[], conditions?: iam.Conditions) =>
      steps.addToRolePolicy(new iam.PolicyStatement({ sid, actions, resources, conditions }));
    add(
      'Look',
      [
        'autoscaling:DescribeAutoScalingGroups',
        'autoscaling:DescribeInstanceRefreshes',
        'ec2:DescribeInstances',
        'ssm:DescribeInstanceInformation',
        'ssm:ListCommandInvocations',
      ],
      ['*'],
    );
    acknowledge(
      steps.role!,
      'AwsSolutions-IAM5[Resource::*]',
      'Describe actions of EC2 and Auto Scaling, ssm:DescribeInstanceInformation and ssm:ListCommandInvocations know ' +
        'no resources (AWS Service Authorization Reference).',
    );
    const stackArns = stacks.map((name) => arn('cloudformation', `stack/${name}/*`));
    add('SeeDeployments', ['cloudformation:DescribeStacks'], stackArns);
    this.acknowledgeEach(steps, stackArns, 'The id of a stack follows its name, and is not known before.');
    if (nodeStack) {
      // CloudFormation's own tag, which nobody else can set.
      const ofStack = { 'aws:ResourceTag/aws:cloudformation:stack-name': nodeStack };
      add('StopAndStartNodes', ['ec2:StopInstances', 'ec2:StartInstances'], [instances], {
        StringEquals: ofStack,
      });
    }
    add('AskWhat', ['ssm:SendCommand'], [arn('ssm', `document/${document.ref}`)]);
    // Systems Manager's own key (its user guide, "Restricting Run Command access based on tags"), and no global one.
    add('AskWhom', ['ssm:SendCommand'], [instances], {
      StringEquals: { 'ssm:resourceTag/cdk-sas-grid:deployment': operations.props.deployment },
    });
    this.acknowledgeEach(
      steps,
      [instances],
      'Limited by tags to the hosts of this deployment, whose ids change.',
    );
    this.allowServers(steps, description, storageStack);
  }

  /** The sizes of groups, and in the volume map the one item that says that a tier sleeps. */
  private allowServers(
    steps: lambda.Function,
    { tiers = [], clusterGroups = [] }: SleepDescription,
    storageStack: string,
  ): void {
    const { partition, region, account } = Stack.of(this);
    const groups =
      `arn:${partition}:autoscaling:${region}:${account}:autoScalingGroup:*:` +
      `autoScalingGroupName/${storageStack}-*`;
    if (tiers.length + clusterGroups.length > 0) {
      steps.addToRolePolicy(
        new iam.PolicyStatement({
          sid: 'ResizeGroups',
          actions: ['autoscaling:UpdateAutoScalingGroup'],
          resources: [groups],
        }),
      );
      this.acknowledgeEach(
        steps,
        [groups],
        'The groups of the servers of this file system: names that CloudFormation gives begin with that of the stack.',
      );
    }
    const [first] = tiers;
    if (first === undefined) return;
    const { table, encryptionKey } = first.volumeMap;
    steps.addToRolePolicy(
      new iam.PolicyStatement({
        sid: 'SleepInTheMap',
        actions: ['dynamodb:Query', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
        resources: [table.tableArn],
        conditions: {
          'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': tiers.map(({ tier }) => tier) },
        },
      }),
    );
    steps.addToRolePolicy(
      new iam.PolicyStatement({
        sid: 'UseTheKeyForTheMap',
        actions: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey'],
        resources: [keyArnInPolicies(this, encryptionKey)],
        conditions: viaService(this, 'dynamodb'),
      }),
    );
  }

  private acknowledgeEach(steps: lambda.Function, arns: readonly string[], reason: string): void {
    for (const each of arns) {
      acknowledge(steps.role!, `AwsSolutions-IAM5[Resource::${nagText(this, each)}]`, reason);
    }
  }
}
