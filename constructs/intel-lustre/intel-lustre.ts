import { Tokenization } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { INetworkLoadBalancer } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct, DependencyGroup, type IDependable } from 'constructs';
import { HostRole } from '../host';
import { adoptedVolumes } from '../private/adopted-volumes';
import { checkArguments } from '../private/inputs/check';
import { warnOfBandwidth } from '../private/server-bandwidth';
import { invalid } from '../private/validation';
import type {
  ILustreFileSystem,
  IMountTarget,
  MountOptions,
  StorageDescription,
} from '../shared-file-system';
import { requireMountPoint } from '../shared-file-system/mount-point';
import { placementGroupSupport } from '../sizing';
import {
  type IVolumeReattachment,
  type SlotVolume,
  VolumeMap,
  VolumeReattachment,
} from '../volume-reattachment';
import { LustreBackend } from './backend';
import { ServerHost, softwareSettings, tunables } from './host-settings';
import { MonitoringPage } from './monitoring-page';
import { LustrePreset } from './preset';
import type { IntelLustreProps } from './props';
import { LustreSoftware } from './software';
import { sizedForThroughput } from './throughput';
import {
  checkClientOptions,
  objectStorageTier,
  refuseSharedAddresses,
  refuseSharedVolumes,
  requireFileSystemName,
  STORAGE_RESOURCES,
  singleTier,
  striping,
  type Tier,
} from './tiers';
import { type LustreParameter, LustreTuning } from './tuning';

// Lustre's own port, and the privileged ports that it connects from. Servers call clients back. Amazon FSx for Lustre
// User Guide, "File system access control with Amazon VPC".
const LUSTRE_PORT = ec2.Port.tcp(988);
const LUSTRE_CALLBACK_PORTS = ec2.Port.tcpRange(1018, 1023);

/**
 * A Lustre file system on EC2, after the papers' "Intel Cloud Edition for Lustre" (000, 001): a management server
 * (MGS), a metadata server (MDS) and object storage servers (OSS), each replaced by an Auto Scaling group when it
 * fails, with its volumes and its address.
 */
export class IntelLustre extends Construct implements ILustreFileSystem, ec2.IConnectable {
  /** `lustre`. */
  readonly fileSystemType = 'lustre';

  /** The name of the file system (fsname). */
  readonly fileSystemName: string;

  /** The file system underneath the targets. */
  readonly backend: LustreBackend;

  /** The network id of the management server, for example `172.16.4.10@tcp`. It stays when the server is replaced. */
  readonly mgsNid: string;

  /** What is mounted: `<mgsNid>:/<fileSystemName>`. */
  readonly mountSource: string;

  /** The management tier. */
  readonly mgs: VolumeReattachment;

  /** The metadata tier. */
  readonly mds: VolumeReattachment;

  /** The object storage tier. */
  readonly oss: VolumeReattachment;

  /** Which server owns which volumes and address. */
  readonly volumeMap: VolumeMap;

  /** Encrypts everything of the file system. */
  readonly encryptionKey: IKey;

  /** In front of the monitoring page; undefined without one. */
  readonly loadBalancer?: INetworkLoadBalancer;

  /** Address of the monitoring page; undefined without one. */
  readonly monitoringUrl?: string;

  /** The servers' security group. Its default port is Lustre's. */
  readonly connections: ec2.Connections;

  /** The management, the metadata and the object storage tier. */
  readonly tiers?: IVolumeReattachment[];

  /** What it is made of. */
  readonly storageDescription?: StorageDescription;

  /** Its name, how targets keep their data, how many targets a server has, and the volumes that were adopted. */
  readonly neverChanges?: { readonly [name: string]: unknown };

  /** What needs the file system depends on this: all three tiers serve. */
  readonly served: IDependable;

  private readonly clientSoftware: LustreSoftware;
  private readonly clientTuning: LustreParameter[];

