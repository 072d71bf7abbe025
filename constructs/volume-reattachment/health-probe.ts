import { Aws, Duration, Stack } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { bundledFunction } from '../private/bundled-function';
import { TIER_TAG } from '../private/tags';
import { acknowledge } from './acknowledge';
import { acknowledgeOfTier, allowTable } from './functions';
import { probeDocument } from './probe-document';
import type { HealthProbeProps } from './props';
import { groupArn, type TierNames } from './tier-names';

/** Used where the properties say nothing. */
export const PROBE_DEFAULTS = { interval: Duration.minutes(1), misses: 3 };

/**
 * Asks the servers of a tier again and again whether they serve, and has the group replace one that does not.
 *
 * A function of its own, beside the reconciler: it may declare an instance unhealthy, and may touch no volume and no
 * interface; the reconciler may move those, and only from what it has seen terminated.
 */
export class HealthProbe extends Construct {
  readonly prober: lambda.Function;

  /** What has the prober ask, again and again. */
  readonly rounds: events.Rule;

  constructor(
    scope: Construct,
    id: string,
    props: HealthProbeProps & { readonly names: TierNames; readonly slotCount: number },
  ) {
    super(scope, id);
    const { names } = props;
    const interval = props.interval ?? PROBE_DEFAULTS.interval;
    const document = probeDocument(this, names.tier);
    this.prober = bundledFunction(this, 'Prober', 'health-prober', names.key, {
      description: `Asks the servers of tier ${names.tier} whether they serve`,
      timeout: Duration.seconds(50),
      memorySize: 256,
      environment: {
        TIER: names.tier,
        TIER_TAG: names.tierTag,
        TABLE: names.volumeMap.table.tableName,
        GROUP: names.groupName,
        DOCUMENT: document.name,
        PROGRAM: document.program,
        STACK_ID: Aws.STACK_ID,
        SLOT_COUNT: String(props.slotCount),
        INTERVAL_SECONDS: String(interval.toSeconds()),
        MISSES: String(props.misses ?? PROBE_DEFAULTS.misses),
      },
    });
    for (const statement of this.statements(names, document.name)) this.prober.addToRolePolicy(statement);
    allowTable(this, this.prober, names, ['dynamodb:Query', 'dynamodb:UpdateItem']);
    this.acknowledgeWildcards(names);
    this.rounds = new events.Rule(this, 'Interval', {
      description: `Health probes of ${this.node.path}`,
      schedule: events.Schedule.rate(interval),
      // A round that does not come is made up by the next one.
      targets: [
        new targets.LambdaFunction(this.prober, { retryAttempts: 0, maxEventAge: Duration.minutes(1) }),
      ],
    });
  }

  private statements(names: TierNames, documentName: string): iam.PolicyStatement[] {
    const { partition, region, account } = Stack.of(this);
    return [
      new iam.PolicyStatement({
        sid: 'Look',
        actions: [
          'autoscaling:DescribeAutoScalingGroups',
          'autoscaling:DescribeInstanceRefreshes',
          'ssm:DescribeInstanceInformation',
          'ssm:ListCommandInvocations',
        ],
        resources: ['*'],
      }),
      new iam.PolicyStatement({
        sid: 'SeeDeployments',
        actions: ['cloudformation:DescribeStacks'],
        resources: [Aws.STACK_ID],
      }),
      new iam.PolicyStatement({
        sid: 'DeclareUnhealthy',
        actions: ['autoscaling:SetInstanceHealth'],
        resources: [groupArn(this, names)],
      }),
      new iam.PolicyStatement({
        sid: 'AskWhat',
        actions: ['ssm:SendCommand'],
        resources: [`arn:${partition}:ssm:${region}:${account}:document/${documentName}`],
      }),
      new iam.PolicyStatement({
        sid: 'AskWhom',
        actions: ['ssm:SendCommand'],
        resources: [`arn:${partition}:ec2:${region}:${account}:instance/*`],
        // As for the reconciler: Systems Manager's own key, not a global one.
        conditions: { StringEquals: { [`ssm:resourceTag/${TIER_TAG}`]: names.tierTag } },
      }),
    ];
  }

  private acknowledgeWildcards(names: TierNames): void {
    acknowledge(
      this.prober.role!,
      'AwsSolutions-IAM5[Resource::*]',
      'Describe actions of Auto Scaling, ssm:DescribeInstanceInformation and ssm:ListCommandInvocations know no ' +
        'resources (AWS Service Authorization Reference).',
    );
    acknowledgeOfTier(this, this.prober, names, ['instance']);
  }
}
