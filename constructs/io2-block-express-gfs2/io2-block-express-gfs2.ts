import { Stack } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct, type IConstruct, type IDependable } from 'constructs';
import { HostRole } from '../host';
import { checkArguments } from '../private/inputs/check';
import { acknowledgeNames } from '../private/named-on-purpose';
import { invalid } from '../private/validation';
import type { IMountTarget, MountOptions, StorageDescription } from '../shared-file-system';
import { io2MonthlyUsd } from '../sizing';
import type { VolumeMap, VolumeReattachment } from '../volume-reattachment';
import { checkedCluster } from './checks';
import { Cluster } from './cluster';
import { addGrid } from './grid';
import type { IIo2Host } from './host';
import type { IIo2BlockExpressGfs2 } from './interface';
import type { Io2BlockExpressGfs2Props, Io2GridOptions, Io2Volumes } from './props';
import { SingleHost } from './single-host';

/**
 * A file system on io2 Block Express volumes (paper 004): XFS on one host, or GFS2 shared by a cluster of 2 to 16
 * hosts. The hosts are part of it; whatever else they are for is added to the software of `hosts`.
 *
 * IOPS follow from throughput: one for each 256 KiB a second. Above 4000 MB/s there are several volumes with equal
 * shares, striped.
 */
export class Io2BlockExpressGfs2 extends Construct implements IIo2BlockExpressGfs2 {
  /** `xfs` on one host, `gfs2` in a cluster. */
  readonly fileSystemType: string;

  /** What it is made of. */
  readonly storageDescription?: StorageDescription;

  /** Its type, the volumes in their order, and in a cluster its name and its stripe. */
  readonly neverChanges?: { readonly [name: string]: unknown };

  /** Where it is mounted, on every host. */
  readonly mountPoint: string;

  /** The hosts that have it. A host of a cluster knows its place; the order never changes. */
  readonly hosts: IIo2Host[];

  /** What the volumes are. For a cluster, note it down and name it in `deployedVolumes` once it is deployed. */
  readonly volumes: Io2Volumes;

  /** Ids of the volumes. */
  readonly volumeIds: string[];

  /** What the volumes deliver together, in MB/s (10^6 bytes a second). */
  readonly throughputMBps: number;

  /** What the volumes cost a month in us-east-1, in USD, by the prices of paper 004. */
  readonly monthlyVolumeUsd: number;

  /** The hosts' security group. */
  readonly connections: ec2.Connections;

  /** Encrypts the volumes. */
  readonly encryptionKey: IKey;

  /**
   * What comes after the file system depends on this: its hosts have mounted it, for the first time when it is a
   * cluster.
   */
  readonly served: IDependable;

  /** The slot of the one host; undefined for a cluster. */
  readonly tier?: VolumeReattachment;

  /** Says which instance is the one host; undefined for a cluster. */
  readonly volumeMap?: VolumeMap;

  /**
   * Value of the tag `cdk-sas-grid:cluster` on all that belongs to the cluster; its permissions rest on it. Undefined
   * for one host.
   */
  readonly clusterTag?: string;

  private readonly cluster?: Cluster;
  private readonly instanceType: ec2.InstanceType;
  private readonly alarmTopic?: sns.ITopic;