  constructor(scope: Construct, id: string, props: IntelLustreProps) {
    ({ props } = checkArguments('IntelLustre', { scope, id, props }));
    super(scope, id);
    const preset = props.preset ?? LustrePreset.current();
    const tiers = this.sizedTiers(preset, props);
    const layout = striping(this, tiers.oss.serverCount * tiers.oss.volumesPerServer, props.striping);
    checkClientOptions(this, props);
    this.fileSystemName = props.fileSystemName ?? 'sasdata';
    requireFileSystemName(this, this.fileSystemName);
    const backend = props.backend ?? LustreBackend.LDISKFS;
    this.backend = backend;
    const software = props.software ?? LustreSoftware.preinstalled();
    refuseDistribution(this, software);
    const serverTuning = props.serverTuning ?? LustreTuning.papersServer(backend);
    this.clientSoftware = props.client?.software ?? software;
    this.clientTuning = clientParameters(props);

    this.connections = new ec2.Connections({
      securityGroups: [props.network.storageSecurityGroup],
      defaultPort: LUSTRE_PORT,
    });
    this.volumeMap = new VolumeMap(this, 'VolumeMap', { encryptionKey: props.encryptionKey });
    this.encryptionKey = this.volumeMap.encryptionKey;

    // The servers' own addresses are EC2's choice, which must not fall on one that a slot has.
    this.node.addDependency(props.network.addressesReserved);

    // The object storage tier comes last: it alone grows, and what it reserves must not shift anyone else's addresses.
    const hosts = { mgs: new ServerHost('mgs'), mds: new ServerHost('mds'), oss: new ServerHost('oss') };
    this.mgs = this.addTier('mgs', 'ManagementServer', tiers.mgs, hosts.mgs, props);
    this.mds = this.addTier('mds', 'MetadataServer', tiers.mds, hosts.mds, props);
    this.oss = this.addTier('oss', 'ObjectStorageServers', tiers.oss, hosts.oss, props);
    this.nameAddresses(tiers, props.network);
    this.served = new DependencyGroup(this.mgs.served, this.mds.served, this.oss.served);
    this.tiers = [this.mgs, this.mds, this.oss];
    this.storageDescription = { kind: 'lustre', servers: this.oss.slots.length, ...this.oss._server };
    this.neverChanges = this.identity();

    const managementAddress = this.mgs.slots[0]!.address;
    this.mgsNid = `${managementAddress}@tcp`;
    this.mountSource = `${this.mgsNid}:/${this.fileSystemName}`;
    const monitoring = props.monitoring?.enabled ?? true;
    const common = { fileSystemName: this.fileSystemName, mgsNid: this.mgsNid, backend, software };
    hosts.mgs.configure(common, tiers.mgs.volumesPerServer, []);
    hosts.mgs.manage({ monitoring, ...layout });
    hosts.mds.configure(common, tiers.mds.volumesPerServer, []);
    hosts.oss.configure(common, tiers.oss.volumesPerServer, serverTuning);
    if (monitoring) {
      const page = new MonitoringPage(this, 'MonitoringPage', {
        ...props.monitoring,
        network: props.network,
        address: managementAddress,
      });
      this.loadBalancer = page.loadBalancer;
      this.monitoringUrl = page.url;
    }
  }

  /** The command that mounts the file system by hand, for documents and outputs. */
  mountCommand(mountPoint: string): string {
    ({ mountPoint } = checkArguments('IntelLustre#mountCommand', { mountPoint }, this));
    requireMountPoint(this, 'The mount point', mountPoint);
    return `mount -t lustre -o flock ${this.mountSource} ${mountPoint}`;
  }

  /**
   * Mounts the file system on a host at every start, with `flock` (SAS locks its libraries) and the clients'
   * parameters.
   *
   * @param target the host
   * @param options where to mount it
   * @throws when the mount point is not an absolute path, or when the host already mounts another Lustre file system
   */
  mountOn(target: IMountTarget, options: MountOptions): void {
    ({ target, options } = checkArguments('IntelLustre#mountOn', { target, options }, this));
    requireMountPoint(this, 'The mount point', options.mountPoint);
    for (const port of [LUSTRE_PORT, LUSTRE_CALLBACK_PORTS]) {
      target.connections.allowTo(this, port, 'Lustre client to servers');
      target.connections.allowFrom(this, port, 'Lustre servers to client');
    }
    target.hostBundle.addRole(HostRole.LUSTRE_CLIENT, {
      FSNAME: this.fileSystemName,
      MGS_NID: this.mgsNid,
      MOUNT_POINT: options.mountPoint,
      MOUNT_OPTIONS: options.readOnly ? 'flock,ro' : 'flock',
      TUNABLES: tunables(this.clientTuning),
      ...softwareSettings(this.clientSoftware),
    });
  }

