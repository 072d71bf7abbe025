import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { Construct, IDependable } from 'constructs';
import type { StorageDevices } from '../shared-file-system';
import { placementGroupSupport } from '../sizing';
import type { VolumeMap, VolumeReattachment } from '../volume-reattachment';
import type { CheckedNfsServer } from './checks';
import type { NfsStorageServerProps } from './props';

/** The tier of the server and its service, on volumes and without. */
export const TIER = 'nfs';

/** What is there before the server, of either kind. */
export interface ServerBase {
  readonly plan: CheckedNfsServer;
  readonly encryptionKey: kms.IKey;
  readonly securityGroup: ec2.ISecurityGroup;
  readonly props: NfsStorageServerProps;
}

/** What both kinds of server come to. */
export interface NfsServer {
  readonly address: string;
  readonly instanceType: ec2.InstanceType;
  readonly role: iam.IRole;
  readonly groupName: string;
  readonly served: IDependable;
  readonly devices?: StorageDevices[];
  readonly reattachment?: VolumeReattachment;
  readonly volumeMap?: VolumeMap;
}

/** What the host software of both kinds is told. */
export function serverSettings({ plan, props }: ServerBase): { [key: string]: string } {
  return {
    SERVICE: TIER,
    EXPORT_NAME: plan.exportName,
    CLIENTS: plan.clientRanges.join(','),
    ...(props.exportOptions?.length && { EXPORT_OPTIONS: props.exportOptions.join(',') }),
    ...(props.nfsdThreads !== undefined && { NFSD_THREADS: String(props.nfsdThreads) }),
  };
}

/** The address of the server; undefined where EC2 picks it. */
export function fixedAddress(
  scope: Construct,
  { address, network }: NfsStorageServerProps,
): string[] | undefined {
  if (address === undefined) return network.reserveAddresses(scope.node.path, 1);
  network._nameStorageAddresses(scope, [address]);
  return [address];
}

/** Where the server stands; undefined outside of any placement group. */
export function placement(
  props: NfsStorageServerProps,
  type: ec2.InstanceType,
): ec2.IPlacementGroup | undefined {
  if (props.usePlacementGroup === false) return undefined;
  const unknown = placementGroupSupport(type.toString()) === undefined;
  return props.network._storagePlacementGroupFor(type, unknown ? props.newInstanceTypes : undefined);
}
