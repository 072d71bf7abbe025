import { ServiceError } from '../errors';
import type { SimulatedEc2 } from './ec2';

/** Somebody has a volume detached in the console; false when EC2 refuses. */
export function detachByHand({ attachments }: SimulatedEc2, volumeId: string, force: boolean): boolean {
  try {
    attachments.volumes.detach(volumeId, undefined, force, 'hand');
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** The same of an interface; false when it hangs nowhere, or is on its way off. */
export function detachInterfaceByHand({ attachments, interfaces }: SimulatedEc2, id: string): boolean {
  const attachment = interfaces.get(id)?.attachment;
  if (attachment === undefined || attachment.state === 'detaching') return false;
  attachments.interfaces.detach(attachment.id, 'hand');
  return true;
}

/** Whether a volume or an interface hangs on the instance, in whatever state. */
export function holdsSomething({ volumes, interfaces }: SimulatedEc2, instanceId: string): boolean {
  for (const volume of volumes.values()) if (volume.attachments[0]?.instanceId === instanceId) return true;
  for (const { attachment } of interfaces.values()) if (attachment?.instanceId === instanceId) return true;
  return false;
}
