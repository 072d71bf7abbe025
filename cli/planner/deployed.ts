import {
  LUSTRE_CURRENT,
  LUSTRE_PAPERS_2015,
  type LustreTierNumbers,
} from '../../constructs/sizing/data/lustre-presets';
import { regionPrices } from '../../constructs/sizing/data/prices';
import { instanceTypeFacts } from '../../constructs/sizing/instance-types';
import { io2Layout } from '../../constructs/sizing/io2-block-express';
import { FSX_LUSTRE } from '../../constructs/sizing/managed-file-systems';
import {
  chooseNfsServer,
  NFS_SERVER_LIMITS,
  nfsServerSize,
  sustainedVolumeMBps,
} from '../../constructs/sizing/nfs-server';
import {
  type CostItem,
  type KnownStorage,
  PriceBook,
  type StorageDevices,
} from '../../constructs/sizing/plan';
import { DEFAULT_REGION } from '../../constructs/sizing/plan/wish';
import type {
  DeploymentConfig,
  FsxLustreConfig,
  Io2Config,
  NfsConfig,
  NfsEbsConfig,
  NfsInstanceStoreConfig,
  StorageConfig,
  TierConfig,
} from '../../lib/config-types';
import { type FileSystemKey, keyOf } from '../../lib/file-systems/keys';
import { type Hosts, hostsOf } from './hosts';

/** What a configuration deploys, as far as it decides throughput and price. */
export interface Deployed {
  readonly region: string;
  readonly storage: KnownStorage;
  /** What to ask AWS for where it runs the servers. */
  readonly managed?: string;
  readonly hosts: Hosts;
  /** Undefined: it follows the data, or it is not known. */
  readonly capacityGiB?: number;
  readonly items: readonly CostItem[];
  /** The nodes, and the control server. */
  readonly nodeItems: readonly CostItem[];
}

type Built = Pick<Deployed, 'storage' | 'managed' | 'capacityGiB' | 'items'>;

/** With whose prices, and how long instances run. */
export interface Prices {
  readonly region?: string;
  readonly hoursPerMonth?: number;
}

const HOURS_PER_MONTH = 730;
const MEDIUM = 'Medium-5TB';
const DEFAULT_STORE_GB = 5000;
const GIB_PER_GB = 1e9 / 2 ** 30;
const GB_PER_GIB = 2 ** 30 / 1e9;

/** Reads from a configuration what lib/ and the constructs make of it, without the CDK. */
export function deployedOf(config: DeploymentConfig, prices: Prices = {}): Deployed {
  const region = prices.region ?? config.region ?? DEFAULT_REGION;
  const hours = prices.hoursPerMonth ?? HOURS_PER_MONTH;
  const book = new PriceBook(regionPrices(region), hours, regionPrices(DEFAULT_REGION));
  const hosts = hostsOf(config);
  const nodeItems = [
    ...(hosts.nodeType ? [book.instances(hosts.nodes!, hosts.nodeType, 'grid nodes')] : []),
    ...(hosts.controlType ? [book.instances(1, hosts.controlType, 'control server')] : []),
  ];
  return { region, hosts, nodeItems, ...KINDS[keyOf(config).key](config, book, hosts) };
}

/** What a configuration makes of each kind of shared file system. */
const KINDS: Readonly<
  Record<FileSystemKey, (config: DeploymentConfig, book: PriceBook, hosts: Hosts) => Built>
> = {
  storage: ({ storage }, book) => ofLustre(storage!, book),
  fsxLustre: ({ fsxLustre }, book) => ofFsxLustre(fsxLustre!, book),
  nfs: ({ nfs }, book) => ofNfs(nfs!, book),
  io2: ({ io2 }, book, hosts) => ofIo2(io2!, book, hosts),
};

function ofLustre(config: StorageConfig, book: PriceBook): Built {
  const preset = config.preset === 'papers-2015' ? LUSTRE_PAPERS_2015 : LUSTRE_CURRENT;
  const oss = merged(preset.oss, config.oss);
  const { servers, serverType, volumesPerServer, volume } = oss;
  return {
    storage: { kind: 'lustre', servers, serverType, devices: [{ count: volumesPerServer, ...volume }] },
    capacityGiB: servers * volumesPerServer * volume.sizeGiB,
    items: [
      ...tierItems('OSS', oss, config.oss, book),
      ...tierItems('MGS', merged(preset.mgs, config.mgs), config.mgs, book),
      ...tierItems('MDS', merged(preset.mds, config.mds), config.mds, book),
    ],
  };
}

type Tier = Pick<LustreTierNumbers, 'servers' | 'serverType' | 'volumesPerServer'> & {
  readonly volume: NonNullable<TierConfig['volume']>;
};

function merged(preset: LustreTierNumbers, config: TierConfig = {}): Tier {
  return {
    servers: config.count ?? preset.servers,
    serverType: config.instanceType ?? preset.serverType,
    volumesPerServer: config.volumesPerServer ?? preset.volumesPerServer,
    volume: config.volume ?? preset.volume,
  };
}

function tierItems(
  name: string,
  { servers, serverType, volumesPerServer, volume }: Tier,
  { hotSpares = 0 }: TierConfig = {},
  book: PriceBook,
): CostItem[] {
  return [
    book.instances(servers, serverType, name),
    ...(hotSpares ? [book.instances(hotSpares, serverType, `${name}, hot spare`)] : []),
    book.volumes(servers * volumesPerServer, volume, name),
  ];
}

