import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { GridNetwork } from '../constructs';
import type { NetworkConfig } from './config-types';
import { networkProps } from './from-config';

export interface NetworkStackProps extends StackProps {
  readonly network?: NetworkConfig;
}

/** The network that a deployment stands on. */
export class NetworkStack extends Stack {
  public readonly network: GridNetwork;

  public constructor(scope: Construct, id: string, props: NetworkStackProps) {
    super(scope, id, props);
    this.network = new GridNetwork(this, 'Network', networkProps(props.network));
  }
}
