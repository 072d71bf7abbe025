import { Size } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { HostBundle, HostRole } from '../host';
import { requireRetainedKey } from '../private/retained-key';
import { VolumeMap, VolumeReattachment } from '../volume-reattachment';
import { NfsBackupPlan } from './backup';
import { fixedAddress, type NfsServer, placement, type ServerBase, serverSettings, TIER } from './server';
import { adviseOtherFileSystem, ebsServer } from './sizes';
import type { EbsNfsStorageProps } from './storage';

/** A server whose volumes and address outlive it. */
export function serverOnVolumes(scope: Construct, base: ServerBase, storage: EbsNfsStorageProps): NfsServer {
  const { props, encryptionKey, securityGroup } = base;
  const hostBundle = new HostBundle();
  const { instanceType, volumes, load } = ebsServer(scope, storage);
  adviseOtherFileSystem(scope, { ...load, clients: props.expectedClients });
  hostBundle.addRole(HostRole.NFS_SERVER, {
    ...serverSettings(base),
    KIND: 'ebs',
    VOLUMES_PER_SLOT: String(volumes.length),
  });
  const volumeMap = new VolumeMap(scope, 'VolumeMap', { encryptionKey });
  const tier = new VolumeReattachment(scope, 'Server', {
    tier: TIER,
    slotCount: 1,
    standby: storage.standby,
    fallbackInstanceTypes: storage.fallbackInstanceTypes,
    volumes,
    existingVolumes: storage.existingVolumes,
    restoreFrom: storage.restoreFrom,
    neverChanges: { exportName: base.plan.exportName },
    addresses: fixedAddress(scope, props),
    vpc: props.network.vpc,
    subnet: props.network.privateSubnets[0]!,
    securityGroup,
    placementGroup: placement(props, instanceType),
    capacityReservation: props.capacityReservation,
    instanceType,
    machineImage: props.machineImage,
    hostBundle,
    volumeMap,
    rootVolumeSize: props.rootVolumeSize ?? Size.gibibytes(100),
    rootDeviceName: props.rootDeviceName ?? '/dev/sda1',
    recoveryTimeout: storage.recoveryTimeout,
    schedule: storage.schedule,
    healthProbe: storage.healthProbe,
    alarmTopic: props.alarmTopic,
  });
  if (storage.backup) {
    new NfsBackupPlan(scope, 'Backup', {
      ...storage.backup,
      tierTag: tier.tierTag,
      volumeIds: tier.slots[0]!.volumeIds,
      key: encryptionKey,
      alarmTopic: props.alarmTopic,
    });
    // Data Lifecycle Manager makes them; they stay also when the volumes go.
    requireRetainedKey(encryptionKey, `the snapshots of ${scope.node.path}`, 'kept');
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
