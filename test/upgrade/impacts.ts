import { ResourceImpact } from '@aws-cdk/cloudformation-diff';
// Of one resource: what compares templates reads their policies too, and takes no value for another.
import { diffResource } from '@aws-cdk/cloudformation-diff/lib/diff';

/** What an update of a property does to its resource, beyond a change in place. */
export type Impact = 'replaces' | 'may replace' | 'is refused' | 'restarts';

/**
 * Properties of AWS::EC2::Instance that CloudFormation changes by stopping and starting an instance with an EBS root
 * ("Some interruptions" in the template reference of AWS::EC2::Instance, read 2026-11-25).
 */
export const RESTARTING: readonly string[] = [
  'UserData',
  'InstanceType',
  'EbsOptimized',
  'KernelId',
  'RamdiskId',
];

/** "Update requires: Updates are not supported" in the template reference of AWS::EC2::Volume, read 2026-11-25. */
export const UNCHANGEABLE: Readonly<Record<string, readonly string[]>> = {
  'AWS::EC2::Volume': ['AvailabilityZone', 'Encrypted', 'KmsKeyId', 'MultiAttachEnabled', 'SnapshotId'],
};

/**
 * Whether it is a document that gets another version in place (template reference of AWS::SSM::Document, UpdateMethod,
 * read 2026-11-25).
 */
export function isVersioned(resource: { readonly Type: string }): boolean {
  const { Type, Properties } = resource as {
    readonly Type: string;
    readonly Properties?: { readonly UpdateMethod?: unknown };
  };
  return Type === 'AWS::SSM::Document' && Properties?.UpdateMethod === 'NewVersion';
}

const asked = new Map<string, Impact | undefined>();

/**
 * What a change of a property does to a resource of this type; undefined when it is changed in place. It is
 * CloudFormation's own data, as `cdk diff` has it.
 */
export function impactOf(type: string, property: string): Impact | undefined {
  const question = `${type} ${property}`;
  if (!asked.has(question)) asked.set(question, ask(type, property));
  return asked.get(question);
}

function ask(type: string, property: string): Impact | undefined {
  const having = (value: string) => ({ Type: type, Properties: { [property]: value } });
  const impact = diffResource(having('before'), having('after')).propertyUpdates[property]!.changeImpact;
  if (impact === ResourceImpact.WILL_REPLACE) return 'replaces';
  if (impact === ResourceImpact.MAY_REPLACE)
    return type === 'AWS::EC2::Instance' && RESTARTING.includes(property) ? 'restarts' : 'may replace';
  return UNCHANGEABLE[type]?.includes(property) ? 'is refused' : undefined;
}
