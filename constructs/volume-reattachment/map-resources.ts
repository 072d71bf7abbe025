import { CustomResource, Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';

/**
 * What the workflow may need after its deadline, for the pass that it is in, with its retries, and for the answer.
 * CloudFormation waits for so much longer, so that a deployment that fails says which slots are not served.
 */
const TIME_TO_ANSWER = Duration.minutes(8);

/** Writing the rows takes seconds. No request is begun that is older than this. */
export const SEEDING = Duration.minutes(5);

/** What the function that seeds the map has to know of a tier. */
export interface MapRequest {
  readonly seed: lambda.Function;
  readonly tier: string;
  readonly table: ITable;
  readonly workflow: sfn.StateMachine;
  /** How long the tier may take to serve. */
  readonly timeout: Duration;
  readonly slots: object[];
}

/** Writes the rows of a tier. */
export const seedRows = (tier: Construct, request: MapRequest): CustomResource =>
  new CustomResource(tier, 'Map', {
    serviceToken: request.seed.functionArn,
    resourceType: 'Custom::SasGridVolumeMap',
    serviceTimeout: SEEDING,
    properties: propertiesOf(tier, request, 'seed'),
  });

/** Completes when all slots are served. */
export const waitForServed = (tier: Construct, request: MapRequest): CustomResource =>
  new CustomResource(tier, 'Served', {
    serviceToken: request.seed.functionArn,
    resourceType: 'Custom::SasGridTierServed',
    serviceTimeout: request.timeout.plus(TIME_TO_ANSWER),
    properties: propertiesOf(tier, request, 'serve'),
  });

const propertiesOf = (scope: Construct, request: MapRequest, step: string): { [key: string]: unknown } => ({
  Tier: request.tier,
  Table: request.table.tableName,
  StateMachineArn: request.workflow.stateMachineArn,
  TimeoutSeconds: request.timeout.toSeconds(),
  SeededFor: scope.node.addr,
  Slots: request.slots,
  Step: step,
});
