import { Duration, Size } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as fsx from 'aws-cdk-lib/aws-fsx';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct, DependencyGroup, type IDependable } from 'constructs';
import { checkArguments } from '../private/inputs/check';
import { setRemovalPolicy } from '../private/last-word';
import { requireRetainedKey } from '../private/retained-key';
import { invalid, isConcrete, requireInteger } from '../private/validation';
import type { IMountTarget, INfsFileSystem, MountOptions, StorageDescription } from '../shared-file-system';
import { FSX_OPENZFS, MAX_NCONNECT } from '../sizing';
import { checkStandby, fsxSchedule, gibibytes, removalPolicyOf, requireOneOf, requireRange } from './checks';
import { ExistingNfs } from './existing';
import { type ExistingNfsOptions, NfsVersion } from './existing-props';
import { type FsxOpenZfsAttributes, type FsxOpenZfsProps, OpenZfsDeployment } from './fsx-openzfs-props';
import { connectionsOf, describe, keyOf } from './managed';
import { mountNfs, openPorts, serviceName } from './mount';
import { NFS_PORT } from './ports';

const VOLUME_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;

/**
 * Only the way to the volume that holds the data. CloudFormation makes a new, empty file system when anything of this
 * changes (AWS::FSx::FileSystem RootVolumeConfiguration, "Update requires: Replacement"), so it depends on no property.
 * Anyone whom the security group lets in may look at it; without `crossmnt` nobody gets to the data by it, since the
 * volume has exports of its own.
 */
const ROOT_VOLUME: fsx.CfnFileSystem.RootVolumeConfigurationProperty = {
  copyTagsToSnapshots: true,
  nfsExports: [{ clientConfigurations: [{ clients: '*', options: ['ro', 'root_squash'] }] }],
};

/** Amazon FSx for OpenZFS on SSD: an NFS server that AWS runs, and one volume on it. */
export class FsxOpenZfs extends Construct implements INfsFileSystem, ec2.IConnectable {
  /**
   * An FSx for OpenZFS volume of this region that exists already.
   *
   * @param options who opens its port, and how it is mounted
   */
  static fromAttributes(
    scope: Construct,
    id: string,
    attributes: FsxOpenZfsAttributes,
    options: ExistingNfsOptions = {},
  ): ExistingNfs {
    ({ attributes, options } = checkArguments('FsxOpenZfs.fromAttributes', {
      scope,
      id,
      attributes,
      options,
    }));
    return new ExistingNfs(scope, id, {
      ...options,
      server: serviceName(scope, 'fsx', attributes.fileSystemId),
      exportPath: attributes.volumePath ?? '/fsx',
    });
  }

  /** `nfs4`. */
  readonly fileSystemType = 'nfs4';

  /** What it is made of. */
  readonly storageDescription?: StorageDescription;

  /** Whether root of a client is nobody on the server. */
  readonly squashesRoot?: boolean;

  /** Id of the file system. */
  readonly fileSystemId: string;

  /** Id of the volume that holds the data. */
  readonly volumeId: string;

  /** The DNS name of the server. */
  readonly dnsName: string;

  /** The path of the volume on the server: `/fsx/<volumeName>`. */
  readonly exportPath: string;

  /** What is mounted: `<dnsName>:<exportPath>`. */
  readonly mountSource: string;

  /** Encrypts the data. */
  readonly encryptionKey: IKey;

  /** The security group of the file system. Its default port is that of NFS. */
  readonly connections: ec2.Connections;

  /** What needs the file system depends on this. */
  readonly served: IDependable;

  private readonly nconnect: number;

