import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { OperationWorkflow, type OperationWorkflowProps } from './workflow';

/** How long a function of an operation may take for a step (lambda/shared/operation/lock.ts, `STEP_MS`). */
export const STEP_TIMEOUT = Duration.minutes(2);

/** What the operations of a deployment have in common. */
export interface OperationsProps {
  /** The deployment: the value of the tag `cdk-sas-grid:deployment`. */
  readonly deployment: string;
  readonly alarmTopic?: sns.ITopic;
}

/**
 * What administrators do with a deployment day by day, as workflows in the account: a console, a schedule and a
 * pipeline can start them as the command does. One runs at a time (ADR 0037).
 */
export class Operations extends Construct {
  /** Holds the lock of the deployment, and what its operations remember. Partition key `id`. */
  readonly table: dynamodb.Table;

  /** By the name of the operation. */
  readonly workflows: { readonly [operation: string]: OperationWorkflow } = {};

  constructor(
    scope: Construct,
    id: string,
    readonly props: OperationsProps,
  ) {
    super(scope, id);
    this.table = new dynamodb.Table(this, 'Table', {
      partitionKey: { name: 'id', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      encryption: dynamodb.TableEncryption.DEFAULT,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // What it remembers is of the running deployment; volumes and rows do not depend on it.
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  /** Adds an operation. */
  add(props: Omit<OperationWorkflowProps, 'table' | 'alarmTopic' | 'deployment'>): OperationWorkflow {
    const id = `${props.operation.charAt(0).toUpperCase()}${props.operation.slice(1)}`;
    const { deployment, alarmTopic } = this.props;
    const workflow = new OperationWorkflow(this, id, { ...props, deployment, alarmTopic, table: this.table });
    (this.workflows as { [operation: string]: OperationWorkflow })[props.operation] = workflow;
    return workflow;
  }
}
