import type { InstanceBlockDeviceMappingSpecification } from '@aws-sdk/client-ec2';
import { ServiceError } from '../errors';
import type { InterfaceAttachmentTruth, VolumeAttachmentTruth } from '../state';
import type { SimulatedEc2 } from './ec2';

type Held = VolumeAttachmentTruth | InterfaceAttachmentTruth;

/**
 * ModifyInstanceAttribute of block devices. Whoever names a device and nothing else dooms it: "the default is true"
 * (EC2 API reference, ModifyInstanceAttribute).
 */
export function doomVolumes(
  ec2: SimulatedEc2,
  instanceId: string,
  mappings: readonly InstanceBlockDeviceMappingSpecification[],
): void {
  const instance = ec2.instances.get(instanceId);
  if (instance === undefined)
    throw new ServiceError('InvalidInstanceID.NotFound', `The instance ID '${instanceId}' does not exist`);
  if (['shutting-down', 'terminated'].includes(instance.state)) {
    const message = `The instance '${instanceId}' is not in a valid state for this operation.`;
    throw new ServiceError('IncorrectInstanceState', message);
  }
  const found = mappings.map(({ DeviceName, Ebs }) => {
    for (const volume of ec2.volumes.values())
      for (const held of volume.attachments)
        if (held.instanceId === instanceId && held.device === DeviceName) return { volume, held, Ebs };
    throw new ServiceError(
      'InvalidInstanceAttributeValue',
      `No device is currently mapped at '${DeviceName}'`,
    );
  });
  for (const { volume, held, Ebs } of found) {
    doom(ec2, held, Ebs?.DeleteOnTermination ?? true);
    ec2.noteVolume(volume);
  }
}

/** ModifyNetworkInterfaceAttribute of an attachment. */
export function doomInterface(
  ec2: SimulatedEc2,
  interfaceId: string,
  attachmentId: string | undefined,
  doomed: boolean,
): void {
  const found = ec2.interfaces.get(interfaceId);
  if (found === undefined)
    throw new ServiceError(
      'InvalidNetworkInterfaceID.NotFound',
      `The networkInterface ID '${interfaceId}' does not exist`,
    );
  if (found.attachment?.id !== attachmentId || found.attachment === undefined) {
    const message = `The interface attachment '${attachmentId}' does not exist.`;
    throw new ServiceError('InvalidAttachmentID.NotFound', message);
  }
  doom(ec2, found.attachment, doomed);
  ec2.noteInterface(found);
}

/**
 * Somebody, or a rule for tidy accounts, has it so; false when nothing of the slot is attached to an instance that
 * lives.
 */
export function doomByHand(ec2: SimulatedEc2, slot: string, what: 'volumes' | 'interface' | 'both'): boolean {
  let struck = false;
  const lives = ({ instanceId }: Held) =>
    !['shutting-down', 'terminated'].includes(ec2.instances.get(instanceId)?.state ?? 'terminated');
  for (const volume of what === 'interface' ? [] : ec2.volumes.values()) {
    if (volume.slot !== slot) continue;
    for (const held of volume.attachments.filter(lives)) {
      doom(ec2, held, true);
      ec2.noteVolume(volume);
      struck = true;
    }
  }
  for (const one of what === 'volumes' ? [] : ec2.interfaces.values()) {
    if (one.slot !== slot || one.attachment === undefined || !lives(one.attachment)) continue;
    doom(ec2, one.attachment, true);
    ec2.noteInterface(one);
    struck = true;
  }
  return struck;
}

/** What EC2 would delete, with the instances that have it. */
export function* doomedThings(
  ec2: SimulatedEc2,
): Generator<{ id: string; instanceId: string; since: number }> {
  const held = [
    ...[...ec2.volumes.values()].flatMap(({ id, attachments }) => attachments.map((each) => ({ id, each }))),
    ...[...ec2.interfaces.values()].flatMap(({ id, attachment }) =>
      attachment ? [{ id, each: attachment }] : [],
    ),
  ];
  for (const { id, each } of held)
    if (each.doomedSince !== undefined) yield { id, instanceId: each.instanceId, since: each.doomedSince };
}

/** Once more changes nothing: it is so since the first time. */
function doom(ec2: SimulatedEc2, held: Held, doomed: boolean): void {
  held.doomedSince = doomed ? (held.doomedSince ?? ec2.now()) : undefined;
}