  constructor(scope: Construct, id: string, props: FsxOpenZfsProps) {
    ({ props } = checkArguments('FsxOpenZfs', { scope, id, props }));
    super(scope, id);
    const deployment = props.deployment ?? OpenZfsDeployment.SINGLE_AZ_HA_2;
    const volumeName = props.volumeName ?? 'sasdata';
    this.nconnect = props.connections ?? MAX_NCONNECT;
    this.storageDescription = describe('fsx-openzfs', props.throughputMBps);
    this.squashesRoot = props.rootSquash ?? false;
    const { capacityGiB, recordSizeKiB } = this.check(props, deployment, volumeName);
    const schedule = fsxSchedule(this, props, Duration.days(30));
    const removalPolicy = removalPolicyOf(this, props.removalPolicy);
    const { network, standby } = props;
    const ranges = props.clientRanges ?? [this.rangeOf(network.vpc)];
    this.encryptionKey = keyOf(this, props);
    this.connections = connectionsOf(this, props, NFS_PORT);

    const preferred = network.privateSubnets[0]!.subnetId;
    const fileSystem = new fsx.CfnFileSystem(this, 'FileSystem', {
      fileSystemType: 'OPENZFS',
      storageType: 'SSD',
      storageCapacity: capacityGiB,
      subnetIds: standby ? [preferred, standby.subnet.subnetId] : [preferred],
      securityGroupIds: this.connections.securityGroups.map(({ securityGroupId }) => securityGroupId),
      kmsKeyId: this.encryptionKey.keyArn,
      openZfsConfiguration: {
        deploymentType: deployment,
        throughputCapacity: props.throughputMBps,
        preferredSubnetId: standby ? preferred : undefined,
        routeTableIds: standby?.routeTableIds,
        ...schedule,
        copyTagsToBackups: true,
        copyTagsToVolumes: true,
        rootVolumeConfiguration: ROOT_VOLUME,
      },
      tags: [{ key: 'Name', value: this.node.path }],
    });
    setRemovalPolicy(fileSystem, removalPolicy);
    // Its network interfaces must not take an address that a storage server has.
    fileSystem.node.addDependency(network.addressesReserved);

    const volume = new fsx.CfnVolume(this, 'Volume', {
      name: volumeName,
      volumeType: 'OPENZFS',
      openZfsConfiguration: {
        parentVolumeId: fileSystem.attrRootVolumeId,
        recordSizeKiB,
        dataCompressionType: props.dataCompression ? 'LZ4' : 'NONE',
        copyTagsToSnapshots: true,
        nfsExports: exportsTo(ranges, [
          'rw',
          'crossmnt',
          'sync',
          props.rootSquash ? 'root_squash' : 'no_root_squash',
        ]),
      },
      tags: [{ key: 'Name', value: this.node.path }],
    });
    setRemovalPolicy(volume, removalPolicy);
    requireRetainedKey(this.encryptionKey, `the data of ${this.node.path}`, [fileSystem, volume]);

    this.fileSystemId = fileSystem.ref;
    this.volumeId = volume.attrVolumeId;
    this.dnsName = serviceName(this, 'fsx', fileSystem.ref);
    this.exportPath = `/fsx/${volumeName}`;
    this.mountSource = `${this.dnsName}:${this.exportPath}`;
    this.served = new DependencyGroup(fileSystem, volume);
  }

  /**
   * Mounts the volume on a host at every start, by NFS 4.2.
   *
   * @param target the host
   * @param options where to mount it
   * @throws when the mount point is not an absolute path, or when the host already mounts another NFS export
   */
  mountOn(target: IMountTarget, options: MountOptions): void {
    ({ target, options } = checkArguments('FsxOpenZfs#mountOn', { target, options }, this));
    const { dnsName: server, exportPath, nconnect: connections } = this;
    mountNfs(
      this,
      { server, exportPath, version: NfsVersion.V4_2, connections, options: [] },
      target,
      options,
    );
    openPorts(target, this, [NFS_PORT], false);
  }

  private rangeOf(vpc: ec2.IVpc): string {
    try {
      return vpc.vpcCidrBlock;
    } catch {
      const allowed = 'the ranges of the hosts, when the range of the VPC is not known';
      throw invalid(this, 'clientRanges', 'missing', allowed, 'Name them, or import the VPC with its range.');
    }
  }

  private check(
    props: FsxOpenZfsProps,
    deployment: OpenZfsDeployment,
    volumeName: string,
  ): { capacityGiB: number; recordSizeKiB: number } {
    const rules = FSX_OPENZFS;
    requireOneOf(this, 'deployment', deployment, Object.keys(rules.throughputMBps), 'Choose one of these.');
    checkStandby(this, deployment, props);
    const capacityGiB = gibibytes(this, 'capacity', props.capacity);
    const fix = 'FSx for OpenZFS has no other sizes; for more, use FSx for Lustre.';
    requireInteger(this, 'capacity in GiB', capacityGiB, rules.minCapacityGiB, rules.maxCapacityGiB, fix);
    requireOneOf(
      this,
      `throughputMBps with ${deployment}`,
      props.throughputMBps,
      rules.throughputMBps[deployment]!,
      'Choose one of these; for more, use FSx for Lustre.',
    );
    const recordSizeKiB = gibibytes(this, 'recordSize', props.recordSize ?? Size.mebibytes(1)) * 1024 * 1024;
    requireOneOf(this, 'recordSize in KiB', recordSizeKiB, rules.recordSizesKiB, 'ZFS has no other sizes.');
    if (isConcrete(volumeName) && !VOLUME_NAME.test(volumeName)) {
      const allowed = "a letter, then up to 62 letters, digits, '_' or '-'";
      throw invalid(this, 'volumeName', volumeName, allowed, 'It is part of the path that hosts mount.');
    }
    requireInteger(this, 'connections', this.nconnect, 1, MAX_NCONNECT, 'Linux has no more for one mount.');
    const count = props.clientRanges?.length ?? 1;
    requireInteger(this, 'The number of clientRanges', count, 1, rules.maxClientRanges, 'Name wider ranges.');
    for (const range of props.clientRanges ?? []) requireRange(this, 'clientRanges', range);
    return { capacityGiB, recordSizeKiB };
  }
}

function exportsTo(ranges: string[], options: string[]): fsx.CfnVolume.NfsExportsProperty[] {
  return [{ clientConfigurations: ranges.map((clients) => ({ clients, options })) }];
}
