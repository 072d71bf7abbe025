import type { Connections, IConnectable } from 'aws-cdk-lib/aws-ec2';
import type { HostBundle } from '../host';
import { checkArguments } from '../private/inputs/check';
import type { IMountTarget } from './shared-file-system';

/** Properties of `MountTarget`. */
export interface MountTargetProps {
  /** The host: an instance, an Auto Scaling group, or anything else that has security groups. */
  readonly host: IConnectable;

  /** The host's software. Its `userData()` must be the host's user data, or nothing is ever mounted. */
  readonly hostBundle: HostBundle;
}

/** Any host of your own as a place to mount a shared file system on. */
export class MountTarget implements IMountTarget {
  /** The security groups of the host. */
  readonly connections: Connections;

  /** The software of the host. */
  readonly hostBundle: HostBundle;

  constructor(props: MountTargetProps) {
    ({ props } = checkArguments('MountTarget', { props }));
    this.connections = props.host.connections;
    this.hostBundle = props.hostBundle;
  }
}
