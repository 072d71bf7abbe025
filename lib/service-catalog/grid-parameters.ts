import { aws_ec2 as ec2, type Stack } from 'aws-cdk-lib';
import { SasGridCluster } from '../../constructs';
import { instanceTypeFacts, interchangeableTypes } from '../../constructs/sizing';
import type { DeploymentConfig, GridConfig } from '../config-types';
import type { ProductParameter } from './parameter';

const DEFAULT_MOUNT_POINT = '/sasdata';

/** The names that images give their root devices: RHEL and its relatives, Amazon Linux and Debian. */
export const ROOT_DEVICES = ['/dev/sda1', '/dev/xvda'];

/** What of the grid is chosen at launch. */
export function gridParameters({ grid }: DeploymentConfig): ProductParameter[] {
  if (!grid) return [];
  const types = interchangeableTypes(grid.instanceType);
  return [
    ...(types.length > 1 ? [nodeType(grid, types)] : []),
    image(grid),
    rootDevice(),
    mountPoint(grid),
    protection(),
  ];
}

function nodeType({ instanceType }: GridConfig, types: string[]): ProductParameter {
  const facts = instanceTypeFacts(instanceType);
  const disks = facts?.instanceStore;
  return {
    name: 'GridInstanceType',
    group: 'Grid',
    label: 'Type of the grid hosts',
    change: 'restarts-nodes',
    definition: {
      type: 'String',
      default: instanceType,
      allowedValues: types,
      constraintDescription: 'one of the types for which the scratch space and the throughput were computed',
      description:
        'The type of the control server and the nodes.' +
        (disks ? ` Each has ${facts.cores} physical cores and ${disks.disks} disks for scratch space.` : ''),
    },
    apply: (product, { valueAsString }) => {
      for (const host of hosts(product)) {
        // A control server of another type keeps it.
        if (host.instanceType !== instanceType) continue;
        host.addPropertyOverride('InstanceType', product.resolve(valueAsString));
      }
    },
  };
}

/** No parameter of Systems Manager: its value is read again at each update, and another image means other hosts. */
function image({ image: configured }: GridConfig): ProductParameter {
  return {
    name: 'GridImage',
    group: 'Grid',
    label: 'Image of the grid hosts',
    change: 'refused',
    definition: {
      type: 'AWS::EC2::Image::Id',
      default: configured?.amiId,
      description: 'Your image with SAS installed, or one like RHEL 8 or 9 to install it on. For x86.',
    },
    configure: (config, { valueAsString }) => withGrid(config, { image: { amiId: valueAsString } }),
  };
}

function rootDevice(): ProductParameter {
  return {
    name: 'GridRootDevice',
    group: 'Grid',
    label: 'Root device of that image',
    change: 'refused',
    definition: {
      type: 'String',
      default: ROOT_DEVICES[0],
      allowedValues: ROOT_DEVICES,
      description: 'What the image calls its root device: /dev/sda1 on RHEL, /dev/xvda on Amazon Linux.',
    },
    apply: (product, { valueAsString }) => {
      for (const host of hosts(product)) {
        host.addPropertyOverride('BlockDeviceMappings.0.DeviceName', product.resolve(valueAsString));
      }
    },
  };
}

function mountPoint({ mountPoint: configured }: GridConfig): ProductParameter {
  return {
    name: 'MountPoint',
    group: 'Grid',
    label: 'Mount point of the shared file system',
    change: 'refused',
    definition: {
      type: 'String',
      default: configured ?? DEFAULT_MOUNT_POINT,
      // Not where the scratch space is.
      allowedPattern: '/(?!saswork(/|$)|utilloc(/|$))[a-z0-9_-]+(/[a-z0-9_-]+)*',
      constraintDescription: 'an absolute path such as /sasdata, outside of /saswork and /utilloc',
      description: 'Where all hosts of the grid find the shared file system.',
    },
    configure: (config, { valueAsString }) => withGrid(config, { mountPoint: valueAsString }),
  };
}

function protection(): ProductParameter {
  return {
    name: 'GridProtected',
    group: 'Operation',
    label: 'Protect the grid hosts from termination',
    change: 'in-place',
    definition: {
      type: 'String',
      default: 'true',
      allowedValues: ['true', 'false'],
      description:
        'While it is true the hosts refuse to be terminated, and so does the product: update it with false first.',
    },
    apply: (product, { valueAsString }) => {
      for (const host of hosts(product)) {
        host.addPropertyOverride('DisableApiTermination', product.resolve(valueAsString));
      }
    },
  };
}

const withGrid = (config: DeploymentConfig, grid: Partial<GridConfig>): DeploymentConfig => ({
  ...config,
  grid: config.grid && { ...config.grid, ...grid },
});

/** The hosts of the grid, and not the NAT instance. */
function hosts(product: Stack): ec2.CfnInstance[] {
  return product.node
    .findAll()
    .filter((node) => node instanceof SasGridCluster)
    .flatMap((grid) => grid.node.findAll().filter((node) => node instanceof ec2.CfnInstance));
}
