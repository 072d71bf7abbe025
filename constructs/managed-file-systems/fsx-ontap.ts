import { Duration } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as fsx from 'aws-cdk-lib/aws-fsx';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct, DependencyGroup, type IDependable } from 'constructs';
import { checkArguments } from '../private/inputs/check';
import { setRemovalPolicy } from '../private/last-word';
import { requireRetainedKey } from '../private/retained-key';
import { invalid, isConcrete, requireInteger } from '../private/validation';
import type { IMountTarget, INfsFileSystem, MountOptions, StorageDescription } from '../shared-file-system';
import { FSX_ONTAP, fsxOntapCapacityProblems, MAX_NCONNECT } from '../sizing';
import {
  checkStandby,
  fsxSchedule,
  gibibytes,
  refuse,
  removalPolicyOf,
  requireBackupId,
  requireOneOf,
} from './checks';
import { ExistingNfs } from './existing';
import { type ExistingNfsOptions, NfsVersion } from './existing-props';
import {
  type FsxOntapAttributes,
  type FsxOntapProps,
  OntapDeployment,
  OntapTiering,
} from './fsx-ontap-props';
import { connectionsOf, describe, keyOf } from './managed';
import { mountNfs, openPorts, serviceName } from './mount';
import { NFS_PORT } from './ports';

const VOLUME_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,202}$/;

/** The volume that is asked for, when all of it is allowed. */
interface CheckedVolume {
  /** Of the file system below it. */
  readonly capacityGiB: number;
  readonly volumeName: string;
  readonly volumeBytes: string;
  readonly volumeStyle: string;
  readonly tieringPolicy: fsx.CfnVolume.TieringPolicyProperty;
}

/** Amazon FSx for NetApp ONTAP: pairs of NFS servers that AWS runs, with one virtual machine and one volume. */
export class FsxOntap extends Construct implements INfsFileSystem, ec2.IConnectable {
  /**
   * An FSx for ONTAP volume of this region that exists already.
   *
   * @param options who opens its port, and how it is mounted
   */
  static fromAttributes(
    scope: Construct,
    id: string,
    attributes: FsxOntapAttributes,
    options: ExistingNfsOptions = {},
  ): ExistingNfs {
    ({ attributes, options } = checkArguments('FsxOntap.fromAttributes', { scope, id, attributes, options }));
    const { fileSystemId, storageVirtualMachineId, junctionPath } = attributes;
    return new ExistingNfs(scope, id, {
      version: NfsVersion.V4_1,
      ...options,
      server: serviceName(scope, 'fsx', storageVirtualMachineId, fileSystemId),
      exportPath: junctionPath,
    });
  }

  /** `nfs4`. */
  readonly fileSystemType = 'nfs4';

  /** What it is made of. */
  readonly storageDescription?: StorageDescription;

  /** Id of the file system. */
  readonly fileSystemId: string;

  /** Id of the storage virtual machine, which serves NFS. */
  readonly storageVirtualMachineId: string;

  /** Id of the volume that holds the data. */
  readonly volumeId: string;

  /** The DNS name of the virtual machine. */
  readonly dnsName: string;

  /** Where the volume is mounted in the virtual machine: `/<volumeName>`. */
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

  constructor(scope: Construct, id: string, props: FsxOntapProps) {
    ({ props } = checkArguments('FsxOntap', { scope, id, props }));
    super(scope, id);
    requireBackupId(this, props.backupId);
    const deployment = props.deployment ?? OntapDeployment.SINGLE_AZ_2;
    const volumeName = props.volumeName ?? 'sasdata';
    const haPairs = props.haPairs ?? 1;
    this.nconnect = props.connections ?? MAX_NCONNECT;
    this.storageDescription = describe('fsx-ontap', props.throughputMBpsPerPair, haPairs);
    const checked = this.check(props, deployment, haPairs, volumeName);
    const schedule = fsxSchedule(this, props, Duration.days(30));
    const removalPolicy = removalPolicyOf(this, props.removalPolicy);
    const { network, standby } = props;
    this.encryptionKey = keyOf(this, props);
    this.connections = connectionsOf(this, props, NFS_PORT);

    const preferred = network.privateSubnets[0]!.subnetId;
    const tags = [{ key: 'Name', value: this.node.path }];
    const fileSystem = new fsx.CfnFileSystem(this, 'FileSystem', {
      fileSystemType: 'ONTAP',
      storageType: 'SSD',
      storageCapacity: checked.capacityGiB,
      subnetIds: standby ? [preferred, standby.subnet.subnetId] : [preferred],
      securityGroupIds: this.connections.securityGroups.map(({ securityGroupId }) => securityGroupId),
      kmsKeyId: this.encryptionKey.keyArn,
      ontapConfiguration: {
        deploymentType: deployment,
        haPairs,
        throughputCapacityPerHaPair: props.throughputMBpsPerPair,
        preferredSubnetId: standby ? preferred : undefined,
        routeTableIds: standby?.routeTableIds,
        ...schedule,
      },
      tags,
    });
    // Its network interfaces must not take an address that a storage server has.
    fileSystem.node.addDependency(network.addressesReserved);
    const machine = new fsx.CfnStorageVirtualMachine(this, 'StorageVirtualMachine', {
      fileSystemId: fileSystem.ref,
      name: 'sas',
      rootVolumeSecurityStyle: 'UNIX',
      tags,
    });
    const volume = this.newVolume(machine, props, checked);
    for (const resource of [fileSystem, machine, volume]) setRemovalPolicy(resource, removalPolicy);
    requireRetainedKey(this.encryptionKey, `the data of ${this.node.path}`, [fileSystem, volume]);

    this.fileSystemId = fileSystem.ref;
    this.storageVirtualMachineId = machine.attrStorageVirtualMachineId;
    this.volumeId = volume.attrVolumeId;
    this.dnsName = serviceName(this, 'fsx', this.storageVirtualMachineId, fileSystem.ref);
    this.exportPath = `/${volumeName}`;
    this.mountSource = `${this.dnsName}:${this.exportPath}`;
    this.served = new DependencyGroup(fileSystem, machine, volume);
  }

