import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { type BenchmarkDefinition, lockPartition, sendPartition } from '../private/benchmark-definition';
import { keyArnInPolicies } from '../private/imported';
import { inlinePolicy } from '../private/inline-policy';
import { wildcardFinding } from '../private/nag-text';
import { viaService } from '../private/via-service';
import { acknowledge } from '../volume-reattachment/acknowledge';
import type { Results } from './results';

/** What the rights are about. */
export interface Rights {
  readonly results: Results;
  readonly key: kms.IKey;
  readonly definition: BenchmarkDefinition;
}

type Conditions = { readonly [operator: string]: { readonly [key: string]: string | string[] } };

/** What DynamoDB asks of who reads and writes a table with a customer-managed key. */
const TABLE_KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/**
 * The runner: it sends the documents of the benchmark to the hosts of the benchmark, and nothing else to nobody else.
 */
export function allowRunner(scope: Construct, runner: lambda.Function, rights: Rights): void {
  const { partition, region, account } = Stack.of(scope);
  const { results, definition } = rights;
  const add = statementAdder(runner);
  const instances = `arn:${partition}:ec2:${region}:${account}:instance/*`;
  add(
    'Look',
    [
      'ec2:DescribeInstances',
      'ssm:DescribeInstanceInformation',
      'ssm:GetCommandInvocation',
      'ssm:ListCommandInvocations',
      'ssm:ListCommands',
    ],
    ['*'],
  );
  add(
    'SendWhat',
    ['ssm:SendCommand'],
    Object.values(definition.documents).map(
      ({ name }) => `arn:${partition}:ssm:${region}:${account}:document/${name}`,
    ),
  );
  // Systems Manager's own key (its user guide, "Restricting Run Command access based on tags"); a statement for each
  // tag, since all conditions of one have to hold.
  const values = new Map<string, string[]>();
  for (const { key, values: more } of [...definition.hosts, ...definition.servers]) {
    values.set(key, [...new Set([...(values.get(key) ?? []), ...more])]);
  }
  for (const [index, [key, wanted]] of [...values].entries()) {
    add(`SendWhom${index}`, ['ssm:SendCommand'], [instances], {
      StringEquals: { [`ssm:resourceTag/${key}`]: wanted },
    });
  }
  // CancelCommand knows no narrower resource (AWS Service Authorization Reference, "AWS Systems Manager").
  add('Cancel', ['ssm:CancelCommand'], ['*']);
  const runs = results.bucket.arnForObjects('runs/*');
  add('Objects', ['s3:GetObject', 's3:PutObject'], [runs]);
  add('ListObjects', ['s3:ListBucket'], [results.bucket.bucketArn], {
    StringLike: { 's3:prefix': 'runs/*' },
  });
  add('Table', ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'], [results.table.tableArn], {
    'ForAllValues:StringEquals': {
      'dynamodb:LeadingKeys': [lockPartition(definition.benchmark), sendPartition(definition.benchmark)],
    },
  });
  allowKeys(scope, runner, rights);
  acknowledge(
    runner.role!,
    'AwsSolutions-IAM5[Resource::*]',
    'Describes of EC2, and lists, results and cancellations of commands in Systems Manager, know no resources ' +
      '(AWS Service Authorization Reference).',
  );
  acknowledge(
    runner.role!,
    wildcardFinding(scope, instances),
    'Limited by tag to the hosts of the benchmark, whose ids change.',
  );
  acknowledgeObjects(scope, runner, runs);
}

