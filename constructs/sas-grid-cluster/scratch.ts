import type { InstanceType } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import { EphemeralScratch } from '../ephemeral-scratch';
import { instanceTypeFacts } from '../sizing';
import type { SasGridClusterProps } from './props';

/** The instance types of a grid. */
export interface ServerTypes {
  readonly control: InstanceType;
  readonly node: InstanceType;
}

/** Scratch on the servers' own disks, where they have one. */
export interface ServerScratch {
  readonly control?: EphemeralScratch;
  readonly node?: EphemeralScratch;
}

/** Scratch for all servers, but for a control server of another type only where that has disks of its own. */
export function scratchOf(scope: Construct, types: ServerTypes, props: SasGridClusterProps): ServerScratch {
  const { control, node } = types;
  const nodeScratch = props.ephemeralScratch ?? true;
  const controlScratch =
    props.controlEphemeralScratch ??
    (nodeScratch &&
      (control.toString() === node.toString() ||
        instanceTypeFacts(control.toString())?.instanceStore !== undefined));
  return {
    control: controlScratch ? newScratch(scope, 'ControlScratch', control, node, props) : undefined,
    node: nodeScratch ? newScratch(scope, 'NodeScratch', node, node, props) : undefined,
  };
}

function newScratch(
  scope: Construct,
  id: string,
  instanceType: InstanceType,
  nodeType: InstanceType,
  { scratch }: SasGridClusterProps,
): EphemeralScratch {
  // Declared disks are those of the nodes' type.
  const same = instanceType.toString() === nodeType.toString();
  return new EphemeralScratch(scope, id, {
    ...scratch,
    instanceType,
    instanceStore: same ? scratch?.instanceStore : undefined,
  });
}
