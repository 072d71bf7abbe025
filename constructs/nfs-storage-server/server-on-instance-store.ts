import { Annotations, Size } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { HostBundle, HostRole } from '../host';
import { invalid } from '../private/validation';
import { LocalNfsServer, mappedDisks } from './local-server';
import type { NfsStorageServerProps } from './props';
import { fixedAddress, type NfsServer, placement, type ServerBase, serverSettings } from './server';
import { adviseOtherFileSystem, localServer } from './sizes';
import type { InstanceStoreNfsStorageProps } from './storage';

/** A server whose data is on the disks inside of it. */
export function serverOnInstanceStore(
  scope: Construct,
  base: ServerBase,
  storage: InstanceStoreNfsStorageProps,
): NfsServer {
  const { props, plan, encryptionKey, securityGroup } = base;
  const hostBundle = new HostBundle();
  const { instanceType, store, load } = localServer(scope, storage);
  requireOnDemand(scope, props, storage);
  adviseOtherFileSystem(scope, { ...load, clients: props.expectedClients });
  const disks = mappedDisks(store);
  if (disks.length > 0) {
    Annotations.of(scope).addWarningV2(
      'cdk-sas-grid:instanceStoreNotEncrypted',
      `The disks of ${instanceType.toString()} are not NVMe: AWS does not encrypt what is on them. ` +
        'NVMe instance store is always encrypted.',
    );
  }
  hostBundle.addRole(HostRole.NFS_SERVER, {
    ...serverSettings(base),
    KIND: 'instance-store',
    INSTANCE_STORE_DISKS: String(store.disks),
    ...(disks.length > 0 && { DISK_DEVICES: disks.map(({ device }) => device).join(' ') }),
  });
  const server = new LocalNfsServer(scope, 'Server', {
    instanceType,
    store,
    machineImage: props.machineImage,
    hostBundle,
    subnet: props.network.privateSubnets[0]!,
    securityGroup,
    address: fixedAddress(scope, props)?.[0],
    after: props.network.addressesReserved,
    placementGroup: placement(props, instanceType),
    capacityReservation: props.capacityReservation,
    encryptionKey,
    rootDeviceName: props.rootDeviceName ?? '/dev/sda1',
    rootVolumeGiB: (props.rootVolumeSize ?? Size.gibibytes(100)).toGibibytes(),
    hostName: plan.hostName,
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