/** The judge: it reads what was measured, writes the result, keeps the history and tells the topic. */
export function allowJudge(
  scope: Construct,
  judge: lambda.Function,
  rights: Rights,
  topic: sns.ITopic,
): void {
  const { results, definition } = rights;
  const add = statementAdder(judge);
  const runs = results.bucket.arnForObjects('runs/*');
  const written = ['result.json', 'report.html'].map((name) =>
    results.bucket.arnForObjects(`runs/*/${name}`),
  );
  add('ReadObjects', ['s3:GetObject'], [runs]);
  add('WriteObjects', ['s3:PutObject'], written);
  add('ListObjects', ['s3:ListBucket'], [results.bucket.bucketArn], {
    StringLike: { 's3:prefix': 'runs/*' },
  });
  add('History', ['dynamodb:Query', 'dynamodb:PutItem'], [results.table.tableArn], ofBenchmark(definition));
  add('Tell', ['sns:Publish'], [topic.topicArn]);
  allowKeys(scope, judge, rights, ['sns']);
  for (const arn of [runs, ...written]) acknowledgeObjects(scope, judge, arn);
}

/** The widget of the dashboard: it reads the history. */
export function allowWidget(scope: Construct, widget: lambda.Function, rights: Rights): void {
  const { results, definition, key } = rights;
  statementAdder(widget)('History', ['dynamodb:Query'], [results.table.tableArn], ofBenchmark(definition));
  statementAdder(widget)(
    'UseTheKeyForTheTable',
    ['kms:Decrypt', 'kms:DescribeKey'],
    [keyArnInPolicies(scope, key)],
    viaService(scope, 'dynamodb'),
  );
}

/**
 * Lets hosts put what their programs print into the bucket. The agent does that with the rights of the instance
 * (amazon-ssm-agent, agent/s3util). A policy beside the role, in this stack: the role's own stack need not know of it.
 */
export function hostPolicy(
  scope: Construct,
  id: string,
  role: iam.IRole,
  { results, key }: Rights,
): iam.Policy {
  const outputs = results.bucket.arnForObjects('runs/*/outputs/*');
  const policy = inlinePolicy(scope, id, role, [
    new iam.PolicyStatement({
      sid: 'PutOutputs',
      actions: ['s3:PutObject', 's3:AbortMultipartUpload'],
      resources: [outputs],
    }),
    new iam.PolicyStatement({
      sid: 'UseTheKeyForOutputs',
      // Decrypt: for outputs in several parts (Amazon S3 User Guide, "Uploading a large file with encryption").
      actions: ['kms:GenerateDataKey', 'kms:Decrypt'],
      resources: [keyArnInPolicies(scope, key)],
      conditions: viaService(scope, 's3'),
    }),
  ]);
  acknowledge(
    policy,
    wildcardFinding(scope, outputs),
    'The outputs of runs, whose ids are made when they begin.',
  );
  return policy;
}

function allowKeys(scope: Construct, fn: lambda.Function, { key }: Rights, more: string[] = []): void {
  const add = statementAdder(fn);
  add(
    'UseTheKeyForTheTable',
    TABLE_KEY_ACTIONS,
    [keyArnInPolicies(scope, key)],
    viaService(scope, 'dynamodb'),
  );
  add(
    'UseTheKeyForObjects',
    ['kms:Decrypt', 'kms:GenerateDataKey'],
    [keyArnInPolicies(scope, key)],
    viaService(scope, 's3'),
  );
  for (const service of more) {
    add(
      `UseTheKeyFor-${service}`.replace('-', ''),
      ['kms:Decrypt', 'kms:GenerateDataKey'],
      [keyArnInPolicies(scope, key)],
      viaService(scope, service),
    );
  }
}

const statementAdder =
  (fn: lambda.Function) =>
  (sid: string, actions: string[], resources: string[], conditions?: Conditions): void =>
    fn.addToRolePolicy(new iam.PolicyStatement({ sid, actions, resources, conditions }));

const ofBenchmark = ({ benchmark }: BenchmarkDefinition): Conditions => ({
  'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [benchmark] },
});

function acknowledgeObjects(scope: Construct, fn: lambda.Function, arn: string): void {
  acknowledge(fn.role!, wildcardFinding(scope, arn), 'Objects of runs, whose ids are made when they begin.');
}
