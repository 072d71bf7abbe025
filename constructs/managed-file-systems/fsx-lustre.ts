import { Duration } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as fsx from 'aws-cdk-lib/aws-fsx';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct, DependencyGroup, type IDependable } from 'constructs';
import { LustreSoftware } from '../intel-lustre';
import { checkArguments } from '../private/inputs/check';
import { setRemovalPolicy } from '../private/last-word';
import { requireRetainedKey } from '../private/retained-key';
import { invalid } from '../private/validation';
import type {
  ILustreFileSystem,
  IMountTarget,
  MountOptions,
  StorageDescription,
} from '../shared-file-system';
import { FSX_LUSTRE_VERSIONS } from '../sizing';
import { fsxSchedule, removalPolicyOf, requireBackupId, requireOneOf } from './checks';
import { addRepository, checkRepositories, repositoryId } from './data-repositories';
import { ExistingLustre } from './existing';
import type { ExistingLustreOptions } from './existing-props';
import type { FsxLustreAttributes, FsxLustreProps } from './fsx-lustre-props';
import type { FsxLustreStorage } from './fsx-lustre-storage';
import { connectionsOf, describe, keyOf, waitForOwnRules } from './managed';
import { type LustreSource, mountLustre, openPorts, serviceName } from './mount';
import { LUSTRE_PORTS } from './ports';
import { FsxLustreTuning } from './tuning';

const DEFAULT_VERSION = '2.15';

/**
 * Amazon FSx for Lustre (PERSISTENT_2): Lustre that AWS runs, in one Availability Zone. Data is encrypted at rest, and
 * on its way to instance types that encrypt it.
 */
export class FsxLustre extends Construct implements ILustreFileSystem, ec2.IConnectable {
  /**
   * An FSx for Lustre file system of this region that exists already, mounted with AWS's tuning.
   *
   * @param options who opens its ports, and what clients do
   */
  static fromAttributes(
    scope: Construct,
    id: string,
    attributes: FsxLustreAttributes,
    options: ExistingLustreOptions = {},
  ): ExistingLustre {
    ({ attributes, options } = checkArguments('FsxLustre.fromAttributes', {
      scope,
      id,
      attributes,
      options,
    }));
    return new ExistingLustre(scope, id, {
      tuning: FsxLustreTuning.awsClient(),
      largeClientTuning: true,
      ...options,
      mgsNid: `${serviceName(scope, 'fsx', attributes.fileSystemId)}@tcp`,
      fileSystemName: attributes.mountName,
    });
  }

  /** `lustre`. */
  readonly fileSystemType = 'lustre';

  /** What it is made of. */
  readonly storageDescription?: StorageDescription;

  /** Id of the file system. */
  readonly fileSystemId: string;

  /** Its DNS name. */
  readonly dnsName: string;

  /** The name that it is mounted by. FSx chooses it. */
  readonly mountName: string;

  /** What is mounted: `<dnsName>@tcp:/<mountName>`. */
  readonly mountSource: string;

  /** What the data lies on. */
  readonly storage: FsxLustreStorage;

  /** Encrypts the data. */
  readonly encryptionKey: IKey;

  /** The security group of the file system. Its default port is Lustre's. */
  readonly connections: ec2.Connections;

  /** What needs the file system depends on this. */
  readonly served: IDependable;

  private readonly source: LustreSource;

