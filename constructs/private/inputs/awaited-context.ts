import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

// What the CDK puts in the place of an answer that it does not have yet: a parameter of Systems Manager, Availability
// Zones, and the range of a VPC's subnets (aws-cdk-lib 2.276: StringParameter.valueFromLookup, Stack.availabilityZones,
// Vpc.fromLookup).
const PLACEHOLDER = /dummy-value-for-|^dummy-?\d[a-z]$|^1\.2\.3\.4\/5$/;

/** Whether a text stands for what a look-up has not answered yet. Nothing may judge it. */
export function isPlaceholder(value: unknown): boolean {
  return typeof value === 'string' && PLACEHOLDER.test(value);
}

/**
 * Whether a look-up of the app has no answer yet. Then this synthesis is not for a deployment: it only tells the CDK's
 * command what to look up, and lists, numbers and texts made of the answers may be anything.
 */
export function awaitsContext(scope: IConstruct | undefined): boolean {
  if (!scope) return false;
  return scope.node.root.node.findAll().some((each) => {
    // The public way is the manifest of the cloud assembly, which is only there when all constructs are made.
    const missing: unknown = Stack.isStack(each) && Reflect.get(each, '_missingContext');
    return Array.isArray(missing) && missing.length > 0;
  });
}
