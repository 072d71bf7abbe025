import type { IAutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import type { IMountTarget } from '../shared-file-system';

/** A host that has the file system. What it is for besides is added to its software. */
export interface IIo2Host extends IMountTarget {
  /** Its name: `io2-00` for the one host, `node1` and so on in a cluster. */
  readonly name: string;

  /** Its fixed private address. A token unless it was given. */
  readonly address: string;

  /** Id of the network interface that has the address. It stays when the host is replaced. */
  readonly networkInterfaceId: string;

  /** The group that keeps one instance of it. */
  readonly autoScalingGroup: IAutoScalingGroup;
}