  constructor(scope: Construct, id: string, props: FsxLustreProps) {
    ({ props } = checkArguments('FsxLustre', { scope, id, props }));
    super(scope, id);
    requireBackupId(this, props.backupId);
    const repositories = props.s3DataRepositories ?? [];
    checkRepositories(this, repositories);
    const schedule = fsxSchedule(this, props, Duration.days(30));
    const days = schedule.automaticBackupRetentionDays;
    if (repositories.length > 0) this.checkLinked(props, days);
    const removalPolicy = removalPolicyOf(this, props.removalPolicy);
    this.storage = props.storage;
    this.storageDescription = describe('fsx-lustre', props.storage.throughputMBps);
    this.encryptionKey = keyOf(this, props);
    this.connections = connectionsOf(this, props, LUSTRE_PORTS[0]!);
    if (props.securityGroup)
      for (const port of LUSTRE_PORTS) this.connections.allowInternally(port, 'Lustre');

    const version = props.lustreVersion ?? DEFAULT_VERSION;
    const fix = 'Leave it out, or name one of these.';
    requireOneOf(this, 'lustreVersion', version, FSX_LUSTRE_VERSIONS, fix);
    const { securityGroups } = this.connections;
    const fileSystem = new fsx.CfnFileSystem(this, 'FileSystem', {
      fileSystemType: 'LUSTRE',
      backupId: props.backupId,
      fileSystemTypeVersion: version,
      storageType: props.storage.storageType,
      storageCapacity: props.storage.capacityGiB,
      subnetIds: [props.network.privateSubnets[0]!.subnetId],
      securityGroupIds: securityGroups.map(({ securityGroupId }) => securityGroupId),
      kmsKeyId: this.encryptionKey.keyArn,
      lustreConfiguration: {
        deploymentType: 'PERSISTENT_2',
        ...props.storage._configuration(),
        ...schedule,
        ...this.backupAndCompression(props, days),
      },
      tags: [{ key: 'Name', value: this.node.path }],
    });
    setRemovalPolicy(fileSystem, removalPolicy);
    requireRetainedKey(this.encryptionKey, `the data of ${this.node.path}`, [fileSystem]);
    // Its network interfaces must not take an address that a storage server has.
    fileSystem.node.addDependency(props.network.addressesReserved);
    for (const group of securityGroups) waitForOwnRules(fileSystem, group);

    this.fileSystemId = fileSystem.ref;
    this.dnsName = serviceName(this, 'fsx', fileSystem.ref);
    this.mountName = fileSystem.attrLustreMountName;
    this.mountSource = `${this.dnsName}@tcp:/${this.mountName}`;
    this.served = new DependencyGroup(
      fileSystem,
      ...repositories.map((repository, index) =>
        addRepository(this, repositoryId(repository, index), fileSystem.ref, repository, removalPolicy),
      ),
    );
    this.source = {
      fileSystemName: this.mountName,
      mgsNid: `${this.dnsName}@tcp`,
      software: props.client?.software ?? LustreSoftware.preinstalled(),
      tuning: props.client?.tuning ?? FsxLustreTuning.awsClient(),
      largeClientTuning: props.client?.largeClientTuning ?? true,
    };
  }

  private backupAndCompression(
    props: FsxLustreProps,
    days: number,
  ): fsx.CfnFileSystem.LustreConfigurationProperty {
    return {
      // Never by what the retention is: CloudFormation replaces the file system when this changes, also from false to
      // nothing.
      copyTagsToBackups: this.copyTags(props, days) ? true : undefined,
      dataCompressionType: props.dataCompression ? 'LZ4' : 'NONE',
    };
  }

  /**
   * Mounts the file system on a host at every start, with `flock` (SAS locks its libraries) and the parameters of
   * clients.
   *
   * @param target the host
   * @param options where to mount it
   * @throws when the mount point is not an absolute path, or when the host already mounts another Lustre file system
   */
  mountOn(target: IMountTarget, options: MountOptions): void {
    ({ target, options } = checkArguments('FsxLustre#mountOn', { target, options }, this));
    mountLustre(this, this.source, target, options);
    openPorts(target, this, LUSTRE_PORTS, true);
  }

  private checkLinked({ storage, backupRetention }: FsxLustreProps, days: number): void {
    if (storage.storageType !== 'SSD') {
      throw invalid(
        this,
        'The storage with s3DataRepositories',
        storage.storageType,
        'SSD',
        'FSx links no file system with Intelligent-Tiering to a bucket.',
      );
    }
    if (days === 0) return;
    throw invalid(
      this,
      'backupRetention in days',
      backupRetention ? days : `${days}, its default`,
      '0 with s3DataRepositories',
      'FSx makes no backups of a file system that is linked to a bucket. Name backupRetention: ' +
        'Duration.days(0), which ends automatic backups (count on losing those that there are), and export to the ' +
        'bucket; or link none.',
    );
  }

  /**
   * Whoever turns backups off, or had none, says what is deployed: a wrong guess would be an empty file system in its
   * place.
   */
  private copyTags({ copyTagsToBackups }: FsxLustreProps, days: number): boolean {
    if (copyTagsToBackups !== undefined || days > 0) return copyTagsToBackups ?? true;
    throw invalid(
      this,
      'copyTagsToBackups',
      'not named',
      'true or false with a backupRetention of 0 days',
      'CloudFormation replaces a file system with an empty one when this changes. Name false for a new one and ' +
        'for one that was deployed with 0 days; true for one that was deployed with backups. aws fsx ' +
        'describe-file-systems shows it.',
    );
  }
}
