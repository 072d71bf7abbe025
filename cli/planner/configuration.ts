import { instanceTypeFacts } from '../../constructs/sizing/instance-types';
import { IO2_VOLUME_MBPS } from '../../constructs/sizing/io2-block-express';
import { type Design, mbpsText, type Need, thousands, usdText } from '../../constructs/sizing/plan';
import { keySchema } from '../../lib/config-schema';
import type { DeploymentConfig, FsxLustreConfig } from '../../lib/config-types';
import type { FileSystemKey } from '../../lib/file-systems/keys';
import { type Plain, yamlComment, yamlOf } from './yaml';

/** A design as `cdk deploy` takes it. */
export interface PlannedConfiguration {
  /** The deployment: its file is config/<name>.yaml. */
  readonly name: string;
  readonly config: DeploymentConfig;
  /** What the file says: the same with a comment on where it comes from. */
  readonly yaml: string;
}

const MOST_NODES = keySchema('grid.nodes').maximum!;
const LEAST_IO2_MBPS = keySchema('io2.throughputMBps').minimum!;
const WISH_MBPS = keySchema('grid.sharedMBpsPerCore');
const LEAST_WISH_MBPS = WISH_MBPS.minimum!;
const MOST_WISH_MBPS = WISH_MBPS.maximum!;
const REGION = new RegExp(keySchema('region').pattern!);
const INSTANCE_TYPE = new RegExp(keySchema('grid.instanceType').pattern!);

const MOUNT_POINT = '/sasdata';

// As in the reference deployments: the private subnet has room for 128 servers and 100 nodes.
const NETWORK = {
  vpcCidr: '172.16.0.0/20',
  publicSubnetCidr: '172.16.0.0/22',
  privateSubnetCidr: '172.16.4.0/24',
  nat: 'gateway',
} as const;

/** The parts of a configuration that a design decides. */
type Parts = Pick<DeploymentConfig, FileSystemKey | 'grid'>;

/** How each kind of storage is written; a kind that is not here has no reference deployment. */
const WRITERS: { readonly [kind: string]: (design: Design, need: Need) => Parts | string } = {
  lustre,
  'fsx-lustre': fsxLustre,
  nfs,
  xfs: io2,
  gfs2: io2,
};

/** What a library has a construct for, but the reference application no deployment. */
const CONSTRUCTS: { readonly [kind: string]: string } = {
  'fsx-openzfs': 'FsxOpenZfs',
  'fsx-ontap': 'FsxOntap',
  efs: 'EfsSharedFileSystem',
};

/**
 * Turns a design into the configuration of a deployment.
 *
 * @returns one sentence when there is none: what stands in the way, and what to do
 */
export function configurationOf(design: Design, need: Need): PlannedConfiguration | string {
  const parts = whyNoConfiguration(design, need) ?? WRITERS[design.storage!.kind]!(design, need);
  if (typeof parts === 'string') return parts;
  const name = `planned-${design.id}`;
  const config: DeploymentConfig = {
    description: `SAS Grid as planned, ${need.nodes} x ${need.nodeType}, ${design.title}`,
    region: need.region,
    network: NETWORK,
    ...parts,
  };
  const yaml = `${yamlComment(comment(name, design, need))}${yamlOf(config as unknown as { [key: string]: Plain })}`;
  return { name, config, yaml };
}

function whyNoConfiguration({ title, feasible, reason, storage }: Design, need: Need): string | undefined {
  if (!feasible || !storage) return reason ?? `${title} is not feasible.`;
  if (!(storage.kind in WRITERS)) {
    const construct = CONSTRUCTS[storage.kind];
    return (
      'There is no reference deployment with ' +
      `${title}.${construct ? ` The library has a construct for it: ${construct}.` : ''}`
    );
  }
  if (need.nodeType === undefined) return 'A configuration names the type of the nodes: give it.';
  if (!INSTANCE_TYPE.test(need.nodeType)) {
    return `'${need.nodeType}' is not the name of an instance type such as i4i.8xlarge.`;
  }
  if (need.nodes > MOST_NODES) {
    return `A configuration has at most ${MOST_NODES} nodes; there are ${thousands(need.nodes)}.`;
  }
  if (need.sharedMBpsPerCore > MOST_WISH_MBPS) {
    return (
      `A configuration wants at most ${thousands(MOST_WISH_MBPS)} MB/s for each core; ` +
      `${thousands(need.sharedMBpsPerCore)} are wanted.`
    );
  }
  if (!REGION.test(need.region)) return `'${need.region}' is not the name of a region such as eu-west-1.`;
  // The reference deployments start from images for x86-64, which is also what SAS 9.4 is made for.
  if (instanceTypeFacts(need.nodeType)?.architecture === 'arm64') {
    return `The reference deployments start from images for x86-64; ${need.nodeType} is ARM.`;
  }
  return undefined;
}

