import { Aspects, Aws, type IAspect, Stack, Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { AFTER_ALL } from './last-word';
import { lambdaBundle } from './package-root';

const RUNTIME = lambda.Runtime.NODEJS_24_X;

/** A log group that a key encrypts; a key of the app lets CloudWatch Logs use it. */
export function encryptedLogs(
  scope: Construct,
  id: string,
  key: kms.IKey,
  props: Pick<logs.LogGroupProps, 'logGroupName' | 'removalPolicy'> = {},
): logs.LogGroup {
  const { partition, region, account } = Stack.of(scope);
  key.addToResourcePolicy(
    new iam.PolicyStatement({
      principals: [new iam.ServicePrincipal(`logs.${region}.${Aws.URL_SUFFIX}`)],
      actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
      resources: ['*'],
      conditions: {
        ArnLike: {
          'kms:EncryptionContext:aws:logs:arn': `arn:${partition}:logs:${region}:${account}:log-group:*`,
        },
      },
    }),
  );
  return new logs.LogGroup(scope, id, {
    encryptionKey: key,
    retention: logs.RetentionDays.ONE_YEAR,
    ...props,
  });
}

/**
 * A Lambda function of the package, with logs of its own and no right but to write them. Without a key they have
 * CloudWatch's own.
 */
export function bundledFunction(
  scope: Construct,
  id: string,
  bundle: string,
  key: kms.IKey | undefined,
  props: Partial<lambda.FunctionProps>,
): lambda.Function {
  const logGroup = key
    ? encryptedLogs(scope, `${id}Logs`, key)
    : new logs.LogGroup(scope, `${id}Logs`, { retention: logs.RetentionDays.ONE_YEAR });
  const role = new iam.Role(scope, `${id}Role`, {
    assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
  });
  role.addToPolicy(
    new iam.PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    }),
  );
  const made = new lambda.Function(scope, id, {
    runtime: RUNTIME,
    architecture: lambda.Architecture.ARM_64,
    handler: 'index.handler',
    code: lambda.Code.fromAsset(lambdaBundle(bundle)),
    memorySize: 512,
    logGroup,
    role,
    ...props,
  });
  Aspects.of(made).add(IN_VPC, { priority: AFTER_ALL });
  return made;
}

/**
 * What Lambda does in a VPC in the name of a function's role: Lambda developer guide, "Giving Lambda functions access
 * to resources in an Amazon VPC".
 */
const INTERFACE_ACTIONS = [
  'AssignPrivateIpAddresses',
  'CreateNetworkInterface',
  'DeleteNetworkInterface',
  'DescribeNetworkInterfaces',
  'DescribeSubnets',
  'UnassignPrivateIpAddresses',
].map((name) => `ec2:${name}`);

/**
 * A function that an aspect of the app has put into a VPC, as an organisation's rule may want, gets the rights for
 * that.
 */
const IN_VPC: IAspect = {
  visit: (node) => {
    if (!(node instanceof lambda.CfnFunction) || node.vpcConfig === undefined) return;
    const { role } = node.node.scope as lambda.Function;
    role!.addToPrincipalPolicy(
      new iam.PolicyStatement({ sid: 'InterfacesInVpc', actions: INTERFACE_ACTIONS, resources: ['*'] }),
    );
    Validations.of(role!).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Lambda makes interfaces before they have ids (Lambda developer guide).',
    });
  },
};
