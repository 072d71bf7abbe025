import { CfnParameter, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Whether an image id is read from a parameter at each deployment: a newer image then means another instance. */
export function followsParameter(scope: IConstruct, imageId: string): boolean {
  const stack = Stack.of(scope);
  const id: { Ref?: string } | string = stack.resolve(imageId);
  if (typeof id === 'string') return id.includes('resolve:ssm:');
  const isNamed = (node: IConstruct): boolean =>
    node instanceof CfnParameter &&
    node.type.startsWith('AWS::SSM::') &&
    stack.resolve(node.logicalId) === id.Ref;
  return stack.node.findAll().some(isNamed);
}
