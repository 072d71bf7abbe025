import { CfnOutput, aws_ec2 as ec2, type Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Io2BlockExpressGfs2 } from '../constructs';
import type { Io2Config } from './config-types';
import { io2Props } from './io2-from-config';
import { configureHosts } from './io2-hosts';
import { describeTier, StorageStack, type StorageStackProps, type Surroundings } from './storage-stack';

export interface Io2StackProps extends StorageStackProps {
  readonly io2: Io2Config;
}

/**
 * io2 Block Express volumes and the hosts that have them, which are the grid: one server with XFS, or a cluster with
 * GFS2.
 */
export class Io2Stack extends StorageStack {
  public readonly sharedFileSystem: Io2BlockExpressGfs2;

  public constructor(scope: Construct, id: string, props: Io2StackProps) {
    super(scope, id, props);
    this.sharedFileSystem = addIo2(this, props.io2, {
      network: props.network,
      alarmTopic: this.alarmTopic,
    });
  }
}

/** The volumes, their hosts and the outputs, in any stack. */
export function addIo2(stack: Stack, config: Io2Config, surroundings: Surroundings): Io2BlockExpressGfs2 {
  const instanceType = new ec2.InstanceType(config.instanceType ?? 'r5b.12xlarge');
  const io2 = new Io2BlockExpressGfs2(stack, 'Io2', {
    ...surroundings,
    ...io2Props(stack, config),
    instanceType,
  });
  configureHosts(config, io2);
  new CfnOutput(stack, 'FileSystemType', { value: io2.fileSystemType });
  new CfnOutput(stack, 'MountPoint', {
    value: io2.mountPoint,
    description: 'Where it is mounted, on every host',
  });
  new CfnOutput(stack, 'Hosts', {
    value: stack.toJsonString(Object.fromEntries(io2.hosts.map(({ name, address }) => [name, address]))),
    description: 'Addresses of the hosts by name',
  });
  if (io2.volumeMap && io2.tier) {
    new CfnOutput(stack, 'VolumeMapTable', {
      value: io2.volumeMap.table.tableName,
      description: 'Which host has which volumes at which address',
    });
    new CfnOutput(stack, 'Tiers', {
      value: stack.toJsonString([describeTier('io2', io2.tier)]),
      description: 'The tier, its group and its workflow',
    });
  } else {
    addClusterOutputs(stack, io2);
  }
  return io2;
}

/** What an operator, and the demo, need to know of a cluster to find its nodes and volumes. */
function addClusterOutputs(stack: Stack, io2: Io2BlockExpressGfs2): void {
  new CfnOutput(stack, 'ClusterTag', {
    value: io2.clusterTag!,
    description: 'Value of the tag cdk-sas-grid:cluster, on which permissions rest',
  });
  new CfnOutput(stack, 'Nodes', {
    value: stack.toJsonString(
      io2.hosts.map(({ name, address, networkInterfaceId, autoScalingGroup }) => ({
        name,
        address,
        networkInterface: networkInterfaceId,
        group: autoScalingGroup.autoScalingGroupName,
      })),
    ),
    description: 'The nodes, their addresses and their groups',
  });
  new CfnOutput(stack, 'VolumeIds', {
    value: stack.toJsonString(io2.volumeIds),
    description: 'The shared volumes in their order',
  });
  new CfnOutput(stack, 'DeployedVolumes', {
    value: stack.toJsonString(io2.volumes),
    description: 'For io2.deployedVolumes of the configuration: what CloudFormation cannot change any more',
  });
}
