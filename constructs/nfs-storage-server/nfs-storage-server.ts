import { Annotations, Size } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as route53 from 'aws-cdk-lib/aws-route53';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import { Construct, type IDependable } from 'constructs';
import { HostBundle, HostRole } from '../host';
import { adoptedVolumes } from '../private/adopted-volumes';
import { checkArguments } from '../private/inputs/check';
import { acknowledgeNames } from '../private/named-on-purpose';
import { newPrivateZone, publishHost } from '../private/published-name';
import { keptKey, requireRetainedKey } from '../private/retained-key';
import { invalid } from '../private/validation';
import type { IMountTarget, MountOptions, StorageDescription, StorageDevices } from '../shared-file-system';
import { NFS_SERVER_LIMITS, placementGroupSupport } from '../sizing';
import { type IVolumeReattachment, VolumeMap, VolumeReattachment } from '../volume-reattachment';
import { NfsArchiver } from './archive';
import { NfsBackupPlan } from './backup';
import { type NfsPlan, plan } from './checks';
import { clientBundle, clientSettings } from './client-bundle';
import type { INfsStorageServer } from './interface';
import { LocalNfsServer, mappedDisks } from './local-server';
import type { NfsClientBundleProps, NfsStorageServerProps } from './props';
import { advise, ebsServer, localServer } from './sizes';
import { type EbsNfsStorageProps, type InstanceStoreNfsStorageProps, NfsStorage } from './storage';

// Version 4 needs no other port.
const NFS_PORT = ec2.Port.tcp(2049);

const TIER = 'nfs';

/** What both kinds of server come to. */
interface Server {
  readonly address: string;
  readonly instanceType: ec2.InstanceType;
  readonly role: iam.IRole;
  readonly groupName: string;
  readonly served: IDependable;
  readonly devices?: StorageDevices[];
  readonly reattachment?: VolumeReattachment;
  readonly volumeMap?: VolumeMap;
}

/**
 * An NFS server for the shared data of one grid or of several, for up to 48 TiB, 1 GB/s and 32 clients (SAS/Intel paper
 * 003): on EBS volumes, which outlive it, or on the disks inside the host.
 */
export class NfsStorageServer extends Construct implements INfsStorageServer {
  /**
   * The software of a host that mounts the export of a server that is known by its address only: for hosts outside of
   * the app. Its `userData()` has to be the host's user data, TCP port 2049 has to be open between the two, and the
   * host has to be in the server's `clientRanges`.
   *
   * @throws when the address, the export's name, the mount point or the number of connections is not allowed
   */
  static clientBundle(props: NfsClientBundleProps): HostBundle {
    ({ props } = checkArguments('NfsStorageServer.clientBundle', { props }));
    return clientBundle(props);
  }

  /** `nfs4`. */
  readonly fileSystemType = 'nfs4';

  /** Root of a client is nobody on the server. */
  readonly squashesRoot?: boolean = true;

  /** The server and its volumes; none with instance store. */
  readonly tiers?: IVolumeReattachment[];

  /** What it is made of. */
  readonly storageDescription?: StorageDescription;

  /** Its export, and the volumes of its pool. */
  readonly neverChanges?: { readonly [name: string]: unknown };

  /** What is exported: `/export/<exportName>`. */
  readonly exportPath: string;

  /** The fixed private address. It stays when the server is replaced. */
  readonly address: string;

  /** The name of the server in DNS. */
  readonly fullName: string;

  /** What is mounted: `<address>:<exportPath>`. */
  readonly mountSource: string;

  /** The type of the server. */
  readonly instanceType: ec2.InstanceType;

  /** The server and its volumes; undefined with instance store. */
  readonly reattachment?: VolumeReattachment;

  /** Which server owns the volumes and the address; undefined with instance store. */
  readonly volumeMap?: VolumeMap;

  /** Name of the Auto Scaling group of one. */
  readonly autoScalingGroupName: string;

  /** What the server may do in AWS. */
  readonly role: iam.IRole;

  /** Encrypts everything of the server. */
  readonly encryptionKey: kms.IKey;

  /** The bucket of the archive; undefined without one. */
  readonly archiveBucket?: s3.IBucket;

  /** The zone of the server's name. */
  readonly hostedZone: route53.IHostedZone;

  /** The server's security group. Its default port is that of NFS. */
  readonly connections: ec2.Connections;

  /**
   * What needs the file system depends on this. On volumes the server serves; with instance store its group is there,
   * and clients wait for it.
   */
  readonly served: IDependable;

  private readonly plan: NfsPlan;
  private readonly bundle = new HostBundle();
  private clients = 0;

