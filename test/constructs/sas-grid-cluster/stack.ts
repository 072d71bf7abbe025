import type { Stack } from 'aws-cdk-lib';
import { MachineImage, Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Construct, type IDependable } from 'constructs';
import {
  GridNetwork,
  HostRole,
  type IMountTarget,
  type ISharedFileSystem,
  type MountOptions,
  SasGridCluster,
  type SasGridClusterProps,
} from '../../../constructs';
import { testStack } from '../../helpers/app';

export const IMAGE = MachineImage.genericLinux({ 'us-east-1': 'ami-0fedcba9876543210' });

/** A file system that the library does not know, as a later one would be: nothing in the cluster is about Lustre. */
export class OtherFileSystem extends Construct implements ISharedFileSystem {
  readonly fileSystemType = 'other';
  readonly served: IDependable;
  readonly group: SecurityGroup;

  constructor(scope: Construct, id: string, network: GridNetwork) {
    super(scope, id);
    this.group = new SecurityGroup(this, 'Group', { vpc: network.vpc, allowAllOutbound: false });
    this.served = this.group;
  }

  mountOn(target: IMountTarget, options: MountOptions): void {
    target.connections.allowTo(this.group, Port.tcp(2049), 'Other file system');
    target.hostBundle.addRole(HostRole.GRID_NODE, { OTHER_MOUNT: options.mountPoint });
  }
}

type More =
  | Partial<SasGridClusterProps>
  | ((stack: Stack, network: GridNetwork) => Partial<SasGridClusterProps>);

/** A network, a file system and a grid of three nodes in one stack; `more` adds to what is needed. */
export function gridStack(more: More = {}) {
  const stack = testStack();
  const network = new GridNetwork(stack, 'Network');
  const props = typeof more === 'function' ? more(stack, network) : more;
  const fileSystem = new OtherFileSystem(stack, 'Other', network);
  const grid = new SasGridCluster(stack, 'Grid', {
    network,
    sharedFileSystem: fileSystem,
    machineImage: IMAGE,
    nodeCount: 3,
    ...props,
  });
  return { stack, network, fileSystem, grid };
}
