import { Size } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { HostBundle, HostRole } from '../host';
import { placementGroupSupport } from '../sizing';
import { VolumeMap, VolumeReattachment } from '../volume-reattachment';
import type { CheckedCluster } from './checks';
import type { IIo2Host } from './host';
import type { Io2BlockExpressGfs2Props } from './props';

/** The properties of the file system, checked. */
export interface CheckedProps extends Io2BlockExpressGfs2Props {
  readonly plan: CheckedCluster;
  readonly securityGroup: ec2.ISecurityGroup;
}

/** The placement group for the hosts' type. */
export function placementGroup({ network, plan, newInstanceTypes }: CheckedProps): ec2.IPlacementGroup {
  const unknown = placementGroupSupport(plan.instanceType.toString()) === undefined;
  return network.placementGroupFor(plan.instanceType, unknown ? newInstanceTypes : undefined);
}

/** XFS on the volumes of one slot. A host that fails is replaced, and its replacement gets the volumes. */
export class SingleHost extends Construct {
  readonly tier: VolumeReattachment;
  readonly host: IIo2Host;
  readonly volumeMap: VolumeMap;
  readonly encryptionKey: IKey;

  constructor(scope: Construct, id: string, props: CheckedProps) {
    super(scope, id);
    const { network, plan, securityGroup } = props;
    const hostBundle = new HostBundle();
    hostBundle.addRole(HostRole.LOCAL_VOLUMES, {
      VOLUMES_PER_SLOT: String(plan.volumes.count),
      MOUNT_POINT: plan.mountPoint,
      STRIPE_KIB: String(plan.stripeKiB),
      READ_AHEAD_KIB: String(plan.readAheadKiB),
    });
    this.volumeMap = new VolumeMap(this, 'VolumeMap', { encryptionKey: props.encryptionKey });
    this.encryptionKey = this.volumeMap.encryptionKey;
    const volume = {
      volumeType: ec2.EbsDeviceVolumeType.IO2,
      size: Size.gibibytes(plan.volumes.sizeGiB),
      iops: plan.volumes.iops,
    };
    this.tier = new VolumeReattachment(this, 'Slot', {
      tier: 'io2',
      slotCount: 1,
      volumes: Array.from({ length: plan.volumes.count }, () => volume),
      existingVolumes: props.existingVolumes,
      restoreFrom: props.restoreFrom,
      addresses: props.addresses ?? network.reserveAddresses(this.node.path, 1),
      vpc: network.vpc,
      subnet: network.privateSubnets[0]!,
      securityGroup,
      placementGroup: placementGroup(props),
      capacityReservation: props.capacityReservation,
      instanceType: plan.instanceType,
      machineImage: props.machineImage,
      hostBundle,
      volumeMap: this.volumeMap,
      rootVolumeSize: props.rootVolumeSize ?? Size.gibibytes(100),
      rootDeviceName: props.rootDeviceName ?? '/dev/sda1',
      recoveryTimeout: props.recoveryTimeout,
      schedule: props.schedule,
      healthProbe: props.healthProbe,
      alarmTopic: props.alarmTopic,
    });
    const slot = this.tier.slots[0]!;
    const { name, address, networkInterfaceId } = slot;
    const { connections, autoScalingGroup } = this.tier;
    this.host = { name, address, networkInterfaceId, autoScalingGroup, hostBundle, connections };
  }
}
