import { Duration } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { bundledFunction } from '../private/bundled-function';
import { keyArnInPolicies } from '../private/imported';
import { wildcardFinding } from '../private/nag-text';
import { historyKey } from '../private/recoveries';
import { viaService } from '../private/via-service';
import { acknowledge } from './acknowledge';
import { reconcilerStatements } from './reconciler-rights';
import { ec2Arn, groupArn, snapshotArn, type TierNames } from './tier-names';

/** The Lambda function that takes the next safe steps of a tier with that many spares. */
export function reconcilerFunction(
  scope: Construct,
  names: TierNames,
  spares: number,
  env: { [key: string]: string },
): lambda.Function {
  const reconciler = bundledFunction(scope, 'Reconciler', 'volume-reconciler', names.key, {
    description: `Next safe steps of tier ${names.tier}: volumes, addresses, owners`,
    // Shorter than the lease (120 s) that a pass takes.
    timeout: Duration.seconds(90),
    environment: {
      TIER: names.tier,
      TIER_TAG: names.tierTag,
      TABLE: names.volumeMap.table.tableName,
      GROUP: names.groupName,
      DOCUMENT: names.documentName,
      SPARE_SERVERS: String(spares),
      ...env,
    },
  });
  for (const statement of reconcilerStatements(scope, names)) reconciler.addToRolePolicy(statement);
  const actions = ['dynamodb:Query', 'dynamodb:UpdateItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'];
  allowTable(scope, reconciler, names, actions, [historyKey(names.tier)]);
  acknowledgeWildcards(reconciler);
  acknowledge(
    reconciler.role!,
    wildcardFinding(scope, snapshotArn(scope)),
    'Only to make snapshots with the tag of the tier: they have no id before.',
  );
  acknowledgeOfTier(scope, reconciler, names, ['volume', 'network-interface', 'instance']);
  return reconciler;
}

/**
 * The Lambda function behind the custom resource that seeds and releases the map.
 *
 * @param patience how long CloudFormation waits for rows to be seeded
 * @param looksAtSnapshots whether it compares the moments that adopted volumes hold
 */
export function seedFunction(
  scope: Construct,
  names: TierNames,
  patience: Duration,
  looksAtSnapshots: boolean,
): lambda.Function {
  const seed = bundledFunction(scope, 'Seed', 'volume-map-resource', names.key, {
    description: `Seeds and releases the volume map of tier ${names.tier}, answers CloudFormation`,
    timeout: Duration.minutes(5),
  });
  // Lambda keeps an event for six hours when the account has no room for it. By then CloudFormation has undone what it
  // is about.
  seed.configureAsyncInvoke({ maxEventAge: patience });
  seed.addToRolePolicy(
    new iam.PolicyStatement({
      sid: 'Look',
      actions: ['ec2:DescribeVolumes', ...(looksAtSnapshots ? ['ec2:DescribeSnapshots'] : [])],
      resources: ['*'],
    }),
  );
  const actions = [
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'dynamodb:PutItem',
    'dynamodb:ConditionCheckItem',
  ];
  allowTable(scope, seed, names, actions);
  acknowledgeWildcards(seed);
  return seed;
}

/** Access to the tier's own items in the volume map. */
export function allowTable(
  scope: Construct,
  fn: lambda.Function,
  names: TierNames,
  actions: string[],
  otherKeys: string[] = [],
): void {
  const { table, encryptionKey } = names.volumeMap;
  fn.addToRolePolicy(
    new iam.PolicyStatement({
      sid: 'OwnItems',
      actions,
      resources: [table.tableArn],
      conditions: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [names.tier, ...otherKeys] } },
    }),
  );
  fn.addToRolePolicy(
    new iam.PolicyStatement({
      sid: 'UseTheKeyForTheMap',
      actions: [
        'kms:Decrypt',
        'kms:DescribeKey',
        'kms:Encrypt',
        'kms:GenerateDataKey',
        'kms:GenerateDataKeyWithoutPlaintext',
        'kms:ReEncryptFrom',
        'kms:ReEncryptTo',
      ],
      resources: [keyArnInPolicies(fn, encryptionKey)],
      conditions: viaService(scope, 'dynamodb'),
    }),
  );
}

function acknowledgeWildcards(fn: lambda.Function): void {
  acknowledge(
    fn.role!,
    'AwsSolutions-IAM5[Resource::*]',
    'Describe actions of EC2 and Auto Scaling, ssm:DescribeInstanceInformation and the results of commands know no ' +
      'resources (AWS Service Authorization Reference).',
  );
}

/** Accepts the wildcards of what belongs to one tier: its group, and resources of EC2. */
export function acknowledgeOfTier(
  scope: Construct,
  fn: lambda.Function,
  names: TierNames,
  resources: string[],
): void {
  acknowledge(
    fn.role!,
    wildcardFinding(scope, groupArn(scope, names)),
    'Wildcard only for the generated id in the ARN; the name of the group follows it.',
  );
  for (const resource of resources) {
    acknowledge(
      fn.role!,
      wildcardFinding(scope, ec2Arn(scope, resource)),
      'Limited by the tag of the tier to its own volumes, interfaces and instances, whose ids ' +
        'change with every repair.',
    );
  }
}
