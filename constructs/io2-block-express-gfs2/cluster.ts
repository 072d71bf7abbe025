import {
  Aws,
  CfnWaitCondition,
  type CustomResource,
  Duration,
  RemovalPolicy,
  Stack,
  Tags,
  Token,
  Validations,
} from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import { Construct, DependencyGroup, type IDependable } from 'constructs';
import { systemsManagerAgentRole } from '../private/agent-role';
import { allowAutoScaling } from '../private/auto-scaling-key';
import { FixedValues } from '../private/fixed-values';
import { addOwnTag, keepRemovalPolicies } from '../private/last-word';
import { allowSignal, waitForSignals } from '../private/resource-signal';
import { keptKey, requireRetainedKey } from '../private/retained-key';
import { zoneOf } from '../private/subnet-zone';
import { FORMATTED_TAG, POSITION_TAG } from '../private/tags';
import { MULTI_ATTACH_NODES } from '../sizing';
import { AttachmentKeeper } from './attachment-keeper';
import { CLUSTER_TAG, SHARED_SLOT } from './cluster-tag';
import type { IIo2Host } from './host';
import { ClusterNode } from './node';
import { allowCluster } from './permissions';
import { Gfs2Fencing } from './props';
import { type CheckedProps, placementGroup } from './single-host';

/**
 * What nodes call: to attach what is theirs and to fence, for the key of their membership, and to say that they have
 * mounted.
 */
const NODE_SERVICES = [
  ec2.InterfaceVpcEndpointAwsService.EC2,
  ec2.InterfaceVpcEndpointAwsService.SECRETS_MANAGER,
  ec2.InterfaceVpcEndpointAwsService.CLOUDFORMATION,
];

// Red Hat, "Configuring and managing high availability clusters": corosync's knet and the lock manager's TCP. RHEL's
// kernel gives the lock manager no other port, and neither needs more than one.
const COROSYNC = ec2.Port.udp(5405);
const LOCK_MANAGER = ec2.Port.tcp(21064);

/** Corosync wants 128 bytes of key and takes up to 4096. */
const KEY_CHARACTERS = 256;

/** Whether the volumes are blank: neither somebody's nor made of a set. */
const mayFormat = ({ existingVolumes, restoreFrom }: CheckedProps): boolean =>
  !existingVolumes && !restoreFrom;

/**
 * GFS2 on volumes that all nodes share. A node is an Auto Scaling group of one and a network interface with a fixed
 * address, which is how the others know it. Each instance attaches the volumes and its address to itself: EC2 has no
 * way to start an instance with existing volumes, and nothing else than the instance is there whenever it starts.
 */
export class Cluster extends Construct {
  readonly hosts: IIo2Host[];
  readonly volumeIds: string[];
  readonly encryptionKey: kms.IKey;
  readonly served: DependencyGroup;
  readonly tag: string;
  /** The tag, with the name of its stack as it is written elsewhere. */
  readonly tagIn: (stackName: string) => string;

