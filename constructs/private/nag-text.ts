import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** A value as cdk-nag writes it into the id of a finding: references in angle brackets, everything joined. */
export function nagText(scope: IConstruct, value: string): string {
  return flat(Stack.of(scope).resolve(value));
}

/** The id of cdk-nag's finding about a resource with a wildcard, whatever flags the app has for partitions. */
export function wildcardFinding(scope: IConstruct, arn: string): string {
  return `AwsSolutions-IAM5[Resource::${nagText(scope, arn)}]`;
}

function flat(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const [[name, argument]] = Object.entries(value) as [[string, unknown]];
  switch (name) {
    case 'Ref':
      return `<${String(argument)}>`;
    case 'Fn::GetAtt':
      return `<${(argument as string[]).join('.')}>`;
    case 'Fn::Join':
      return (argument as [string, unknown[]])[1].map(flat).join((argument as [string])[0]);
    default:
      return '';
  }
}
