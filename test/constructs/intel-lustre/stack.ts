import type { Stack } from 'aws-cdk-lib';
import { MachineImage } from 'aws-cdk-lib/aws-ec2';
import { type GridNetwork, IntelLustre, type IntelLustreProps } from '../../../constructs';
import { GridNetwork as Network } from '../../../constructs/grid-network';
import { testStack } from '../../helpers/app';

export const IMAGE = MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });

export interface LustreStack {
  readonly stack: Stack;
  readonly network: GridNetwork;
  readonly lustre: IntelLustre;
}

/** A network and a file system in one stack; `props` may add to what is needed. */
export function lustreStack(
  props: Partial<IntelLustreProps> | ((stack: Stack) => Partial<IntelLustreProps>) = {},
): LustreStack {
  const stack = testStack();
  const network = new Network(stack, 'Network');
  const more = typeof props === 'function' ? props(stack) : props;
  const lustre = new IntelLustre(stack, 'SasData', { network, machineImage: IMAGE, ...more });
  return { stack, network, lustre };
}