function grid({ nodes, nodeType, sharedMBpsPerCore, temporaryMBpsPerCore }: Need): Parts['grid'] {
  return {
    nodes,
    instanceType: nodeType!,
    mountPoint: MOUNT_POINT,
    sharedMBpsPerCore: unlessTooSmall(sharedMBpsPerCore),
    temporaryMBpsPerCore: unlessTooSmall(temporaryMBpsPerCore),
  };
}

/** Synthesis compares the storage with it, and the benchmark judges by it. A configuration has no wish below 1. */
const unlessTooSmall = (mbps: number): number | undefined => (mbps < LEAST_WISH_MBPS ? undefined : mbps);

function lustre({ storage }: Design, need: Need): Parts | string {
  const { servers, serverType, devices } = storage!;
  const { count, type, sizeGiB, iops, throughputMiBps } = devices[0]!;
  if (type === 'instance-store') {
    return 'There is no reference deployment of Lustre on instance store: the servers of IntelLustre have volumes.';
  }
  return {
    storage: {
      preset: 'current',
      fileSystemName: 'sasfs',
      oss: {
        count: servers,
        instanceType: serverType,
        volumesPerServer: count,
        volume: { type: type as 'gp3' | 'io2', sizeGiB: sizeGiB!, iops, throughputMiBps },
      },
    },
    grid: grid(need),
  };
}

// Amazon Linux, from which the hosts start where no image is named, has the client in its own repository.
function fsxLustre({ id, storage, capacityTB }: Design, need: Need): Parts {
  const throughputMBps = storage!.provisionedMBps!;
  const tier = /^fsx-lustre-ssd-(\d+)$/.exec(id)?.[1];
  const software = { kind: 'distribution' } as const;
  return {
    fsxLustre: tier
      ? {
          ssd: {
            capacityGiB: Math.round((capacityTB! * 1e12) / 2 ** 30),
            throughputPerTiB: Number(tier) as NonNullable<FsxLustreConfig['ssd']>['throughputPerTiB'],
          },
          software,
        }
      : { intelligentTiering: { throughputMBps }, software },
    grid: grid(need),
  };
}

function nfs({ storage }: Design, need: Need): Parts {
  const { serverType, devices } = storage!;
  const { count, type, sizeGiB, iops, throughputMiBps } = devices[0]!;
  const expectedClients = need.clients;
  if (type === 'instance-store') {
    const dataLossAcceptableBecause = 'the plan asks for scratch space, which may be lost with its server';
    return {
      nfs: { instanceStore: { dataLossAcceptableBecause, instanceType: serverType }, expectedClients },
      grid: grid(need),
    };
  }
  return {
    nfs: {
      ebs: {
        volume: { type: type as 'gp3' | 'st1', sizeGiB: sizeGiB!, iops, throughputMiBps },
        volumeCount: count,
        instanceType: serverType,
        backup: { everyHours: 24, retentionDays: 14 },
      },
      expectedClients,
    },
    grid: grid(need),
  };
}

/** The nodes have the volumes, as many as the throughput needs. */
function io2({ storage }: Design, need: Need): Parts | string {
  const { count, sizeGiB } = storage!.devices[0]!;
  const throughputMBps = Math.max(LEAST_IO2_MBPS, Math.ceil(need.sharedMBps));
  if (count > Math.max(1, Math.ceil(throughputMBps / IO2_VOLUME_MBPS))) {
    return (
      `The deployment makes as few volumes as deliver the throughput; the capacity needs ${count}. Ask for more ` +
      'MB/s, or for less capacity.'
    );
  }
  return {
    io2: {
      nodes: need.nodes,
      sizeGiB: count * sizeGiB!,
      throughputMBps,
      instanceType: need.nodeType,
      mountPoint: MOUNT_POINT,
    },
  };
}

function comment(name: string, { title, mixedMBps, cost, storage }: Design, need: Need): string[] {
  const { nodes, nodeType, sharedMBpsPerCore, sharedMBps, capacityTB, readShare } = need;
  const usd = cost?.usd === undefined ? 'a price that is not known in full' : `${usdText(cost.usd)} a month`;
  return [
    `Made by the storage planner: ${title}.`,
    `Wanted: ${nodes} x ${nodeType} with ${sharedMBpsPerCore} MB/s of shared space for each core, which is ` +
      `${mbpsText(sharedMBps)},`,
    `${Math.round(readShare * 100)} % of it read, and ${capacityTB} TB.`,
    `Predicted: ${mbpsText(mixedMBps ?? 0)}, for ${usd} in ${need.region} (list prices, the storage alone).`,
    ...(storage!.servers === 0 && ['xfs', 'gfs2'].includes(storage!.kind)
      ? ['The nodes have the volumes; there is no control server.']
      : [`The grid has a control server besides its nodes, of the same type where nothing else is named.`]),
    ...(storage!.kind === 'lustre'
      ? ['For an account name storage.image, which has to have the Lustre servers.']
      : []),
    `See in README.md what you can decide, then: make deploy DEPLOYMENT=${name}`,
  ];
}
