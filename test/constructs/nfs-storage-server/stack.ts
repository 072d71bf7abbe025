import type { Stack } from 'aws-cdk-lib';
import { MachineImage } from 'aws-cdk-lib/aws-ec2';
import { type GridNetwork, NfsStorageServer, type NfsStorageServerProps } from '../../../constructs';
import { GridNetwork as Network } from '../../../constructs/grid-network';
import { testStack } from '../../helpers/app';

export const IMAGE = MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });

export interface NfsStack {
  readonly stack: Stack;
  readonly network: GridNetwork;
  readonly nfs: NfsStorageServer;
}

/** A network and a server in one stack; `props` may add to what is needed. */
export function nfsStack(
  props: Partial<NfsStorageServerProps> | ((stack: Stack) => Partial<NfsStorageServerProps>) = {},
): NfsStack {
  const stack = testStack();
  const network = new Network(stack, 'Network', { availabilityZone: 'us-east-1a' });
  const more = typeof props === 'function' ? props(stack) : props;
  const nfs = new NfsStorageServer(stack, 'Storage', { network, machineImage: IMAGE, ...more });
  return { stack, network, nfs };
}

/** The warnings of a stack, as text, without a synthesis. */
export function warnings(stack: Stack): string[] {
  return stack.node
    .findAll()
    .flatMap(({ node }) => node.metadata.filter(({ type }) => type === 'aws:cdk:warning'))
    .map(({ data }) => String(data));
}