  /**
   * @throws when a property is out of its range, when no type has what is asked for, or when the type is refused by the
   * placement group
   */
  constructor(scope: Construct, id: string, props: NfsStorageServerProps) {
    ({ props } = checkArguments('NfsStorageServer', { scope, id, props }));
    super(scope, id);
    acknowledgeNames(this);
    this.plan = plan(this, props);
    this.exportPath = `/export/${this.plan.exportName}`;
    this.connections = new ec2.Connections({
      securityGroups: [props.securityGroup ?? props.network.storageSecurityGroup],
      defaultPort: NFS_PORT,
    });
    for (const range of props.clientRanges ?? []) {
      this.connections.allowFrom(ec2.Peer.ipv4(range), NFS_PORT, 'NFS clients of a named range');
    }
    this.encryptionKey = props.encryptionKey ?? keptKey(this, 'Key', `NFS server ${this.node.path}`);
    // The server's own address is EC2's choice, which must not fall on one that somebody else has.
    this.node.addDependency(props.network.addressesReserved);

    const storage = props.storage ?? NfsStorage.ebs();
    const server = storage._instanceStore
      ? this.onInstanceStore(props, storage._instanceStore)
      : this.onVolumes(props, storage._ebs ?? {});
    this.address = server.address;
    this.instanceType = server.instanceType;
    this.role = server.role;
    this.autoScalingGroupName = server.groupName;
    this.served = server.served;
    this.reattachment = server.reattachment;
    this.volumeMap = server.volumeMap;
    this.tiers = server.reattachment ? [server.reattachment] : [];
    const { devices } = server;
    this.storageDescription = { kind: 'nfs', servers: 1, serverType: this.instanceType.toString(), devices };
    this.neverChanges = {
      exportPath: this.exportPath,
      // They are one pool.
      volumesPerServer: server.reattachment?.slots[0]?.volumeIds.length,
      existingVolumes: adoptedVolumes(server.reattachment),
    };
    this.mountSource = `${this.address}:${this.exportPath}`;
    this.fullName = `${this.plan.hostName}.${this.plan.domainName}`;
    this.hostedZone = this.publishName(props);
    if (props.archive) {
      // The host says of each copy that it was made.
      props.network._requireServices(this, [ec2.InterfaceVpcEndpointAwsService.CLOUDWATCH_MONITORING]);
      this.archiveBucket = new NfsArchiver(this, 'Archive', {
        ...props.archive,
        hostName: this.plan.hostName,
        exportPath: this.exportPath,
        autoScalingGroupName: this.autoScalingGroupName,
        role: this.role,
        encryptionKey: this.encryptionKey,
        alarmTopic: props.alarmTopic,
      }).bucket;
    }
  }

  /** The command that mounts the export by hand, for documents and outputs. */
  mountCommand(mountPoint: string): string {
    ({ mountPoint } = checkArguments('NfsStorageServer#mountCommand', { mountPoint }, this));
    const { MOUNT_POINT, NCONNECT } = this.clientOf({ mountPoint });
    return `mount -t nfs4 -o nfsvers=4.2,hard,nconnect=${NCONNECT},noatime ${this.mountSource} ${MOUNT_POINT}`;
  }

  /**
   * Mounts the export on a host at every start, hard: while the server is away, programs wait for it.
   *
   * @param target the host
   * @param options where to mount it
   * @throws when the mount point is not an absolute path, or when the host already mounts another NFS export
   */
  mountOn(target: IMountTarget, options: MountOptions): void {
    ({ target, options } = checkArguments('NfsStorageServer#mountOn', { target, options }, this));
    const settings = this.clientOf(options);
    target.connections.allowTo(this, NFS_PORT, 'NFS client to server');
    target.hostBundle.addRole(HostRole.NFS_CLIENT, settings);
    this.clients += 1;
    if (this.clients === NFS_SERVER_LIMITS.clients + 1) advise(this, { clients: this.clients });
  }

  private clientOf(options: MountOptions): { [key: string]: string } {
    const { exportName, clientConnections: connections } = this.plan;
    return clientSettings({ ...options, server: this.address, exportName, connections });
  }

  private onVolumes(props: NfsStorageServerProps, storage: EbsNfsStorageProps): Server {
    const { instanceType, volumes, load } = ebsServer(this, storage);
    advise(this, { ...load, clients: props.expectedClients });
    this.bundle.addRole(HostRole.NFS_SERVER, {
      ...this.serverSettings(props),
      KIND: 'ebs',
      VOLUMES_PER_SLOT: String(volumes.length),
    });
    const volumeMap = new VolumeMap(this, 'VolumeMap', { encryptionKey: this.encryptionKey });
    const tier = new VolumeReattachment(this, 'Server', {
      tier: TIER,
      slotCount: 1,
      standby: storage.standby,
      fallbackInstanceTypes: storage.fallbackInstanceTypes,
      volumes,
      existingVolumes: storage.existingVolumes,
      addresses: this.fixedAddress(props),
      vpc: props.network.vpc,
      subnet: props.network.privateSubnets[0]!,
      securityGroup: this.connections.securityGroups[0]!,
      placementGroup: placement(props, instanceType),
      capacityReservation: props.capacityReservation,
      instanceType,
      machineImage: props.machineImage,
      hostBundle: this.bundle,
      volumeMap,
      rootVolumeSize: props.rootVolumeSize ?? Size.gibibytes(100),
      rootDeviceName: props.rootDeviceName ?? '/dev/sda1',
      recoveryTimeout: storage.recoveryTimeout,
      schedule: storage.schedule,
      healthProbe: storage.healthProbe,
      alarmTopic: props.alarmTopic,
    });
    if (storage.backup) {
      new NfsBackupPlan(this, 'Backup', {
        ...storage.backup,
        tierTag: tier.tierTag,
        volumeIds: tier.slots[0]!.volumeIds,
        key: this.encryptionKey,
        alarmTopic: props.alarmTopic,
      });
      // Data Lifecycle Manager makes them; they stay also when the volumes go.
      requireRetainedKey(this.encryptionKey, `the snapshots of ${this.node.path}`, 'kept');
    }
    return {
      address: tier.slots[0]!.address,
      instanceType,
      role: tier.role,
      groupName: tier.autoScalingGroup.autoScalingGroupName,
      served: tier.served,
      devices: tier._server.devices,
      reattachment: tier,
      volumeMap,
    };
  }

