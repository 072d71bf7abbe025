import { Size } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as efs from 'aws-cdk-lib/aws-efs';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct, type IDependable } from 'constructs';
import { checkArguments } from '../private/inputs/check';
import { setRemovalPolicy } from '../private/last-word';
import { requireRetainedKey } from '../private/retained-key';
import { zoneOf } from '../private/subnet-zone';
import { invalid, isConcrete, requireInteger } from '../private/validation';
import type { IMountTarget, INfsFileSystem, MountOptions, StorageDescription } from '../shared-file-system';
import { EFS } from '../sizing';
import { removalPolicyOf } from './checks';
import { type EfsAttributes, type EfsSharedFileSystemProps, EfsThroughput } from './efs-props';
import { ExistingNfs } from './existing';
import { type ExistingNfsOptions, NfsVersion } from './existing-props';
import { connectionsOf, describe, keyOf } from './managed';
import { mountNfs, openPorts, serviceName } from './mount';
import { NFS_PORT } from './ports';

// "Recommended NFS mount settings" of the EFS guide: a mount that is made again gets a new source port, else EFS can
// refuse it. EFS does not know nconnect.
const MOUNT_OPTIONS = ['noresvport'];
const CONNECTIONS = 1;

/**
 * Amazon EFS, mounted by plain NFS 4.1: data is encrypted at rest but not on its way (see the README). For binaries and
 * configuration; not for SASDATA that is read at 50 to 75 MB/s by each core.
 */
export class EfsSharedFileSystem extends Construct implements INfsFileSystem, ec2.IConnectable {
  /**
   * An EFS file system of this region that exists already.
   *
   * @param options who opens its port, and how it is mounted
   */
  static fromAttributes(
    scope: Construct,
    id: string,
    attributes: EfsAttributes,
    options: ExistingNfsOptions = {},
  ): ExistingNfs {
    ({ attributes, options } = checkArguments('EfsSharedFileSystem.fromAttributes', {
      scope,
      id,
      attributes,
      options,
    }));
    return new ExistingNfs(scope, id, {
      version: NfsVersion.V4_1,
      connections: CONNECTIONS,
      mountOptions: MOUNT_OPTIONS,
      ...options,
      server: serviceName(scope, 'efs', attributes.fileSystemId),
      exportPath: '/',
    });
  }

  /** `nfs4`. */
  readonly fileSystemType = 'nfs4';

  /** What it is made of. */
  readonly storageDescription?: StorageDescription;

  /** Id of the file system. */
  readonly fileSystemId: string;

  /** Its DNS name. */
  readonly dnsName: string;

  /** What is mounted: `<dnsName>:/`. */
  readonly mountSource: string;

  /** Encrypts the data. */
  readonly encryptionKey: IKey;

  /** The security group of the file system. Its default port is that of NFS. */
  readonly connections: ec2.Connections;

  /** What needs the file system depends on this: it can be mounted. */
  readonly served: IDependable;

  constructor(scope: Construct, id: string, props: EfsSharedFileSystemProps) {
    ({ props } = checkArguments('EfsSharedFileSystem', { scope, id, props }));
    super(scope, id);
    const throughput = props.throughput ?? EfsThroughput.elastic();
    this.storageDescription = describe('efs', throughput.mibps, 2 ** 20 / 1e6);
    const { min, max } = EFS.provisionedMiBps;
    const fix = 'Use EfsThroughput.elastic(), or FSx for Lustre.';
    requireInteger(this, 'throughput in MiB/s', throughput.mibps, min, max, fix);
    const removalPolicy = removalPolicyOf(this, props.removalPolicy);
    const { network } = props;
    const subnets = [network.privateSubnets[0]!, ...(props.otherSubnets ?? [])];
    this.checkSubnets(props, subnets);
    this.encryptionKey = keyOf(this, props);
    this.connections = connectionsOf(this, props, NFS_PORT);

    const fileSystem = new efs.FileSystem(this, 'FileSystem', {
      vpc: network.vpc,
      vpcSubnets: { subnets },
      securityGroup: this.connections.securityGroups[0]!,
      encrypted: true,
      kmsKey: this.encryptionKey,
      throughputMode: MODES[throughput.mode],
      provisionedThroughputPerSecond:
        throughput.mibps === undefined ? undefined : Size.mebibytes(throughput.mibps),
      enableAutomaticBackups: props.backups ?? true,
      removalPolicy,
      // Plain NFS has no identity that a policy could know. The policy lets in whoever comes through a mount target,
      // which the security group guards, and nobody else.
      allowAnonymousAccess: true,
      fileSystemPolicy: mountTargetsOnly(),
    });
    const resource = fileSystem.node.defaultChild as efs.CfnFileSystem;
    requireRetainedKey(this.encryptionKey, `the data of ${this.node.path}`, [fileSystem]);
    if (props.oneZone) resource.availabilityZoneName = zoneOf(subnets[0]!);
    // Its network interfaces must not take an address that a storage server has.
    setRemovalPolicy(resource, removalPolicy);
    fileSystem.node.addDependency(network.addressesReserved);

    this.fileSystemId = fileSystem.fileSystemId;
    this.dnsName = serviceName(this, 'efs', this.fileSystemId);
    this.mountSource = `${this.dnsName}:/`;
    this.served = fileSystem.mountTargetsAvailable;
  }

  /**
   * Mounts the file system on a host at every start, by NFS 4.1 without TLS.
   *
   * @param target the host, in an Availability Zone in which the file system has a subnet
   * @param options where to mount it
   * @throws when the mount point is not an absolute path, or when the host already mounts another NFS export
   */
  mountOn(target: IMountTarget, options: MountOptions): void {
    ({ target, options } = checkArguments('EfsSharedFileSystem#mountOn', { target, options }, this));
    const source = { server: this.dnsName, exportPath: '/', version: NfsVersion.V4_1 };
    mountNfs(this, { ...source, connections: CONNECTIONS, options: MOUNT_OPTIONS }, target, options);
    openPorts(target, this, [NFS_PORT], false);
  }

  private checkSubnets({ oneZone, otherSubnets }: EfsSharedFileSystemProps, subnets: ec2.ISubnet[]): void {
    if (oneZone && otherSubnets?.length) {
      const fix = 'Leave out one of both.';
      throw invalid(this, 'The number of otherSubnets', otherSubnets.length, '0 with oneZone', fix);
    }
    const zones = subnets.map(({ availabilityZone }) => availabilityZone).filter(isConcrete);
    const twice = zones.find((zone, index) => zones.indexOf(zone) !== index);
    if (twice !== undefined) {
      const fix = "Name one subnet for each zone, and none in the network's.";
      throw invalid(this, 'otherSubnets', twice, 'a zone that no other subnet is in', fix);
    }
  }
}

const MODES: { [mode: string]: efs.ThroughputMode } = {
  elastic: efs.ThroughputMode.ELASTIC,
  provisioned: efs.ThroughputMode.PROVISIONED,
  bursting: efs.ThroughputMode.BURSTING,
};

function mountTargetsOnly(): iam.PolicyDocument {
  return new iam.PolicyDocument({
    statements: [
      new iam.PolicyStatement({
        principals: [new iam.AnyPrincipal()],
        actions: [
          'elasticfilesystem:ClientMount',
          'elasticfilesystem:ClientWrite',
          'elasticfilesystem:ClientRootAccess',
        ],
        conditions: { Bool: { 'elasticfilesystem:AccessedViaMountTarget': 'true' } },
      }),
    ],
  });
}
