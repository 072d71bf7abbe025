import { Aws, CfnMapping, Duration, Stack, Token } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { GATE_TIMEOUT, REQUEST_AGE } from '../private/benchmark-deadline';
import { bundledFunction } from '../private/bundled-function';
import { CONSOLE_DOMAINS, consoleHost } from '../private/console';
import { allowJudge, allowRunner, allowWidget, type Rights } from './permissions';

/** Finds the hosts, sends the documents, looks how they end. */
export function runnerFunction(scope: Construct, rights: Rights): lambda.Function {
  const runner = bundledFunction(scope, 'Runner', 'benchmark-runner', rights.key, {
    description: `Runs the benchmark ${rights.definition.benchmark}`,
    timeout: Duration.minutes(2),
    environment: environment(rights),
  });
  allowRunner(scope, runner, rights);
  return runner;
}

/** Says what came of a run, and tells it. */
export function judgeFunction(
  scope: Construct,
  rights: Rights,
  topic: sns.ITopic,
  dashboardUrl: string,
): lambda.Function {
  const judge = bundledFunction(scope, 'Judge', 'benchmark-judge', rights.key, {
    description: `Judges runs of the benchmark ${rights.definition.benchmark}`,
    timeout: Duration.minutes(5),
    // Outputs of many hosts at once, and charts.
    memorySize: 2048,
    environment: { ...environment(rights), TOPIC_ARN: topic.topicArn, DASHBOARD_URL: dashboardUrl },
  });
  allowJudge(scope, judge, rights, topic);
  return judge;
}

/**
 * Shows the last runs on the dashboard. A function of its own: who sees a dashboard need not be allowed to have runs
 * judged.
 */
export function widgetFunction(scope: Construct, rights: Rights): lambda.Function {
  const widget = bundledFunction(scope, 'Widget', 'benchmark-widget', rights.key, {
    description: `Shows runs of the benchmark ${rights.definition.benchmark}`,
    timeout: Duration.seconds(10),
    memorySize: 256,
    environment: environment(rights),
  });
  allowWidget(scope, widget, rights);
  return widget;
}

/** Where somebody sees the dashboard. */
export function dashboardUrl(scope: Construct, name: string): string {
  const { region } = Stack.of(scope);
  const host = Token.isUnresolved(region) ? consoleOfPartition(scope) : consoleHost(region);
  return `https://${host ?? CONSOLE_DOMAINS.aws}/cloudwatch/home?region=${region}#dashboards/dashboard/${name}`;
}

/** Which partition it is only CloudFormation knows, where the stack is for any region. */
function consoleOfPartition(scope: Construct): string {
  const mapping = Object.entries(CONSOLE_DOMAINS).map(([partition, Domain]) => [partition, { Domain }]);
  return new CfnMapping(scope, 'Console', { mapping: Object.fromEntries(mapping) }).findInMap(
    Aws.PARTITION,
    'Domain',
  );
}

const environment = ({ results, definition }: Rights): { [name: string]: string } => ({
  BENCHMARK: definition.benchmark,
  BUCKET: results.bucket.bucketName,
  TABLE: results.table.tableName,
});

/** Asks for a run after a deployment, and answers CloudFormation. */
export function gateFunction(
  scope: Construct,
  key: kms.IKey,
  benchmark: string,
  waits: boolean,
): lambda.Function {
  return bundledFunction(scope, 'Gate', 'benchmark-gate', key, {
    description: `Runs the benchmark ${benchmark} after deployments`,
    timeout: Duration.seconds(GATE_TIMEOUT),
    // CloudFormation's hour goes on meanwhile: a request that is older has no time left for what it asks for.
    ...(waits && { maxEventAge: Duration.seconds(REQUEST_AGE) }),
    memorySize: 256,
  });
}
