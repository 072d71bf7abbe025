import {
  Annotations,
  CfnOutput,
  Duration,
  aws_ec2 as ec2,
  aws_kms as kms,
  Size,
  type Stack,
} from 'aws-cdk-lib';
import { AutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import type { Construct } from 'constructs';
import {
  BenchmarkHosts,
  Gfs2Fencing,
  Gfs2OperatingSystem,
  type IHostImage,
  Io2BlockExpressGfs2,
  type Io2BlockExpressGfs2Props,
  type Io2GridOptions,
  MeasuredPath,
} from '../../constructs';
import { SHARED_SLOT } from '../../constructs/io2-block-express-gfs2/cluster-tag';
import { ConfigError } from '../config';
import type { Io2Config } from '../config-types';
import { capacityReservation, duration, image, rootDevice, scratchOptions } from '../from-config';
import { serverImage } from '../service-catalog/tier-parameters';
import type { FileSystemKind } from './kind';
import type { MadeFileSystem, Surroundings } from './made';
import { addTierOutputs } from './tiers';

/**
 * io2 Block Express volumes and the hosts that have them, which are the grid: one server with XFS, or a cluster with
 * GFS2.
 */
export const IO2_KIND: FileSystemKind = {
  add: (stack, { io2 }, surroundings, built) => addIo2(stack, io2!, surroundings, built),
  product: {
    before: ({ io2 }) =>
      serverImage(
        'io2',
        isCluster(io2!)
          ? 'RHEL 8 or 9 with the repositories for high availability and resilient storage, Debian 12, or ' +
              'Ubuntu 22.04 or newer; not Amazon Linux.'
          : 'Your image with SAS installed, or one like RHEL 8 or 9 to install it on.',
        io2?.image?.amiId,
      ),
  },
};

function addIo2(
  stack: Stack,
  config: Io2Config,
  surroundings: Surroundings,
  built?: IHostImage,
): MadeFileSystem {
  const instanceType = new ec2.InstanceType(config.instanceType ?? 'r5b.12xlarge');
  const io2 = new Io2BlockExpressGfs2(stack, 'Io2', {
    ...surroundings,
    ...io2Props(stack, config, built),
    instanceType,
  });
  io2.addGrid(gridOptions(config));
  const { tier, volumeMap, mountPoint, hosts } = io2;
  new CfnOutput(stack, 'FileSystemType', { value: io2.fileSystemType });
  new CfnOutput(stack, 'MountPoint', {
    value: mountPoint,
    description: 'Where it is mounted, on every host',
  });
  new CfnOutput(stack, 'Hosts', {
    value: stack.toJsonString(Object.fromEntries(hosts.map(({ name, address }) => [name, address]))),
    description: 'Addresses of the hosts by name',
  });
  if (volumeMap && tier) {
    addTierOutputs(
      stack,
      volumeMap,
      { io2: tier },
      {
        map: 'Which host has which volumes at which address',
        tiers: 'The tier, its group and its workflow',
      },
    );
  } else {
    addClusterOutputs(stack, io2);
  }
  return {
    fileSystem: io2,
    exports: tier ? [tier.role.roleName] : exportsOfGroups(io2),
    ownHosts: {
      count: hosts.length,
      benchmark: () => BenchmarkHosts.io2(io2),
      path: (wanted) => MeasuredPath.io2(mountPoint, { ...wanted, fileSystem: io2 }),
    },
    sleep: {
      hostsHaveUsers: true,
      ...(tier
        ? { tiers: [tier] }
        : { clusterGroups: hosts.map(({ autoScalingGroup }) => autoScalingGroup.autoScalingGroupName) }),
    },
    backup: tier
      ? { kind: 'io2', tiers: [tier], holder: tier.tier }
      : { kind: 'gfs2', tiers: [], cluster: io2, holder: SHARED_SLOT.tier },
    sizable: tier ? { tier, servers: 'server' } : { cluster: io2, servers: 'nodes' },
  };
}

function exportsOfGroups({ hosts }: Io2BlockExpressGfs2): string[] {
  const groups = hosts.map(({ autoScalingGroup }) => autoScalingGroup);
  const roles = groups.flatMap((group) => (group instanceof AutoScalingGroup ? [group.role.roleName] : []));
  return [...roles, ...groups.map(({ autoScalingGroupName }) => autoScalingGroupName)];
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

// Where no image is named for a cluster: Amazon Linux has no GFS2, and Red Hat announces no image by a public
// parameter.
const UBUNTU = '/aws/service/canonical/ubuntu/server/22.04/stable/current/amd64/hvm/ebs-gp2/ami-id';

/** Whether the configuration is one of a cluster. */
const isCluster = ({ nodes = 1 }: Io2Config): boolean => nodes > 1;

export function io2Props(
  scope: Construct,
  config: Io2Config,
  built?: IHostImage,
): Omit<Io2BlockExpressGfs2Props, keyof Surroundings> {
  return {
    ...hosts(scope, config, built),
    size: Size.gibibytes(config.sizeGiB),
    nodeCount: config.nodes,
    instanceType: config.instanceType ? new ec2.InstanceType(config.instanceType) : undefined,
    capacityReservation: capacityReservation(config.capacityReservation),
    throughputMBps: config.throughputMBps,
    iopsAdjustment: config.iopsAdjustment,
    stripe: kibibytes(config.stripeKiB),
    readAhead: kibibytes(config.readAheadKiB),
    mountPoint: config.mountPoint,
    existingVolumes: config.existingVolumes,
    restoreFrom: config.restoreFrom,
    deployedVolumes: config.deployedVolumes,
    addresses: config.addresses,
    clusterName: config.clusterName,
    nodeNamePrefix: config.nodeNamePrefix,
    fencing: config.fencing && FENCING[config.fencing],
    mountTimeout: minutes(config.mountTimeoutMinutes),
    recoveryTimeout: minutes(config.recoveryTimeoutMinutes),
    encryptionKey: config.encryptionKeyArn
      ? kms.Key.fromKeyArn(scope, 'StorageKey', config.encryptionKeyArn)
      : undefined,
  };
}

const FENCING: Record<NonNullable<Io2Config['fencing']>, Gfs2Fencing> = {
  ec2: Gfs2Fencing.EC2,
  'ec2+nvme': Gfs2Fencing.EC2_AND_NVME,
};

const SYSTEMS: Record<NonNullable<Io2Config['operatingSystem']>, Gfs2OperatingSystem> = {
  'rhel-8': Gfs2OperatingSystem.RHEL_8,
  'rhel-9': Gfs2OperatingSystem.RHEL_9,
  debian: Gfs2OperatingSystem.DEBIAN,
  ubuntu: Gfs2OperatingSystem.UBUNTU,
};

/** What the hosts start from. */
function hosts(
  scope: Construct,
  config: Io2Config,
  built?: IHostImage,
): Pick<Io2BlockExpressGfs2Props, 'machineImage' | 'rootDeviceName' | 'operatingSystem'> {
  const { image: from, operatingSystem } = config;
  if (from?.build && isCluster(config)) {
    throw new ConfigError(
      'io2.image.build is for one host: the add-ons of RHEL that a cluster needs are bought. Name an image of your ' +
        'own that has them, or leave io2.image out.',
    );
  }
  if (from || !isCluster(config)) {
    return {
      machineImage: image(from, built),
      rootDeviceName: rootDevice(from),
      operatingSystem: operatingSystem && SYSTEMS[operatingSystem],
    };
  }
  Annotations.of(scope).addWarningV2(
    'cdk-sas-grid:clusterImage',
    'io2.image names no image, so the nodes of the cluster start from Ubuntu 22.04, which has GFS2 but no SAS: ' +
      'Amazon Linux, the default elsewhere, has no GFS2. That is enough for the embedded AWS. For SAS, name an ' +
      'image of RHEL 8 or 9 that has the repositories for high availability and resilient storage, and say so in ' +
      'io2.operatingSystem.',
  );
  return {
    machineImage: ec2.MachineImage.fromSsmParameter(UBUNTU),
    operatingSystem: Gfs2OperatingSystem.UBUNTU,
  };
}

const kibibytes = (value?: number): Size | undefined => (value ? Size.kibibytes(value) : undefined);

const minutes = (value?: number): Duration | undefined =>
  value === undefined ? undefined : Duration.minutes(value);

/** What makes the hosts the nodes of a grid. */
const gridOptions = ({
  additionalPorts,
  sasUid,
  sasGid,
  scratch,
  cleanUpScratchAfterHours,
}: Io2Config): Io2GridOptions => ({
  additionalPorts,
  sasUid,
  sasGid,
  ephemeralScratch: scratch?.enabled,
  scratch: scratchOptions({ scratch }),
  cleanUpScratchAfter: duration(cleanUpScratchAfterHours),
});
