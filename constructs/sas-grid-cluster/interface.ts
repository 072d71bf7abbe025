import type { IConnectable } from 'aws-cdk-lib/aws-ec2';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IHostedZone } from 'aws-cdk-lib/aws-route53';
import type { IConstruct } from 'constructs';
import type { ThroughputPerCore } from '../throughput';
import type { GridNode } from './grid-node';

/** A SAS grid: a control server and its nodes. `SasGridCluster` is one. */
export interface ISasGridCluster extends IConstruct, IConnectable {
  /** The control server. */
  readonly control: GridNode;

  /** The grid nodes, in order. */
  readonly nodes: GridNode[];

  /** Every server of the grid: the control server, then the nodes. */
  readonly servers: GridNode[];

  /** The zone of the names, visible in the whole VPC. */
  readonly hostedZone: IHostedZone;

  /** What the servers may do in AWS. */
  readonly role: IRole;

  /**
   * What the nodes want from the shared file system.
   *
   * @default - nothing was said
   */
  readonly sharedThroughput?: ThroughputPerCore;

  /**
   * What the nodes want from temporary space.
   *
   * @default - nothing was said
   */
  readonly temporaryThroughput?: ThroughputPerCore;
}
