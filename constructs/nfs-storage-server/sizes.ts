import { Annotations, type Size, SizeRoundingBehavior } from 'aws-cdk-lib';
import { InstanceType } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { warnOfBandwidth } from '../private/server-bandwidth';
import { invalid, isConcrete, requireInteger } from '../private/validation';
import {
  beyondOneNfsServer,
  chooseNfsServer,
  type InstanceStore,
  instanceTypeFacts,
  NFS_SERVER_LIMITS,
  type NfsServerLoad,
  sustainedServerMBps,
  sustainedVolumeMBps,
  typesWithInstanceStore,
} from '../sizing';
import type { SlotVolume } from '../volume-reattachment';
import { NfsPreset } from './presets';
import type { EbsNfsStorageProps, InstanceStoreNfsStorageProps } from './storage';

const GIB_PER_TIB = 1024;
const BYTES_PER_TIB = 1024 ** 4;
const MOST_VOLUMES = 37;
const MOST_DISKS = 24;
const MOST_MBPS = 25_000;
// More than any type costs: a price beyond is one in another unit.
const MOST_USD = 1000;

/** The server and its volumes. */
export interface EbsServer {
  readonly instanceType: InstanceType;
  readonly volumes: SlotVolume[];
  readonly load: NfsServerLoad;
}

/** What the volumes are, and which type serves them. */
export function ebsServer(scope: IConstruct, props: EbsNfsStorageProps): EbsServer {
  const fix = 'Use fewer, larger volumes if there are too many.';
  requireInteger(scope, 'volumeCount', props.volumeCount, 1, MOST_VOLUMES, fix);
  checkThroughput(scope, props.throughputMBps);
  const preset = props.preset ?? NfsPreset.current();
  const volume = props.volume ?? preset.volume;
  const volumes = Array.from({ length: props.volumeCount ?? 1 }, () => volume);
  const sizeGiB = wholeGibibytes(scope, volume.size);
  const one = sustainedVolumeMBps({
    type: volume.volumeType,
    sizeGiB,
    iops: isConcrete(volume.iops) ? volume.iops : undefined,
    throughputMiBps: isConcrete(volume.throughputMiBps) ? volume.throughputMiBps : undefined,
  });
  const delivered = one === undefined ? undefined : one * volumes.length;
  const instanceType = props.instanceType ?? chosen(scope, props, preset, delivered);
  const asked = isConcrete(props.throughputMBps) ? props.throughputMBps : undefined;
  warnIfLess(scope, 'nfsVolumesTooSlow', 'The volumes deliver', delivered, asked);
  warnOfServer(scope, instanceType, asked, true);
  warnOfBandwidth(scope, 'the server', instanceType, volumes, ['server-network']);
  return {
    instanceType,
    volumes,
    load: {
      capacityTiB: sizeGiB === undefined ? undefined : (sizeGiB * volumes.length) / GIB_PER_TIB,
      throughputMBps: asked ?? delivered,
    },
  };
}

function chosen(
  scope: IConstruct,
  props: EbsNfsStorageProps,
  preset: NfsPreset,
  delivered: number | undefined,
): InstanceType {
  const ownVolumes = props.volume !== undefined || props.volumeCount !== undefined;
  const asked = isConcrete(props.throughputMBps) ? props.throughputMBps : undefined;
  if (asked === undefined && (!ownVolumes || delivered === undefined)) return preset.instanceType;
  // Unasked, a server is never larger than the paper's limit for one: beyond it the advice is Lustre, not a larger
  // server.
  const throughputMBps = asked ?? Math.min(delivered!, NFS_SERVER_LIMITS.throughputMBps);
  return new InstanceType(typeWith(scope, { throughputMBps }));
}

function typeWith(scope: IConstruct, wish: { throughputMBps: number; instanceStoreGB?: number }): string {
  const { type, mostMBps, mostInstanceStoreGB } = chooseNfsServer(wish);
  if (type) return type;
  const tooFast = wish.throughputMBps > mostMBps;
  throw invalid(
    scope,
    tooFast ? 'throughputMBps' : 'capacity in GB',
    tooFast ? wish.throughputMBps : wish.instanceStoreGB,
    `up to ${tooFast ? mostMBps : mostInstanceStoreGB}, what the largest type has that this library chooses from`,
    'Name the instanceType yourself, or use IntelLustre, which grows with its servers.',
  );
}

function checkThroughput(scope: IConstruct, value: number | undefined): void {
  if (!isConcrete(value) || (value! > 0 && value! <= MOST_MBPS)) return;
  const fix = 'It is in MB/s: 10^6 bytes a second.';
  throw invalid(scope, 'throughputMBps', value, `above 0, up to ${MOST_MBPS}`, fix);
}

function warnOfServer(
  scope: IConstruct,
  instanceType: InstanceType,
  asked: number | undefined,
  withVolumes: boolean,
): void {
  const name = instanceType.toString();
  const facts = isConcrete(name) ? instanceTypeFacts(name) : undefined;
  const most = facts && sustainedServerMBps(facts, withVolumes);
  warnIfLess(scope, 'nfsServerTooSlow', `A server of type ${name} passes on`, most, asked);
}

