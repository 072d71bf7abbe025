import { CfnOutput, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { type GridNetwork, type ISharedFileSystem, SasGridCluster } from '../constructs';
import type { GridConfig } from './config-types';
import { gridProps } from './from-config';

export interface GridStackProps extends StackProps {
  readonly network: GridNetwork;
  readonly sharedFileSystem: ISharedFileSystem;
  readonly grid: GridConfig;
  readonly alarmTopic?: ITopic;
}

/** The SAS grid itself: control server and nodes. */
export class GridStack extends Stack {
  public readonly cluster: SasGridCluster;

  public constructor(scope: Construct, id: string, props: GridStackProps) {
    super(scope, id, props);
    this.cluster = new SasGridCluster(this, 'Grid', {
      network: props.network,
      sharedFileSystem: props.sharedFileSystem,
      alarmTopic: props.alarmTopic,
      ...gridProps(this, props.grid, props.network),
    });
    if (props.grid.terminationProtection === false) {
      Validations.of(this).acknowledge({
        id: 'AwsSolutions-EC29',
        reason:
          'The configuration turns termination protection off, which has to be done before the grid can be deleted.',
      });
    }
    new CfnOutput(this, 'Hosts', {
      value: this.toJsonString(this.cluster.hosts),
      description: 'Addresses of the control server and the nodes by name',
    });
  }
}
