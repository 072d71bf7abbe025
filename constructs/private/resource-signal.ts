import { type CfnCreationPolicy, type Duration, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { SIGNAL_HOURS } from '../facts/services';
import { requireInteger } from './validation';

// A resource waits for signals when CloudFormation makes it, and never after: hosts that are there already send none
// (AWS CloudFormation User Guide, "CreationPolicy attribute": invoked only when the resource is created).

/** How long CloudFormation waits for hosts; undefined: not at all. */
export function waitForSignals(timeout: Duration, count = 1): CfnCreationPolicy | undefined {
  if (!timeout.isUnresolved() && timeout.toSeconds() === 0) return undefined;
  return { resourceSignal: { count, timeout: timeout.toIsoString() } };
}

/** Rejects what hosts cannot keep, or CloudFormation does not take. */
export function checkSignalTimeout(scope: IConstruct, name: string, timeout: Duration | undefined): void {
  if (timeout === undefined || timeout.isUnresolved()) return;
  const minutes = timeout.toMinutes({ integral: false });
  if (minutes === 0) return;
  const most = SIGNAL_HOURS.value * 60;
  requireInteger(
    scope,
    `${name} in minutes`,
    minutes,
    5,
    most,
    'Nodes need some minutes; zero does not wait.',
  );
}

/** Lets a host tell CloudFormation that it is ready, or why it is not. */
export function allowSignal(scope: IConstruct, role: iam.IRole, sid: string): void {
  role.addToPrincipalPolicy(
    new iam.PolicyStatement({
      sid,
      actions: ['cloudformation:SignalResource'],
      resources: [Stack.of(scope).stackId],
    }),
  );
}