  private onInstanceStore(props: NfsStorageServerProps, storage: InstanceStoreNfsStorageProps): Server {
    const { instanceType, store, load } = localServer(this, storage);
    requireOnDemand(this, props, storage);
    advise(this, { ...load, clients: props.expectedClients });
    const disks = mappedDisks(store);
    if (disks.length > 0) {
      Annotations.of(this).addWarningV2(
        'cdk-sas-grid:instanceStoreNotEncrypted',
        `The disks of ${instanceType.toString()} are not NVMe: AWS does not encrypt what is on them. NVMe instance store is ` +
          'always encrypted.',
      );
    }
    this.bundle.addRole(HostRole.NFS_SERVER, {
      ...this.serverSettings(props),
      KIND: 'instance-store',
      INSTANCE_STORE_DISKS: String(store.disks),
      ...(disks.length > 0 && { DISK_DEVICES: disks.map(({ device }) => device).join(' ') }),
    });
    const server = new LocalNfsServer(this, 'Server', {
      instanceType,
      store,
      machineImage: props.machineImage,
      hostBundle: this.bundle,
      subnet: props.network.privateSubnets[0]!,
      securityGroup: this.connections.securityGroups[0]!,
      address: this.fixedAddress(props)?.[0],
      after: props.network.addressesReserved,
      placementGroup: placement(props, instanceType),
      capacityReservation: props.capacityReservation,
      encryptionKey: this.encryptionKey,
      rootDeviceName: props.rootDeviceName ?? '/dev/sda1',
      rootVolumeGiB: (props.rootVolumeSize ?? Size.gibibytes(100)).toGibibytes(),
      hostName: this.plan.hostName,
      reason: storage.dataLossOnFailure.reason,
      spot: storage.spot,
      alarmTopic: props.alarmTopic,
    });
    return {
      address: server.address,
      instanceType,
      role: server.role,
      groupName: server.group.ref,
      served: server.group,
      devices: [
        {
          count: store.disks,
          type: 'instance-store',
          sizeGiB: Math.floor((store.diskSizeGB * 1e9) / 2 ** 30),
        },
      ],
    };
  }

  private serverSettings(props: NfsStorageServerProps): { [key: string]: string } {
    return {
      SERVICE: TIER,
      EXPORT_NAME: this.plan.exportName,
      CLIENTS: this.plan.clientRanges.join(','),
      ...(props.exportOptions?.length && { EXPORT_OPTIONS: props.exportOptions.join(',') }),
      ...(props.nfsdThreads !== undefined && { NFSD_THREADS: String(props.nfsdThreads) }),
    };
  }

  private fixedAddress({ address, network }: NfsStorageServerProps): string[] | undefined {
    if (address === undefined) return network.reserveAddresses(this.node.path, 1);
    network._nameStorageAddresses(this, [address]);
    return [address];
  }

  /** A zone for the one name, so that it stands beside whatever zone the domain has in the VPC. */
  private publishName(props: NfsStorageServerProps): route53.IHostedZone {
    const { vpc } = props.network;
    const property = {
      what: 'hostName',
      fix: "Give each server of a network its own hostName, such as 'storage2'.",
    };
    const zone =
      props.hostedZone ??
      newPrivateZone(this, vpc, { zoneName: this.fullName, comment: 'Name of an NFS server' }, property);
    const host = { zone, fullName: this.fullName, recordName: `${this.fullName}.`, address: this.address };
    publishHost(this, vpc, host, property);
    return zone;
  }
}

/** Spot capacity is what nobody has reserved (EC2 user guide, "On-Demand Capacity Reservations", "Limitations"). */
function requireOnDemand(
  scope: Construct,
  { capacityReservation }: NfsStorageServerProps,
  { spot }: InstanceStoreNfsStorageProps,
): void {
  if (!capacityReservation || !spot) return;
  const fix = 'Leave out one of the two: a Spot server does not start in a reservation.';
  throw invalid(
    scope,
    'capacityReservation',
    'given together with spot',
    'a reservation for On-Demand servers',
    fix,
  );
}

function placement(props: NfsStorageServerProps, type: ec2.InstanceType): ec2.IPlacementGroup | undefined {
  if (props.usePlacementGroup === false) return undefined;
  const unknown = placementGroupSupport(type.toString()) === undefined;
  return props.network._storagePlacementGroupFor(type, unknown ? props.newInstanceTypes : undefined);
}