  constructor(scope: Construct, id: string, props: CheckedProps) {
    super(scope, id);
    const { network, securityGroup } = props;
    const clusterName = props.clusterName ?? 'sasgfs2';
    this.tagIn = (stackName) => `${stackName}/${clusterName}-${this.node.addr.slice(-8)}`;
    this.tag = this.tagIn(Aws.STACK_NAME);
    addOwnTag(this, CLUSTER_TAG, this.tag);
    network._requireServices(this, NODE_SERVICES);
    openPorts(securityGroup);
    this.encryptionKey =
      props.encryptionKey ?? keptKey(this, 'Key', `Shared volumes and cluster key of ${scope.node.path}`);
    allowAutoScaling(this, this.encryptionKey);
    const fixed = new FixedValues(this, 'Fixed', { encryptionKey: this.encryptionKey });
    const zone = zoneOf(network.privateSubnets[0]!);
    const shape = this.fixShape(fixed, props, clusterName, zone);
    const volumes = props.existingVolumes ? [] : this.newVolumes(props, clusterName, zone);
    this.volumeIds = props.existingVolumes ?? volumes.map((volume) => Token.asString(volume.ref));
    const stores = props.existingVolumes ? 'kept' : volumes;
    requireRetainedKey(this.encryptionKey, `the volumes of ${this.node.path}`, stores);
    const authKey = this.membershipKey(clusterName);

    const role = systemsManagerAgentRole(this, 'Role', `Nodes of the cluster ${clusterName}`);
    const nodes = this.newNodes(props);
    this.hosts = nodes;
    const interfaces = nodes.map(({ networkInterface }) => networkInterface);
    for (const each of [...volumes, ...interfaces]) each.node.addDependency(shape);
    const identity = fixed.add(
      'Identity',
      // The volumes as one value: they are one volume group, which neither grows nor shrinks by a deployment.
      { volumeIds: this.volumeIds.join(', '), addresses: nodes.map(({ address }) => address) },
      'Other volumes hold other data, and members know each other by their addresses: undo the change.',
    );
    const rights = allowCluster(this, {
      role,
      tag: this.tag,
      key: this.encryptionKey,
      volumeIds: this.volumeIds,
      mayFormat: mayFormat(props),
      interfaceIds: nodes.map((node) => node.networkInterfaceId),
    });
    authKey.grantRead(role);

    const mounted = this.waitForMount(props.mountTimeout ?? Duration.hours(1), nodes.length);
    if (mounted) allowSignal(this, role, 'TellMounted');
    const settings = this.settingsOfNodes(props, clusterName, nodes, authKey);
    this.served = new DependencyGroup(...(mounted ? [mounted] : []));
    const reserved = this.reservedCapacity(props);
    const keeper = this.keepAttachments(props, nodes);
    // Whatever a node needs is there before it, and goes after it.
    const needed = [role, rights, authKey, identity, keeper.before, ...volumes, ...interfaces, ...reserved];
    const groups = nodes.map((node) =>
      node.launch({ ...props, encryptionKey: this.encryptionKey }, role, settings, mounted),
    );
    for (const group of groups) group.node.addDependency(...needed);
    this.served.add(...groups);
    keeper.guard(groups);
  }

  private keepAttachments(props: CheckedProps, nodes: readonly IIo2Host[]): AttachmentKeeper {
    return new AttachmentKeeper(this, 'AttachmentKeeper', {
      tag: this.tag,
      volumeIds: this.volumeIds,
      interfaceIds: nodes.map((node) => node.networkInterfaceId),
      adopted: props.existingVolumes !== undefined,
      restored: props.restoreFrom && { set: props.restoreFrom.set, ...SHARED_SLOT },
      key: this.encryptionKey,
      alarmTopic: props.alarmTopic,
    });
  }

  /**
   * What CloudFormation cannot change, or would change under the hands of running nodes, whose rights rest on the name.
   */
  private fixShape(
    fixed: FixedValues,
    props: CheckedProps,
    clusterName: string,
    zone: string,
  ): CustomResource {
    const { volumes, stripeKiB } = props.plan;
    const { count, sizeGiB, iops } = volumes;
    const ofNewVolumes = {
      zone,
      encryptionKey: this.encryptionKey.keyArn,
      volumes: `${count} of ${sizeGiB} GiB, ${iops} IOPS`,
      // Nodes that may format come with other volumes only.
      ...(props.restoreFrom && { restoredFrom: props.restoreFrom.set }),
    };
    return fixed.add(
      'Shape',
      { clusterName, stripe: `${stripeKiB} KiB`, ...(props.existingVolumes ? {} : ofNewVolumes) },
      'Undo the change: name throughputMBps and iopsAdjustment as they were, so that the volumes stay when the ' +
        "type or the number of hosts changes. For other volumes see 'What cannot change' in the README of " +
        'Io2BlockExpressGfs2.',
    );
  }

  /**
   * Completes when every node has told that the file system is mounted. Nothing comes before it: a signal that nobody
   * waits for yet is refused.
   */
  private waitForMount(timeout: Duration, count: number): CfnWaitCondition | undefined {
    const creationPolicy = waitForSignals(timeout, count);
    if (!creationPolicy) return undefined;
    const condition = new CfnWaitCondition(this, 'Mounted');
    condition.cfnOptions.creationPolicy = creationPolicy;
    return condition;
  }

