import { createHash } from 'node:crypto';
import { Annotations, Aws, CustomResource, Duration } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import { Construct, type IDependable } from 'constructs';
import { ANSWER_SECONDS, CLOUDFORMATION_WAITS, TESTS_SECONDS } from '../private/benchmark-deadline';
import { type BenchmarkDefinition, JUDGED_TESTS } from '../private/benchmark-definition';
import { inlinePolicy } from '../private/inline-policy';
import { invalid } from '../private/validation';
import type { RunEstimate } from '../sizing';

/** Properties of the run after a deployment. */
export interface AfterDeploymentProps {
  readonly definition: BenchmarkDefinition;
  readonly gate: lambda.Function;
  readonly stateMachine: sfn.StateMachine;
  /** Whether the deployment waits for the verdict. */
  readonly waits: boolean;
  /** What the run is expected to take; undefined when the hosts are not known at synthesis. */
  readonly estimate?: RunEstimate;
  /** What has to be there before. */
  readonly after: IDependable[];
}

/**
 * A run after a deployment: the first one, and each that changes what is measured or how. The workflow answers
 * CloudFormation, so that the run may take longer than a function (docs/adr/0003-workflow-answers-cloudformation.md).
 */
export class AfterDeployment extends Construct {
  constructor(scope: Construct, id: string, props: AfterDeploymentProps) {
    super(scope, id);
    const { gate, stateMachine, definition, waits } = props;
    if (waits) {
      checkVerdict(scope, definition);
      checkTime(scope, props);
    }
    // Apart from the function's role, which the function waits for, while the workflow waits for the function.
    const start = inlinePolicy(this, 'Start', gate.role!, [
      new iam.PolicyStatement({
        actions: ['states:StartExecution'],
        resources: [stateMachine.stateMachineArn],
      }),
      new iam.PolicyStatement({
        actions: ['cloudformation:DescribeStacks'],
        resources: [Aws.STACK_ID],
      }),
    ]);
    const run = new CustomResource(this, 'Run', {
      serviceToken: gate.functionArn,
      resourceType: 'Custom::SasGridBenchmark',
      serviceTimeout: Duration.seconds(CLOUDFORMATION_WAITS),
      properties: {
        StateMachineArn: stateMachine.stateMachineArn,
        Gate: waits,
        DeadlineSeconds: ANSWER_SECONDS,
        // Another one means another run.
        Measured: measured(definition),
      },
    });
    run.node.addDependency(start, stateMachine, ...props.after);
  }
}

/** What is measured, and how: its hash. What CloudFormation fills in is not part of it. */
function measured({ tests, parallel, packageVersion }: BenchmarkDefinition): string {
  return createHash('sha256')
    .update(JSON.stringify({ tests, parallel, packageVersion }))
    .digest('hex')
    .slice(0, 16);
}

/** Without a threshold a run ends incomplete: the deployment would fail, whatever is measured. */
function checkVerdict(scope: Construct, { tests }: BenchmarkDefinition): void {
  const judged = tests.some(
    ({ test, path }) =>
      JUDGED_TESTS.includes(test) && (path?.writeMBpsPerCore ?? path?.readMBpsPerCore) !== undefined,
  );
  if (judged) return;
  throw invalid(
    scope,
    'tests, with gateDeployment,',
    tests.map(({ test }) => test).join(', '),
    `at least one of ${JUDGED_TESTS.join(', ')} on a path for which throughput is wanted`,
    'Add one, or set gateDeployment to false: nothing of the others is judged, and the deployment would fail.',
  );
}

function checkTime(scope: Construct, { estimate, definition }: AfterDeploymentProps): void {
  const room = TESTS_SECONDS;
  if (definition.hostsTimeoutSeconds > room) {
    throw invalid(
      scope,
      'hostsTimeout, in minutes, with gateDeployment',
      minutes(definition.hostsTimeoutSeconds),
      `1 to ${Math.floor(room / 60)}, since CloudFormation waits an hour for a resource`,
      'Give Duration.minutes(15) for example, or set gateDeployment to false: the run then goes ' +
        'on after the deployment.',
    );
  }
  if (!estimate) {
    Annotations.of(scope).addWarningV2(
      'cdk-sas-grid:benchmarkTimeUnknown',
      'The hosts of the benchmark are not known at synthesis, so neither is how long it takes. The deployment ' +
        `waits for at most ${minutes(room)} minutes of tests, and fails at once when they are ` +
        'expected to take longer.',
    );
    return;
  }
  const boot = Math.min(definition.hostsTimeoutSeconds, 300);
  if (estimate.seconds + boot <= room) return;
  const longest = estimate.tests
    .map(({ id, waveSeconds }) => ({ id, seconds: waveSeconds.reduce((sum, one) => sum + one, 0) }))
    .sort((a, b) => b.seconds - a.seconds)[0]!;
  throw invalid(
    scope,
    'The time that the benchmark is expected to take, in minutes, with gateDeployment',
    minutes(estimate.seconds),
    `at most ${minutes(room - boot)}, since CloudFormation waits an hour for a resource`,
    `Give ${longest.id} smaller files (it takes ${minutes(longest.seconds)}), take tests out, or set ` +
      'gateDeployment to false: the run then goes on after the deployment.',
  );
}

const minutes = (seconds: number): number => Math.ceil(seconds / 60);