  /**
   * Mounts the volume on a host at every start, by NFS 4.1.
   *
   * @param target the host
   * @param options where to mount it
   * @throws when the mount point is not an absolute path, or when the host already mounts another NFS export
   */
  mountOn(target: IMountTarget, options: MountOptions): void {
    ({ target, options } = checkArguments('FsxOntap#mountOn', { target, options }, this));
    const { dnsName: server, exportPath, nconnect: connections } = this;
    mountNfs(
      this,
      { server, exportPath, version: NfsVersion.V4_1, connections, options: [] },
      target,
      options,
    );
    openPorts(target, this, [NFS_PORT], false);
  }

  private newVolume(
    machine: fsx.CfnStorageVirtualMachine,
    props: FsxOntapProps,
    { volumeName, volumeBytes, volumeStyle, tieringPolicy }: CheckedVolume,
  ): fsx.CfnVolume {
    return new fsx.CfnVolume(this, 'Volume', {
      name: volumeName,
      volumeType: 'ONTAP',
      backupId: props.backupId,
      ontapConfiguration: {
        storageVirtualMachineId: machine.attrStorageVirtualMachineId,
        ontapVolumeType: 'RW',
        volumeStyle,
        sizeInBytes: volumeBytes,
        junctionPath: `/${volumeName}`,
        securityStyle: 'UNIX',
        storageEfficiencyEnabled: String(props.storageEfficiency ?? true),
        tieringPolicy,
        copyTagsToBackups: 'true',
      },
      tags: [{ key: 'Name', value: this.node.path }],
    });
  }

  private check(
    props: FsxOntapProps,
    deployment: OntapDeployment,
    haPairs: number,
    volumeName: string,
  ): CheckedVolume {
    const rules = FSX_ONTAP.deployments;
    requireOneOf(this, 'deployment', deployment, Object.keys(rules), 'Choose one of these.');
    checkStandby(this, deployment, props);
    const { maxHaPairs, throughputMBps } = rules[deployment]!;
    const one = 'Only SINGLE_AZ_2 has more than one pair.';
    if (!isConcrete(haPairs)) {
      throw invalid(this, 'haPairs', 'a token', 'a number known at synthesis', 'The capacity depends on it.');
    }
    requireInteger(this, `haPairs with ${deployment}`, haPairs, 1, maxHaPairs, one);
    requireOneOf(
      this,
      `throughputMBpsPerPair with ${deployment}`,
      props.throughputMBpsPerPair,
      throughputMBps,
      'Choose one of these, or more pairs.',
    );
    const capacityGiB = gibibytes(this, 'capacity', props.capacity);
    refuse(this, fsxOntapCapacityProblems(capacityGiB, haPairs, deployment));
    const volumeGiB = props.volumeSize ? gibibytes(this, 'volumeSize', props.volumeSize) : capacityGiB;
    const flexGroup = haPairs > 1 || volumeGiB > FSX_ONTAP.flexVolMaxGiB;
    const smallest = flexGroup ? FSX_ONTAP.flexGroupMinGiBPerPair * haPairs : 1;
    const fix = 'A volume lies on all pairs, and holds no more than the file system.';
    requireInteger(this, 'volumeSize in GiB', volumeGiB, smallest, capacityGiB, fix);
    if (isConcrete(volumeName) && !VOLUME_NAME.test(volumeName)) {
      const allowed = "a letter or '_', then up to 202 letters, digits and '_'";
      throw invalid(this, 'volumeName', volumeName, allowed, 'It is the path that hosts mount.');
    }
    requireInteger(this, 'connections', this.nconnect, 1, MAX_NCONNECT, 'Linux has no more for one mount.');
    return {
      capacityGiB,
      volumeName,
      volumeBytes: String(volumeGiB * 1024 ** 3),
      volumeStyle: flexGroup ? 'FLEXGROUP' : 'FLEXVOL',
      tieringPolicy: this.tieringPolicy(props),
    };
  }

  private tieringPolicy({ tiering, coolingDays }: FsxOntapProps): fsx.CfnVolume.TieringPolicyProperty {
    const name = tiering ?? OntapTiering.NONE;
    if (coolingDays === undefined) return { name };
    if (name !== OntapTiering.AUTO && name !== OntapTiering.SNAPSHOT_ONLY) {
      const fix = 'Leave it out, or choose SNAPSHOT_ONLY or AUTO.';
      throw invalid(this, 'coolingDays', coolingDays, `nothing with tiering ${name}`, fix);
    }
    const { min, max } = FSX_ONTAP.coolingDays;
    requireInteger(this, 'coolingDays', coolingDays, min, max, 'Change it.');
    return { name, coolingPeriod: coolingDays };
  }
}