  private newVolumes(props: CheckedProps, clusterName: string, zone: string): ec2.CfnVolume[] {
    const { count, sizeGiB, iops } = props.plan.volumes;
    return Array.from({ length: count }, (_, position) => {
      // The L1, since ec2.Volume refuses more than 500 IOPS per GiB for io2 while Block Express allows 1,000.
      const volume = new ec2.CfnVolume(this, `Volume${position}`, {
        availabilityZone: zone,
        encrypted: true,
        kmsKeyId: this.encryptionKey.keyArn,
        size: sizeGiB,
        volumeType: ec2.EbsDeviceVolumeType.IO2,
        iops,
        multiAttachEnabled: true,
        snapshotId: props.restoreFrom?.snapshots[position],
      });
      Tags.of(volume).add('Name', clusterName);
      addOwnTag(volume, POSITION_TAG, String(position));
      // Kept whenever CloudFormation would remove it: by then the nodes may have written to it.
      volume.applyRemovalPolicy(RemovalPolicy.RETAIN);
      keepRemovalPolicies(volume);
      return volume;
    });
  }

  private newNodes(props: CheckedProps): ClusterNode[] {
    const { network, plan, securityGroup } = props;
    const addresses = props.addresses ?? network.reserveAddresses(this.node.path, plan.nodeCount);
    return Array.from(
      { length: plan.nodeCount },
      (_, index) =>
        new ClusterNode(this, `Node${index + 1}`, {
          name: `${props.nodeNamePrefix ?? 'node'}${index + 1}`,
          address: addresses?.[index],
          subnet: network.privateSubnets[0]!,
          securityGroup,
        }),
    );
  }

  /** What the host software of each node is told of the cluster. */
  private settingsOfNodes(
    props: CheckedProps,
    clusterName: string,
    nodes: readonly ClusterNode[],
    authKey: secretsmanager.Secret,
  ): { [name: string]: string } {
    const { plan, fencing } = props;
    return {
      CLUSTER: clusterName,
      NODES: nodes.map(({ name, address }) => `${name}=${address}`).join(','),
      VOLUMES: this.volumeIds.join(','),
      MOUNT_POINT: plan.mountPoint,
      ...(mayFormat(props) ? { MAY_FORMAT: 'yes', FORMATTED_TAG } : { MAY_FORMAT: 'no' }),
      STRIPE_KIB: String(plan.stripeKiB),
      // A journal for each node that there can ever be.
      SPARE_JOURNALS: String(MULTI_ATTACH_NODES.max - plan.nodeCount),
      FENCE: fencing ?? Gfs2Fencing.EC2,
      REGION: Stack.of(this).region,
      AUTHKEY_SECRET: authKey.secretArn,
    };
  }

  private reservedCapacity(props: CheckedProps): IDependable[] {
    if (!props.capacityReservation) return [];
    const reservation = props.capacityReservation._make(this, 'CapacityReservation', {
      instanceType: props.plan.instanceType,
      count: props.plan.nodeCount,
      zone: zoneOf(props.network.privateSubnets[0]!),
      placementGroup: placementGroup(props),
    });
    return [reservation];
  }

  /** What the members authenticate and encrypt their membership with. */
  private membershipKey(clusterName: string): secretsmanager.Secret {
    const secret = new secretsmanager.Secret(this, 'MembershipKey', {
      description: `Key of the members of the cluster ${clusterName}`,
      encryptionKey: this.encryptionKey,
      generateSecretString: { passwordLength: KEY_CHARACTERS, excludePunctuation: true },
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'A member with another key than the others is no member: rotation would take the cluster apart. All ' +
        'nodes change it together, by hand.',
    });
    return secret;
  }
}

function openPorts({ connections }: ec2.ISecurityGroup): void {
  connections.allowInternally(COROSYNC, 'Cluster membership (corosync)');
  connections.allowInternally(LOCK_MANAGER, 'Distributed lock manager');
}
