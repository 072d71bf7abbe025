import { type Duration, Stack } from 'aws-cdk-lib';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as ssm from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { bundledFunction } from '../private/bundled-function';
import { type Operations, STEP_TIMEOUT } from './operations';

/** What each operation of a deployment is made with. */
export interface OperationProps {
  readonly operations: Operations;
  /** Stacks that may be deployed meanwhile. */
  readonly stacks: readonly string[];
}

/** What a function that takes the steps of operations knows. */
export interface StepsProps {
  readonly operations: Operations;
  readonly description: string;
  /** What hosts are sent. */
  readonly document: ssm.CfnDocument;
  readonly deadline: Duration;
  /** What its settings are read from, besides the name of the deployment (`settings.ts` of the function). */
  readonly settings: { readonly [name: string]: unknown };
}

/** A function that takes the steps of operations: lambda/shared/operation/environment.ts reads what this sets. */
export function stepsFunction(scope: Construct, bundle: string, props: StepsProps): lambda.Function {
  const { operations, description, document, deadline, settings } = props;
  const { deployment } = operations.props;
  return bundledFunction(scope, 'Steps', bundle, undefined, {
    description,
    timeout: STEP_TIMEOUT,
    memorySize: 256,
    environment: {
      OPERATIONS_TABLE: operations.table.tableName,
      DOCUMENT: document.ref,
      DEADLINE_SECONDS: String(deadline.toSeconds()),
      DEPLOYMENT: Stack.of(scope).toJsonString({ deployment, ...settings }),
    },
  });
}