function ofNfs({ ebs, instanceStore }: NfsConfig, book: PriceBook): Built {
  return instanceStore ? ofNfsDisks(instanceStore, book) : ofNfsVolumes(ebs!, book);
}

// As ebsServer() of the construct, which a test compares with this.
function ofNfsVolumes(config: NfsEbsConfig, book: PriceBook): Built {
  const size = nfsServerSize(config.preset ?? MEDIUM)!;
  const presetVolume: StorageDevices = { count: 1, type: 'st1', sizeGiB: size.volumeGiB };
  const devices: StorageDevices = { ...(config.volume ?? presetVolume), count: config.volumeCount ?? 1 };
  const one = sustainedVolumeMBps(devices);
  const delivered = one === undefined ? undefined : one * devices.count;
  const serverType =
    config.instanceType ??
    nfsServerType(config, size.paperType, sustainedVolumeMBps(presetVolume)!, delivered);
  const { hotSpares = 0 } = config;
  return {
    storage: { kind: 'nfs', servers: 1, serverType, devices: [devices] },
    capacityGiB: devices.count * devices.sizeGiB!,
    items: [
      ...(serverType ? [book.instances(1, serverType, 'NFS server')] : [{ what: '1 x NFS server' }]),
      ...(hotSpares && serverType ? [book.instances(hotSpares, serverType, 'hot spare')] : []),
      book.volumes(devices.count, devices),
    ],
  };
}

function nfsServerType(
  { volume, volumeCount, throughputMBps: asked, papers }: NfsEbsConfig,
  paperType: string,
  presetMBps: number,
  delivered: number | undefined,
): string | undefined {
  const ownVolumes = volume !== undefined || volumeCount !== undefined;
  if (asked === undefined && (!ownVolumes || delivered === undefined)) {
    return papers ? paperType : chooseNfsServer({ throughputMBps: presetMBps }).type;
  }
  const throughputMBps = asked ?? Math.min(delivered!, NFS_SERVER_LIMITS.throughputMBps);
  return chooseNfsServer({ throughputMBps }).type;
}

function ofNfsDisks(
  { instanceType, capacityGiB, throughputMBps = 0 }: NfsInstanceStoreConfig,
  book: PriceBook,
): Built {
  const instanceStoreGB = capacityGiB === undefined ? DEFAULT_STORE_GB : capacityGiB * GB_PER_GIB;
  const serverType = instanceType ?? chooseNfsServer({ throughputMBps, instanceStoreGB }).type;
  const store = serverType === undefined ? undefined : instanceTypeFacts(serverType)?.instanceStore;
  return {
    storage: {
      kind: 'nfs',
      servers: 1,
      serverType,
      devices: [{ count: store?.disks ?? 0, type: 'instance-store' }],
    },
    capacityGiB: store && store.disks * store.diskSizeGB * GIB_PER_GB,
    items: [serverType ? book.instances(1, serverType, 'NFS server') : { what: '1 x NFS server' }],
  };
}

function ofIo2(config: Io2Config, book: PriceBook, { nodes = 1, nodeType }: Hosts): Built {
  const facts = nodeType === undefined ? undefined : instanceTypeFacts(nodeType);
  const throughputMBps = config.throughputMBps ?? ((facts?.ebs?.maximumMbps ?? 0) / 8) * nodes;
  const { volumes, sizeGiB, iops } = io2Layout({
    throughputMBps,
    sizeGiB: config.sizeGiB,
    adjustmentPercent: config.iopsAdjustment,
  });
  const device: StorageDevices = {
    count: config.existingVolumes?.length ?? volumes,
    type: 'io2',
    sizeGiB,
    iops,
  };
  return {
    storage: { kind: nodes > 1 ? 'gfs2' : 'xfs', servers: 0, devices: [device] },
    capacityGiB: device.count * sizeGiB,
    items: [book.volumes(device.count, device)],
  };
}

function ofFsxLustre({ ssd, intelligentTiering: tiering }: FsxLustreConfig, book: PriceBook): Built {
  const fsx = book.managed.fsxLustre;
  const storage = (provisionedMBps: number) => ({
    kind: 'fsx-lustre',
    servers: 0,
    devices: [],
    provisionedMBps,
  });
  if (ssd) {
    const { capacityGiB, throughputPerTiB, metadataIops } = ssd;
    const price = fsx?.ssdGbMonth[throughputPerTiB];
    return {
      storage: storage((capacityGiB / 1000) * throughputPerTiB),
      managed: `PERSISTENT_2, SSD, ${capacityGiB} GiB, ${throughputPerTiB} MB/s/TiB`,
      capacityGiB,
      items: [
        { what: `${capacityGiB} GiB at ${throughputPerTiB} MB/s/TiB`, usd: price && price * capacityGiB },
        // Up to a number that goes with the capacity they cost nothing; from where on is not in the tables.
        ...(metadataIops === undefined ? [] : [{ what: `${metadataIops} metadata IOPS` }]),
      ],
    };
  }
  const { throughputMBps, metadataIops = FSX_LUSTRE.intelligentTiering.metadataIops[0] } = tiering!;
  const price = fsx?.intelligentTiering;
  return {
    storage: storage(throughputMBps),
    managed: `PERSISTENT_2, INTELLIGENT_TIERING, ${throughputMBps} MB/s, ${metadataIops} metadata IOPS`,
    items: [
      { what: `${throughputMBps} MB/s`, usd: price && throughputMBps * price.mbpsMonth },
      { what: `${metadataIops} metadata IOPS`, usd: price && metadataIops * price.metadataIopsMonth },
      { what: 'what is stored in its tiers, requests, and the read cache' },
    ],
  };
}