  /**
   * @throws when a property is out of its range, when the volumes would not be what io2 allows or not what is deployed,
   * or when a cluster's image has no GFS2
   */
  constructor(scope: Construct, id: string, props: Io2BlockExpressGfs2Props) {
    ({ props } = checkArguments('Io2BlockExpressGfs2', { scope, id, props }));
    super(scope, id);
    acknowledgeNames(this);
    this.instanceType = props.instanceType ?? new ec2.InstanceType('r5b.12xlarge');
    this.alarmTopic = props.alarmTopic;
    const planned = checkedCluster(this, props, this.instanceType);
    this.mountPoint = planned.mountPoint;
    this.volumes = planned.volumes;
    this.throughputMBps = planned.throughputMBps;
    const { count, sizeGiB, iops } = planned.volumes;
    this.monthlyVolumeUsd = io2MonthlyUsd({ volumes: count, sizeGiB, iops });
    const { network } = props;
    network._nameStorageAddresses(this, props.addresses);
    const securityGroup = new ec2.SecurityGroup(this, 'SecurityGroup', {
      vpc: network.vpc,
      description: `Hosts of ${this.node.path}`,
      allowAllOutbound: false,
    });
    for (const port of [80, 443]) {
      securityGroup.addEgressRule(ec2.Peer.anyIpv4(), ec2.Port.tcp(port), 'Packages and AWS APIs');
    }
    this.connections = securityGroup.connections;
    // The hosts' own addresses are EC2's choice, which must not fall on one that is reserved.
    this.node.addDependency(network.addressesReserved);

    if (planned.nodeCount === 1) {
      const single = new SingleHost(this, 'Host', { ...props, plan: planned, securityGroup });
      this.fileSystemType = 'xfs';
      this.hosts = [single.host];
      this.tier = single.tier;
      this.volumeMap = single.volumeMap;
      this.volumeIds = single.tier.slots[0]!.volumeIds;
      this.encryptionKey = single.encryptionKey;
      this.served = single.tier.served;
    } else {
      const cluster = new Cluster(this, 'Cluster', { ...props, plan: planned, securityGroup });
      this.cluster = cluster;
      this.fileSystemType = 'gfs2';
      this.hosts = cluster.hosts;
      this.clusterTag = cluster.tag;
      this.volumeIds = cluster.volumeIds;
      this.encryptionKey = cluster.encryptionKey;
      this.served = cluster.served;
    }
    const devices = [{ count, type: 'io2', sizeGiB, iops }];
    this.storageDescription = { kind: this.fileSystemType, servers: 0, devices };
    const { hostBundle } = this.hosts[0]!;
    this.neverChanges = {
      fileSystemType: this.fileSystemType,
      // They are one group, whose name is the cluster's. Adopted volumes are no resources of the stack, and known by
      // their ids only.
      volumes: this.volumeIds,
      clusterName: hostBundle.setting(HostRole.GFS2_NODE, 'CLUSTER'),
      // Where nodes share volumes: what CloudFormation would refuse in the middle of the deployment.
      stripeKiB: hostBundle.setting(HostRole.GFS2_NODE, 'STRIPE_KIB'),
    };
  }

  /**
   * Makes the hosts the nodes of a SAS grid: their names among each other, the account `sas`, limits, the directories
   * of SAS and LSF on the file system, scratch on their own disks, which is cleaned up, and the ports of SAS Grid
   * Manager; a function asks them every five minutes whether they can do their work. One host alone is a SAS server,
   * without LSF. There is no `SasGridCluster` besides: no other host can reach the volumes.
   *
   * @throws when a number is out of its range, or when scratch would cover the file system
   */
  addGrid(options: Io2GridOptions = {}): void {
    ({ options } = checkArguments('Io2BlockExpressGfs2#addGrid', { options }, this));
    addGrid(this, this.instanceType, options, this.alarmTopic);
  }

  /**
   * The value of `clusterTag` as a construct of any stack has to write it: a token of this stack means another one
   * there.
   *
   * @internal
   */
  _clusterTagIn(scope: IConstruct): string {
    const own = Stack.of(this);
    return Stack.of(scope) === own ? this.clusterTag! : this.cluster!.tagIn(own.stackName);
  }

  /**
   * Accepts a host that has the volumes; it mounts the file system without this. Any other host cannot: the volumes
   * are attached to `hosts` only.
   *
   * @throws when the host is not one of `hosts`, when the mount point is not `mountPoint`, or when it is to be read
   * only
   */
  mountOn(target: IMountTarget, options: MountOptions): void {
    ({ target, options } = checkArguments('Io2BlockExpressGfs2#mountOn', { target, options }, this));
    if (!this.hosts.some((host) => host.hostBundle === target.hostBundle)) {
      throw invalid(
        this,
        'The host to mount on',
        'not one that has the volumes',
        `one of hosts: ${this.hosts.map((host) => host.name).join(', ')}`,
        'Add what the host is for to hostBundle of one of hosts, with more hosts if need be (nodeCount, up to ' +
          '16); for other hosts use a file system that is served, such as IntelLustre.',
      );
    }
    if (options.mountPoint !== this.mountPoint) {
      const fix = 'Name it in the property mountPoint: all hosts mount it at the same place.';
      throw invalid(this, 'The mount point', options.mountPoint, `'${this.mountPoint}'`, fix);
    }
    if (options.readOnly) {
      const fix = 'Give users of this host no right to write instead.';
      throw invalid(this, 'readOnly', true, 'false: the hosts have the volumes to write', fix);
    }
  }
}
