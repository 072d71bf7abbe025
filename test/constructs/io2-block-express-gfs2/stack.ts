import { Size, type Stack } from 'aws-cdk-lib';
import { InstanceType, MachineImage } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import { GridNetwork, Io2BlockExpressGfs2, type Io2BlockExpressGfs2Props } from '../../../constructs';
import { testStack } from '../../helpers/app';

const IMAGE = MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });

export interface Io2Stack {
  readonly stack: Stack;
  readonly network: GridNetwork;
  readonly fileSystem: Io2BlockExpressGfs2;
}

/** A network and a file system in a scope; `props` may add to what is needed. */
export function io2In(
  scope: Construct,
  props: Partial<Io2BlockExpressGfs2Props> = {},
): Omit<Io2Stack, 'stack'> {
  const network = new GridNetwork(scope, 'Network');
  const fileSystem = new Io2BlockExpressGfs2(scope, 'SasData', {
    network,
    machineImage: IMAGE,
    size: Size.tebibytes(10),
    ...props,
  });
  return { network, fileSystem };
}

export function io2Stack(props: Partial<Io2BlockExpressGfs2Props> = {}): Io2Stack {
  const stack = testStack();
  return { stack, ...io2In(stack, props) };
}

export const r5b = (size: string): InstanceType => new InstanceType(`r5b.${size}`);
