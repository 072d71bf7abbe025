import { CfnOutput, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type IHostImage, type ISharedFileSystem, SasGridCluster } from '../constructs';
import type { GridConfig } from './config-types';
import type { Surroundings } from './file-systems/made';
import { gridProps } from './from-config';

export interface GridStackProps extends StackProps, GridSurroundings {
  readonly grid: GridConfig;
  /** The image of its hosts, where one is built. */
  readonly built?: IHostImage;
}

/** What a grid stands on. */
export interface GridSurroundings extends Surroundings {
  readonly sharedFileSystem: ISharedFileSystem;
}

/** The SAS grid itself: control server and nodes. */
export class GridStack extends Stack {
  public readonly cluster: SasGridCluster;

  /** Where its hosts mount the shared file system. */
  public readonly mountPoint: string;

  public constructor(scope: Construct, id: string, props: GridStackProps) {
    super(scope, id, props);
    const { network, sharedFileSystem, alarmTopic } = props;
    this.mountPoint = props.grid.mountPoint ?? '/sasdata';
    this.cluster = addGrid(this, props.grid, { network, sharedFileSystem, alarmTopic }, props.built);
  }
}

/** The grid and its output, in any stack. */
export function addGrid(
  stack: Stack,
  config: GridConfig,
  surroundings: GridSurroundings,
  built?: IHostImage,
): SasGridCluster {
  const cluster = new SasGridCluster(stack, 'Grid', {
    ...surroundings,
    ...gridProps(stack, config, surroundings.network, built),
  });
  if (config.terminationProtection === false) {
    Validations.of(stack).acknowledge({
      id: 'AwsSolutions-EC29',
      reason:
        'The configuration turns termination protection off, which has to be done before the grid can be deleted.',
    });
  }
  new CfnOutput(stack, 'Hosts', {
    value: stack.toJsonString(cluster.hosts),
    description: 'Addresses of the control server and the nodes by name',
  });
  return cluster;
}
