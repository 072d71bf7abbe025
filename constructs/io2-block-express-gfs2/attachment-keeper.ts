import { CustomResource, Duration, Stack, Validations } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct, DependencyGroup, type IDependable } from 'constructs';
import { METRIC_NAMESPACE } from '../game-day/metric';
import { tellTopic } from '../private/alarm-topic';
import { bundledFunction } from '../private/bundled-function';
import { wildcardFinding } from '../private/nag-text';
import { CLUSTER_TAG } from './cluster-tag';

/** What is kept, of which cluster. */
export interface AttachmentKeeperProps {
  readonly tag: string;
  readonly volumeIds: string[];
  readonly interfaceIds: string[];
  /** Whether the volumes come from an earlier stack: then they have to be of one moment before a node mounts them. */
  readonly adopted: boolean;
  /** The set that the volumes are made of, and what its snapshots say for a tier and its slot. */
  readonly restored?: { readonly set: string; readonly tier: string; readonly slot: string };
  /** Encrypts the function's log. */
  readonly key: kms.IKey;
  readonly alarmTopic?: sns.ITopic;
}

/**
 * Keeps the shared volumes and the addresses of a cluster from being deleted with a node: an attachment may say so
 * (`DeleteOnTermination`), which a rule of the account can set, and of a Multi-Attach volume that of the last instance
 * counts (EBS User Guide, "Amazon EBS Multi-Attach"). It looks every minute, and before the nodes of a stack are
 * deleted, which waits until it is sure. Nodes depend on it, so that it looks until they have ended. Tiers with slots
 * have the reconciler for it (docs/adr/0021).
 */
export class AttachmentKeeper extends Construct {
  /** What is there before a node, and goes after it. */
  readonly before: IDependable;
  private readonly keeper: lambda.Function;

  constructor(scope: Construct, id: string, props: AttachmentKeeperProps) {
    super(scope, id);
    const keeper = bundledFunction(this, 'Function', 'attachment-keeper', props.key, {
      description: `Keeps volumes and addresses of ${scope.node.path} from going with a node`,
      timeout: Duration.minutes(4),
      memorySize: 256,
      environment: {
        CLUSTER_TAG: props.tag,
        VOLUMES: props.volumeIds.join(','),
        INTERFACES: props.interfaceIds.join(','),
      },
    });
    const { adopted, restored } = props;
    this.allow(keeper.role!, props.tag, adopted || restored ? ['ec2:DescribeSnapshots'] : []);
    this.keeper = keeper;
    const looks = new events.Rule(this, 'Interval', {
      description: `Attachments of ${this.node.path}`,
      schedule: events.Schedule.rate(Duration.minutes(1)),
      // A look that fails is made up by the next one.
      targets: [new targets.LambdaFunction(keeper, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
    this.before = new DependencyGroup(
      looks,
      ...(adopted ? [this.oneMoment()] : []),
      ...(restored ? [this.wholeSet(restored)] : []),
    );
    tellTopic(this.alarms(props.tag, keeper.metricErrors({ period: Duration.minutes(5) })), props.alarmTopic);
  }

  /** Has nodes deleted only when nothing would go with them. */
  guard(nodes: IDependable[]): void {
    // After the nodes, and so deleted before them.
    new CustomResource(this, 'BeforeDeletion', {
      serviceToken: this.keeper.functionArn,
      resourceType: 'Custom::SasGridKeptAttachments',
      serviceTimeout: Duration.minutes(15),
    }).node.addDependency(...nodes);
  }

  /** Fails when the volumes come from snapshots or copies of different times. */
  private oneMoment(): CustomResource {
    return new CustomResource(this, 'OneMoment', {
      serviceToken: this.keeper.functionArn,
      resourceType: 'Custom::SasGridOneMoment',
      serviceTimeout: Duration.minutes(15),
      properties: { Requires: 'one-moment' },
    });
  }

  /** Fails when the volumes are not one complete set, each in its place. */
  private wholeSet({ set, tier, slot }: Required<AttachmentKeeperProps>['restored']): CustomResource {
    return new CustomResource(this, 'WholeSet', {
      serviceToken: this.keeper.functionArn,
      resourceType: 'Custom::SasGridWholeSet',
      serviceTimeout: Duration.minutes(15),
      properties: { Requires: 'whole-set', BackupSet: set, Tier: tier, Slot: slot },
    });
  }

  private allow(role: iam.IRole, tag: string, looks: string[]): void {
    const { partition, region, account } = Stack.of(this);
    const arns = ['volume', 'network-interface', 'instance'].map(
      (kind) => `arn:${partition}:ec2:${region}:${account}:${kind}/*`,
    );
    role.addToPrincipalPolicy(
      new iam.PolicyStatement({
        sid: 'Look',
        actions: ['ec2:DescribeNetworkInterfaces', 'ec2:DescribeVolumes', ...looks],
        resources: ['*'],
      }),
    );
    // EC2 documents no condition for what is to outlive an instance (Service Authorization Reference).
    role.addToPrincipalPolicy(
      new iam.PolicyStatement({
        sid: 'KeepWhatNodesHave',
        actions: ['ec2:ModifyInstanceAttribute', 'ec2:ModifyNetworkInterfaceAttribute'],
        resources: arns,
        conditions: { StringEquals: { [`aws:ResourceTag/${CLUSTER_TAG}`]: tag } },
      }),
    );
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Describe actions of EC2 know no resources (AWS Service Authorization Reference).',
    });
    for (const arn of arns) {
      Validations.of(role).acknowledge({
        id: wildcardFinding(this, arn),
        reason: 'Limited by tag to what belongs to this cluster; the ids of its instances change.',
      });
    }
  }

  private alarms(tag: string, errors: cloudwatch.Metric): cloudwatch.Alarm[] {
    const found = new cloudwatch.Metric({
      namespace: METRIC_NAMESPACE,
      metricName: 'AttachmentsNotKept',
      dimensionsMap: { Tier: tag },
      period: Duration.minutes(5),
      statistic: 'Maximum',
    });
    const of = `Cluster ${tag}`;
    return [
      found.createAlarm(this, 'AttachmentNotKept', {
        alarmDescription:
          `${of}: somebody had shared volumes or addresses deleted with the node that has them ` +
          '(DeleteOnTermination). It is taken back each minute; find out who, before the nodes end first.',
        threshold: 1,
        evaluationPeriods: 1,
        comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
      }),
      errors.createAlarm(this, 'KeeperErrors', {
        alarmDescription:
          `${of}: nobody sees to it that shared volumes outlive the nodes. See the log of the function ` +
          'AttachmentKeeper.',
        threshold: 1,
        evaluationPeriods: 3,
        comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
      }),
    ];
  }
}