  private nameAddresses(
    tiers: { mgs: Tier; mds: Tier; oss: Tier },
    network: IntelLustreProps['network'],
  ): void {
    refuseSharedAddresses(this, { mgs: this.mgs, mds: this.mds, oss: this.oss });
    for (const name of ['mgs', 'mds', 'oss'] as const) {
      network._nameStorageAddresses(this, tiers[name].addresses, name);
    }
  }

  private identity(): { readonly [name: string]: unknown } {
    return {
      fileSystemName: this.fileSystemName,
      backend: this.backend,
      // The numbers of the targets follow from it.
      volumesPerServer: this.oss.slots[0]?.volumeIds.length,
      existingVolumes: adoptedVolumes(this.mgs, this.mds, this.oss),
    };
  }

  private sizedTiers(preset: LustrePreset, props: IntelLustreProps): { mgs: Tier; mds: Tier; oss: Tier } {
    const tiers = {
      mgs: singleTier(this, 'mgs', preset.mgs, props.mgs),
      mds: singleTier(this, 'mds', preset.mds, props.mds),
      oss: objectStorageTier(this, sizedForThroughput(this, preset.oss, props), props.oss),
    };
    refuseSharedVolumes(this, tiers);
    warnOfBandwidth(this, 'an object storage server', tiers.oss.instanceType, volumesOf(tiers.oss), [
      'server-network',
    ]);
    return tiers;
  }

  private addTier(
    name: string,
    id: string,
    tier: Tier,
    host: ServerHost,
    props: IntelLustreProps,
  ): VolumeReattachment {
    const { network } = props;
    const unknown = placementGroupSupport(tier.instanceType.toString()) === undefined;
    return new VolumeReattachment(this, id, {
      tier: name,
      slotCount: tier.serverCount,
      standby: tier.standby,
      volumes: volumesOf(tier),
      existingVolumes: tier.existingVolumes,
      restoreFrom: tier.restoreFrom,
      neverChanges: { fileSystemName: this.fileSystemName, backend: this.backend },
      resourcesInStack: STORAGE_RESOURCES,
      addresses: tier.addresses ?? network.reserveAddresses(this.node.path, tier.serverCount, name),
      vpc: network.vpc,
      subnet: network.privateSubnets[0]!,
      securityGroup: network.storageSecurityGroup,
      placementGroup: network._storagePlacementGroupFor(
        tier.instanceType,
        unknown ? props.newInstanceTypes : undefined,
      ),
      capacityReservation: tier.capacityReservation,
      fallbackInstanceTypes: tier.fallbackInstanceTypes,
      instanceType: tier.instanceType,
      machineImage: props.machineImage,
      hostBundle: host.bundle,
      volumeMap: this.volumeMap,
      rootVolumeSize: props.rootVolumeSize,
      rootDeviceName: props.rootDeviceName ?? '/dev/sda1',
      recoveryTimeout: props.recoveryTimeout,
      schedule: props.schedule,
      healthProbe: props.healthProbe,
      alarmTopic: props.alarmTopic,
    });
  }
}

const volumesOf = ({ volumesPerServer, volume }: Tier): SlotVolume[] =>
  Array.from({ length: volumesPerServer }, () => volume);

function refuseDistribution(scope: Construct, { source }: LustreSoftware): void {
  if (source !== 'distribution') return;
  throw invalid(
    scope,
    'The software of Lustre servers',
    source,
    'LustreSoftware.preinstalled() or LustreSoftware.repository(...)',
    'No distribution brings Lustre servers; LustreSoftware.distribution() is for client.software.',
  );
}

function clientParameters({ client }: IntelLustreProps): LustreParameter[] {
  return [
    ...(client?.tuning ?? LustreTuning.papersClient()),
    ...(client?.networkChecksums === false ? [{ name: 'osc.*.checksums', value: '0' }] : []),
    ...(client?.lockLruSize
      ? [{ name: 'ldlm.namespaces.*.lru_size', value: Tokenization.stringifyNumber(client.lockLruSize) }]
      : []),
  ];
}