function warnIfLess(
  scope: IConstruct,
  id: string,
  who: string,
  has: number | undefined,
  asked: number | undefined,
): void {
  if (has === undefined || asked === undefined || has >= asked) return;
  Annotations.of(scope).addWarningV2(
    `cdk-sas-grid:${id}`,
    `${who} ${Math.floor(has)} MB/s all day; asked for are ${asked} MB/s.`,
  );
}

/** The server and its disks. */
export interface LocalServer {
  readonly instanceType: InstanceType;
  readonly store: InstanceStore;
  readonly load: NfsServerLoad;
}

// The Medium preset's, in the disks' units.
const DEFAULT_CAPACITY_GB = 5000;

/** Which type has the disks. */
export function localServer(scope: IConstruct, props: InstanceStoreNfsStorageProps): LocalServer {
  checkThroughput(scope, props.throughputMBps);
  checkPrice(scope, props.spot?.maxPriceUsd);
  const asked = isConcrete(props.throughputMBps) ? props.throughputMBps : undefined;
  const instanceType =
    props.instanceType ??
    new InstanceType(
      typeWith(scope, { throughputMBps: asked ?? 0, instanceStoreGB: capacityGB(scope, props.capacity) }),
    );
  const store = instanceStore(scope, instanceType, props);
  const storeGB = store.disks * store.diskSizeGB;
  warnOfServer(scope, instanceType, asked, false);
  if (props.instanceType && props.capacity && capacityGB(scope, props.capacity) > storeGB) {
    throw invalid(
      scope,
      'capacity in GB',
      capacityGB(scope, props.capacity),
      `up to ${storeGB}, what ${instanceType.toString()} has`,
      'Name a larger type, or none and it is chosen.',
    );
  }
  return {
    instanceType,
    store,
    load: { capacityTiB: (storeGB * 1e9) / BYTES_PER_TIB, throughputMBps: asked },
  };
}

function checkPrice(scope: IConstruct, price: number | undefined): void {
  if (!isConcrete(price) || (price! > 0 && price! <= MOST_USD)) return;
  const fix = 'Leave it out for the On-Demand price.';
  throw invalid(scope, 'spot.maxPriceUsd', price, `above 0, up to ${MOST_USD} USD an hour`, fix);
}

function capacityGB(scope: IConstruct, capacity: Size | undefined): number {
  if (capacity === undefined) return DEFAULT_CAPACITY_GB;
  const bytes = capacity.toKibibytes({ rounding: SizeRoundingBehavior.NONE }) * 1024;
  if (bytes > 0) return Math.round(bytes / 1e7) / 100;
  throw invalid(scope, 'capacity', '0', 'more than nothing', 'Leave it out for 5 TB.');
}

function instanceStore(
  scope: IConstruct,
  instanceType: InstanceType,
  { instanceStore: declared }: InstanceStoreNfsStorageProps,
): InstanceStore {
  if (declared) {
    const fix = 'Name the number of disks of the server.';
    requireInteger(scope, 'instanceStore.count', declared.count, 1, MOST_DISKS, fix);
    const bytes = declared.size.toKibibytes({ rounding: SizeRoundingBehavior.NONE }) * 1024;
    const kind = (declared.nvme ?? true) ? 'nvme-ssd' : 'ssd';
    return { disks: declared.count, diskSizeGB: Math.round(bytes / 1e9), kind };
  }
  const name = instanceType.toString();
  const facts = isConcrete(name) ? instanceTypeFacts(name) : undefined;
  if (facts?.instanceStore) return facts.instanceStore;
  throw invalid(
    scope,
    'Instance type of an NFS server with instance store',
    name,
    `a type with instance store, such as ${typesWithInstanceStore(isConcrete(name) ? name : undefined).join(', ')}`,
    facts
      ? 'This type has none: choose one of these, or use NfsStorage.ebs().'
      : 'This type is not in the table of this library: when it has instance store, name its disks with instanceStore.',
  );
}

/** Says so when another file system would serve better. */
export function adviseOtherFileSystem(scope: IConstruct, load: NfsServerLoad): void {
  const reasons = beyondOneNfsServer(load);
  if (reasons.length === 0) return;
  Annotations.of(scope).addWarningV2(
    'cdk-sas-grid:lustreInstead',
    `One NFS server is for up to ${NFS_SERVER_LIMITS.capacityTiB} TiB, 1 GB/s and ${NFS_SERVER_LIMITS.clients} ` +
      `clients (SAS/Intel paper 003), but ${reasons.join(', and ')}. Use IntelLustre, whose throughput grows with ` +
      'its servers.',
  );
}

function wholeGibibytes(scope: IConstruct, size: Size): number | undefined {
  if (size.isUnresolved()) return undefined;
  const gibibytes = size.toGibibytes({ rounding: SizeRoundingBehavior.NONE });
  if (Number.isInteger(gibibytes)) return gibibytes;
  const fix = 'EBS counts whole GiB.';
  throw invalid(scope, 'volume.size in GiB', gibibytes, 'a whole number', fix);
}
