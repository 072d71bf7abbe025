import { Duration, Names, Stack, Validations } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { METRIC_NAMESPACE } from '../game-day/metric';
import { tellTopic } from '../private/alarm-topic';
import { bundledFunction } from '../private/bundled-function';
import { firstDataBefore } from '../private/first-data';
import { wildcardFinding } from '../private/nag-text';
import { cleanUpDocument, healthDocument } from './health-documents';

const INTERVAL = Duration.minutes(5);
/** The alarm that rings also when nobody asks. */
const SILENT = 'NodesSilent';
const CLEAN_UP_EVERY = Duration.hours(1);
// constructs/host/documents/node-health.sh calls a server unhealthy at 95.
const SCRATCH_ALARM_PERCENT = 90;

/** Who is asked: servers that keep their ids, or whatever has a tag when it is asked. */
export type AskedServers =
  | { readonly instanceIds: string[] }
  | { readonly tag: { readonly key: string; readonly value: string } };

/** Who is asked, and what for. */
export interface NodeHealthProps {
  readonly servers: AskedServers;
  /** Whether they reach their file system over the network, which then has an alarm of its own. */
  readonly reachesFileServers: boolean;
  /** Directories on the scratch that nobody has touched for so long go; undefined: none is removed. */
  readonly cleanUpAfter?: Duration;
  readonly alarmTopic?: sns.ITopic;
}

/**
 * Asks the servers of a grid every few minutes whether they can do their work, and has alarms of what they say. Nothing
 * else follows from it: no server is stopped, replaced or repaired (ADR 0032).
 */
export class NodeHealth extends Construct {
  constructor(scope: Construct, id: string, props: NodeHealthProps) {
    super(scope, id);
    const stack = Stack.of(this);
    const grid = `${stack.stackName}/${Names.uniqueResourceName(scope, { maxLength: 64 })}`;
    const health = healthDocument(this);
    const cleanUp = props.cleanUpAfter && cleanUpDocument(this, props.cleanUpAfter);
    const asks = bundledFunction(this, 'Function', 'node-health', undefined, {
      description: `Asks the servers of ${scope.node.path} whether they can do their work`,
      timeout: Duration.seconds(100),
      memorySize: 256,
      environment: {
        GRID: grid,
        ...filterOf(props.servers),
        INTERVAL_SECONDS: String(INTERVAL.toSeconds()),
        DOCUMENT: health.ref,
        ...(cleanUp && {
          CLEAN_UP_DOCUMENT: cleanUp.ref,
          CLEAN_UP_SECONDS: String(CLEAN_UP_EVERY.toSeconds()),
        }),
      },
    });
    this.allow(asks, [health.ref, ...(cleanUp ? [cleanUp.ref] : [])], props.servers);
    const rounds = new events.Rule(this, 'Interval', {
      description: `Health of the servers of ${scope.node.path}`,
      schedule: events.Schedule.rate(INTERVAL),
      // A round that does not come is made up by the next one.
      targets: [new targets.LambdaFunction(asks, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
    const alarms = this.alarms(scope.node.path, grid, props);
    const silent = alarms.find(({ node }) => node.id === SILENT)!;
    firstDataBefore(silent, { metricName: 'SilentNodes', dimensions: { Grid: grid } }, rounds);
    tellTopic(alarms, props.alarmTopic);
  }

  /**
   * Instances of the stack by their ARNs: they have no tag of this library, and a new one would be a change of each.
   * Those of Auto Scaling groups by their tag: their ids change.
   */
  private allow(asks: lambda.Function, documents: string[], servers: AskedServers): void {
    const { partition, region, account } = Stack.of(this);
    const arn = (service: string, what: string) => `arn:${partition}:${service}:${region}:${account}:${what}`;
    asks.addToRolePolicy(
      new iam.PolicyStatement({
        sid: 'Look',
        actions: [
          'ec2:DescribeInstances',
          'ssm:DescribeInstanceInformation',
          'ssm:ListCommandInvocations',
          'ssm:ListCommands',
        ],
        resources: ['*'],
      }),
    );
    const documentArns = documents.map((name) => arn('ssm', `document/${name}`));
    const send = (sid: string, resources: string[], conditions?: iam.Conditions) =>
      asks.addToRolePolicy(
        new iam.PolicyStatement({ sid, actions: ['ssm:SendCommand'], resources, conditions }),
      );
    if ('tag' in servers) {
      const { key, value } = servers.tag;
      const instances = arn('ec2', 'instance/*');
      send('AskWhat', documentArns);
      // Systems Manager's own key (its user guide, "Restricting Run Command access based on tags"), and no global one.
      send('AskWhom', [instances], { StringEquals: { [`ssm:resourceTag/${key}`]: value } });
      Validations.of(asks.role!).acknowledge({
        id: wildcardFinding(this, instances),
        reason: 'Limited by a tag to the hosts of this file system, whose ids change with every replacement.',
      });
    } else {
      send('Ask', [...documentArns, ...servers.instanceIds.map((id) => arn('ec2', `instance/${id}`))]);
    }
    Validations.of(asks.role!).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'Describe actions of EC2, ssm:DescribeInstanceInformation, ssm:ListCommands and ' +
        'ssm:ListCommandInvocations know no resources (AWS Service Authorization Reference).',
    });
  }

  private alarms(of: string, grid: string, { reachesFileServers }: NodeHealthProps): cloudwatch.Alarm[] {
    const { BREACHING, NOT_BREACHING } = cloudwatch.TreatMissingData;
    const alarm = (
      id: string,
      metricName: string,
      alarmDescription: string,
      { threshold = 1, treatMissingData = NOT_BREACHING } = {},
    ) =>
      new cloudwatch.Alarm(this, id, {
        alarmDescription: `${of}: ${alarmDescription}`,
        metric: new cloudwatch.Metric({
          namespace: METRIC_NAMESPACE,
          metricName,
          dimensionsMap: { Grid: grid },
          statistic: cloudwatch.Stats.MAXIMUM,
          period: INTERVAL,
        }),
        threshold,
        evaluationPeriods: 3,
        comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData,
      });
    return [
      alarm(
        'NodesUnhealthy',
        'UnhealthyNodes',
        'a server cannot do its work: mount, scratch, name or clock. The log of the function says which one, and why.',
      ),
      alarm(
        SILENT,
        'SilentNodes',
        'a server runs and does not answer, or nobody has asked for 15 minutes. See its agent, and the log of ' +
          'the function.',
        { treatMissingData: BREACHING },
      ),
      ...(reachesFileServers
        ? [
            alarm(
              'NodesCutOff',
              'NodesCutOff',
              'a server cannot reach a file server over the network. The log of the function says which ones.',
            ),
          ]
        : []),
      alarm(
        'ScratchFilling',
        'ScratchUsedPercent',
        `SASWORK or UTILLOC of a server is ${SCRATCH_ALARM_PERCENT} % full or more. The log says what the ` +
          'clean-up removed.',
        { threshold: SCRATCH_ALARM_PERCENT },
      ),
    ];
  }
}

/** A filter of EC2's DescribeInstances, for the function. */
const filterOf = (servers: AskedServers): { [name: string]: string } =>
  'tag' in servers
    ? { SERVER_FILTER: `tag:${servers.tag.key}`, SERVERS: servers.tag.value }
    : { SERVER_FILTER: 'instance-id', SERVERS: servers.instanceIds.join(',') };
