import type { MapItem } from './aws/state';
import type { World } from './aws/world';

/** Something of a slot that is not attached to its owner. */
export interface Lacking {
  readonly id: string;
  /** Since when it is on its way off, milliseconds since 1970; undefined when it is off, or on its way back. */
  readonly leavesSince?: number;
}

interface Attachment {
  readonly instanceId: string;
  readonly state: string;
  readonly since: number;
}

/** What of the volumes and the interface that a row names its owner does not hold. */
export function lackingOf(world: World, row: MapItem, owner: string): Lacking[] {
  const found: Lacking[] = [];
  const look = (id: string, attachment: Attachment | undefined): void => {
    const isOwners = attachment?.instanceId === owner;
    if (isOwners && attachment.state === 'attached') return;
    const leaves = isOwners && attachment.state !== 'attaching';
    found.push({ id, leavesSince: leaves ? attachment.since : undefined });
  };
  for (const id of volumesOf(row)) look(id, world.ec2.volumes.get(id)?.attachments[0]);
  const interfaceId = row.networkInterfaceId;
  if (typeof interfaceId === 'string') look(interfaceId, world.ec2.interfaces.get(interfaceId)?.attachment);
  return found;
}

/** The volumes that a row names. */
export const volumesOf = (row: MapItem | undefined): string[] =>
  Array.isArray(row?.volumes) ? row.volumes.map((volume) => (volume as { volumeId: string }).volumeId) : [];
