import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import { keyArnInPolicies } from '../private/imported';
import { wildcardFinding } from '../private/nag-text';
import { viaService } from '../private/via-service';
import { acknowledge } from '../volume-reattachment/acknowledge';
import type { VolumeMap } from '../volume-reattachment/volume-map';

/** The tag by which the hosts of a deployment are known. */
export const DEPLOYMENT_TAG = 'cdk-sas-grid:deployment';

/** All objects of bundles are in this folder. */
export const BUNDLES_FOLDER = 'bundles/';

/** What the function of bundles works with. */
export interface BundleRights {
  readonly deploymentName: string;
  readonly stacks: readonly string[];
  /** The document that hosts are sent. */
  readonly document: string;
  readonly bucket: s3.IBucket;
  readonly maps: readonly VolumeMap[];
}

const LOOKS = ['ec2:DescribeInstances', 'ssm:DescribeInstanceInformation', 'ssm:ListCommandInvocations'];

const STACK_LOOKS = ['DescribeStackEvents', 'DescribeStacks', 'ListStackResources'];

/** What the function may: read what is of the deployment, send its hosts one document, and keep bundles. */
export function allowBundles(fn: lambda.Function, rights: BundleRights): void {
  may(fn, 'Look', LOOKS, ['*']);
  accept(
    fn,
    '*',
    'Describe actions of EC2 and Systems Manager know no resources (AWS Service Authorization Reference).',
  );
  // Asked for by the beginning of their names, which is a list of all.
  const alarms = arn(fn, 'cloudwatch', 'alarm:*');
  may(fn, 'LookAtAlarms', ['cloudwatch:DescribeAlarmHistory', 'cloudwatch:DescribeAlarms'], [alarms]);
  accept(fn, alarms, 'Who asks for alarms by the beginning of their names lists those of the account.');
  allowStacks(fn, rights);
  allowHosts(fn, rights);
  allowObjects(fn, rights);
  allowRows(fn, rights);
}

/** Also nested stacks, and the groups of logs that workflows write. */
function allowStacks(fn: lambda.Function, { stacks }: BundleRights): void {
  const ofStacks = stacks
    .flatMap((name) => [`stack/${name}/*`, `stack/${name}-*/*`])
    .map((what) => arn(fn, 'cloudformation', what));
  may(
    fn,
    'LookAtStacks',
    STACK_LOOKS.map((action) => `cloudformation:${action}`),
    ofStacks,
  );
  const groups = stacks
    .flatMap((name) => [`${name}-*`, `/aws/vendedlogs/states/${name}-*`])
    .map((what) => arn(fn, 'logs', `log-group:${what}`));
  may(fn, 'ReadLogs', ['logs:FilterLogEvents'], groups);
  for (const resource of [...ofStacks, ...groups])
    accept(
      fn,
      resource,
      'Stacks and logs of this deployment, of which CloudFormation chooses the end of the name.',
    );
}

function allowHosts(fn: lambda.Function, { deploymentName, document }: BundleRights): void {
  may(fn, 'AskWhat', ['ssm:SendCommand'], [arn(fn, 'ssm', `document/${document}`)]);
  const instances = arn(fn, 'ec2', 'instance/*');
  // Systems Manager's own key (its user guide, "Restricting Run Command access based on tags"), and no global one.
  may(fn, 'AskWhom', ['ssm:SendCommand'], [instances], {
    StringEquals: { [`ssm:resourceTag/${DEPLOYMENT_TAG}`]: deploymentName },
  });
  accept(
    fn,
    instances,
    'Limited by a tag to the hosts of this deployment, whose ids change with every replacement.',
  );
}

function allowObjects(fn: lambda.Function, { bucket }: BundleRights): void {
  const objects = bucket.arnForObjects(`${BUNDLES_FOLDER}*`);
  may(fn, 'KeepBundles', ['s3:GetObject', 's3:PutObject'], [objects]);
  may(fn, 'ListBundles', ['s3:ListBucket'], [bucket.bucketArn], {
    StringLike: { 's3:prefix': `${BUNDLES_FOLDER}*` },
  });
  accept(fn, objects, 'Objects of bundles have the name of the execution and of the host.');
}

function allowRows(fn: lambda.Function, { maps }: BundleRights): void {
  if (maps.length === 0) return;
  may(
    fn,
    'ReadRows',
    ['dynamodb:Scan'],
    maps.map(({ table }) => table.tableArn),
  );
  may(
    fn,
    'ReadRowsKey',
    ['kms:Decrypt'],
    maps.map(({ encryptionKey }) => keyArnInPolicies(fn, encryptionKey)),
    viaService(fn, 'dynamodb'),
  );
}

function may(
  fn: lambda.Function,
  sid: string,
  actions: string[],
  resources: string[],
  conditions?: iam.Conditions,
): void {
  fn.addToRolePolicy(new iam.PolicyStatement({ sid, actions, resources, conditions }));
}

const accept = (fn: lambda.Function, resource: string, reason: string): void =>
  acknowledge(fn.role!, wildcardFinding(fn, resource), reason);

function arn(fn: lambda.Function, service: string, what: string): string {
  const { partition, region, account } = Stack.of(fn);
  return `arn:${partition}:${service}:${region}:${account}:${what}`;
}
