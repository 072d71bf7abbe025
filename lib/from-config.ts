import { Duration, aws_ec2 as ec2, aws_route53 as route53, Size } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import {
  CapacityPlatform,
  CapacityReservation,
  type GridNetwork,
  type GridNetworkProps,
  type GridScratchOptions,
  type IHostImage,
  LustreSoftware,
  NatKind,
  type SasGridClusterProps,
  ScratchFileSystem,
  type SlotVolume,
  StandbyServers,
  ThroughputPerCore,
} from '../constructs';
import { ConfigError } from './config';
import type {
  ClientSoftwareConfig,
  GridConfig,
  HostedZoneConfig,
  ImageConfig,
  NetworkConfig,
  SoftwareConfig,
  VolumeConfig,
} from './config-types';

/** What of the constructs' properties a configuration decides. */
type Decided<Props, Wired extends keyof Props> = Omit<Props, Wired>;

// Where no image is named, the newest Amazon Linux 2023 image: it is in every region and needs no look-up. It carries
// the SSM agent, but neither Lustre nor SAS.
const AMAZON_LINUX_2023 = '/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64';

const NAT_KINDS: Record<NonNullable<NetworkConfig['nat']>, NatKind> = {
  gateway: NatKind.GATEWAY,
  instance: NatKind.INSTANCE,
  none: NatKind.NONE,
};

export function networkProps(config: NetworkConfig = {}): GridNetworkProps {
  const { nat, natInstanceType, natAmiId, ...same } = config;
  return {
    ...same,
    nat: nat ? NAT_KINDS[nat] : undefined,
    natInstanceType: natInstanceType ? new ec2.InstanceType(natInstanceType) : undefined,
    natMachineImage: natAmiId ? new FixedImage(natAmiId) : undefined,
  };
}

export function lustreSoftware(config?: SoftwareConfig | ClientSoftwareConfig): LustreSoftware {
  switch (config?.kind) {
    case 'repository': {
      const { kind: _, ...repository } = config;
      return LustreSoftware.repository(repository);
    }
    case 'distribution':
      return LustreSoftware.distribution();
    default:
      return LustreSoftware.preinstalled();
  }
}

export function gridProps(
  scope: Construct,
  config: GridConfig,
  network: GridNetwork,
  built?: IHostImage,
): Decided<SasGridClusterProps, 'network' | 'sharedFileSystem' | 'alarmTopic'> {
  return {
    nodeCount: config.nodes,
    nodeInstanceType: new ec2.InstanceType(config.instanceType),
    controlInstanceType: config.controlServerInstanceType
      ? new ec2.InstanceType(config.controlServerInstanceType)
      : undefined,
    capacityReservation: capacityReservation(config.capacityReservation),
    machineImage: image(config.image, built),
    rootDeviceName: rootDevice(config.image),
    plannedNodeCount: config.plannedNodes,
    terminationProtection: config.terminationProtection,
    ephemeralScratch: config.scratch?.enabled,
    scratch: scratchOptions(config),
    cleanUpScratchAfter: duration(config.cleanUpScratchAfterHours),
    mountPoint: config.mountPoint,
    sasUid: config.sasUid,
    sasGid: config.sasGid,
    additionalPorts: config.additionalPorts,
    sharedThroughput: perCore(config.sharedMBpsPerCore),
    temporaryThroughput: perCore(config.temporaryMBpsPerCore),
    failOnShortfall: config.failOnShortfall,
    subnet: config.inPublicSubnet ? network.publicSubnets[0] : undefined,
    domainName: config.domainName,
    hostedZone: hostedZone(scope, 'GridZone', config.hostedZone),
  };
}

/** A zone that exists, by what Route 53 shows of it. */
export const hostedZone = (
  scope: Construct,
  id: string,
  config?: HostedZoneConfig,
): route53.IHostedZone | undefined =>
  config &&
  route53.HostedZone.fromHostedZoneAttributes(scope, id, { hostedZoneId: config.id, zoneName: config.name });

export const duration = (hours?: number): Duration | undefined =>
  hours === undefined ? undefined : Duration.hours(hours);

const perCore = (mbps?: number): ThroughputPerCore | undefined =>
  mbps === undefined ? undefined : ThroughputPerCore.mbps(mbps);

export function scratchOptions({ scratch }: Pick<GridConfig, 'scratch'>): GridScratchOptions | undefined {
  if (!scratch) return undefined;
  const { saswork, utilloc, chunkKiB, readAheadKiB, fileSystem } = scratch;
  return {
    split: saswork && utilloc ? { saswork, utilloc } : undefined,
    chunk: chunkKiB ? Size.kibibytes(chunkKiB) : undefined,
    readAhead: readAheadKiB ? Size.kibibytes(readAheadKiB) : undefined,
    fileSystem: fileSystem === 'ext4' ? ScratchFileSystem.EXT4 : ScratchFileSystem.XFS,
  };
}

/** Amazon Linux, which is used where no image is named, calls its root device otherwise than RHEL does. */
export const rootDevice = (config?: ImageConfig): string | undefined => (config ? undefined : '/dev/xvda');

const PLATFORMS: { readonly [text: string]: CapacityPlatform } = {
  make: CapacityPlatform.LINUX,
  'make-rhel': CapacityPlatform.RED_HAT,
};

export function capacityReservation(text?: string): CapacityReservation | undefined {
  if (text === undefined) return undefined;
  const platform = PLATFORMS[text];
  if (platform !== undefined) return CapacityReservation.create({ platform });
  return text.startsWith('cr-')
    ? CapacityReservation.existing(text)
    : CapacityReservation.resourceGroup(text);
}

export const instanceTypes = (names?: string[]): ec2.InstanceType[] | undefined =>
  names?.map((name) => new ec2.InstanceType(name));

export const standby = (hotSpares = 0): StandbyServers | undefined =>
  hotSpares > 0 ? StandbyServers.hotSpare(hotSpares) : undefined;

export function slotVolume(volume: VolumeConfig): SlotVolume {
  return {
    volumeType: volume.type as ec2.EbsDeviceVolumeType,
    size: Size.gibibytes(volume.sizeGiB),
    iops: volume.iops,
    throughputMiBps: volume.throughputMiBps,
  };
}

/** @param built what is built for these hosts, where the configuration says `build` */
export function image(config?: ImageConfig, built?: IHostImage): ec2.IMachineImage {
  if (config?.amiId) return fixedImage(config.amiId);
  if (config?.build) return built ?? refuseBuild();
  return ec2.MachineImage.fromSsmParameter(config?.ssmParameter ?? AMAZON_LINUX_2023);
}

function refuseBuild(): never {
  throw new ConfigError(
    'image.build needs a network of the deployment, to build in: here the network exists already. Build the image ' +
      'beside a deployment that has one, and name it as image.amiId.',
  );
}

export const fixedImage = (imageId: string): ec2.IMachineImage => new FixedImage(imageId);

/** An image by its id in the region that is deployed to, whichever that is. */
class FixedImage implements ec2.IMachineImage {
  public constructor(private readonly imageId: string) {}

  public getImage(): ec2.MachineImageConfig {
    return {
      imageId: this.imageId,
      osType: ec2.OperatingSystemType.LINUX,
      userData: ec2.UserData.forLinux(),
    };
  }
}
