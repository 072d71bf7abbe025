import type { SlotRow } from '../shared/map';
import type { Instance, Member, NetworkInterface, Observation, Volume } from './ports';

/** An observation with its lists indexed. */
export interface View extends Observation {
  readonly instanceOf: (id: string) => Instance | undefined;
  readonly memberOf: (id: string) => Member | undefined;
  readonly volumeOf: (id: string) => Volume | undefined;
  readonly interfaceOf: (id: string) => NetworkInterface | undefined;
}

export function viewOf(observation: Observation): View {
  const index = <T>(items: readonly T[], key: (item: T) => string) => {
    const map = new Map(items.map((item) => [key(item), item]));
    return (id: string) => map.get(id);
  };
  return {
    ...observation,
    instanceOf: index(observation.instances, (instance) => instance.id),
    memberOf: index(observation.members ?? [], (member) => member.instanceId),
    volumeOf: index(observation.volumes, (volume) => volume.id),
    interfaceOf: index(observation.interfaces, (networkInterface) => networkInterface.id),
  };
}

/** Where a volume or interface of a slot is, seen from the slot's owner. */
export type Place =
  | { readonly at: 'owner' }
  | { readonly at: 'nowhere' }
  /** On its way: EC2 is attaching or detaching it, or will detach it when an instance has died. */
  | { readonly at: 'moving'; readonly why: string }
  /** On an instance that is terminated. EC2 should have detached it. */
  | { readonly at: 'dead'; readonly instanceId: string; readonly attachmentId?: string }
  /** On an instance that may still write. It is never taken away from there. */
  | { readonly at: 'foreign'; readonly instanceId: string; readonly why: string }
  | { readonly at: 'unusable'; readonly why: string };

function placeOn(
  what: string,
  attachment: { instanceId: string; state: string; id?: string },
  owner: string | undefined,
  view: View,
): Place {
  const { instanceId, state } = attachment;
  if (instanceId === owner) {
    if (state === 'attached') return { at: 'owner' };
    return { at: 'moving', why: `${what} is ${state}` };
  }
  const holder = view.instanceOf(instanceId)?.state;
  if (holder === 'terminated') return { at: 'dead', instanceId, attachmentId: attachment.id };
  if (holder === 'shutting-down')
    return { at: 'moving', why: `${what} is held by ${instanceId}, which is shutting down` };
  if (state === 'detaching') return { at: 'moving', why: `${what} is being detached from ${instanceId}` };
  // An instance that the describes do not show may well be alive: eventual consistency.
  const why = `${what} is ${state} to ${instanceId} (${holder ?? 'not seen'}), which does not own the slot`;
  return { at: 'foreign', instanceId, why };
}

function placeOfVolume(id: string, owner: string | undefined, view: View): Place {
  const volume = view.volumeOf(id);
  const what = `volume ${id}`;
  if (volume === undefined)
    return { at: 'unusable', why: `${what} is not found, or has lost the tag of the tier` };
  // A volume of this tier has one attachment (no Multi-Attach). Should there be more, the one elsewhere counts.
  const attachment =
    volume.attachments.find((candidate) => candidate.instanceId !== owner) ?? volume.attachments[0];
  if (attachment) return placeOn(what, attachment, owner, view);
  if (volume.state === 'available') return { at: 'nowhere' };
  if (volume.state === 'creating' || volume.state === 'in-use')
    return { at: 'moving', why: `${what} is ${volume.state}` };
  return { at: 'unusable', why: `${what} is ${volume.state}` };
}

function placeOfInterface(id: string, owner: string | undefined, view: View): Place {
  const networkInterface = view.interfaceOf(id);
  const what = `interface ${id}`;
  if (networkInterface === undefined) {
    return { at: 'unusable', why: `${what} is not found, or has lost the tag of the tier` };
  }
  const { attachment } = networkInterface;
  if (attachment && attachment.state !== 'detached') return placeOn(what, attachment, owner, view);
  if (networkInterface.status === 'available') return { at: 'nowhere' };
  return { at: 'moving', why: `${what} is ${networkInterface.status}` };
}

/** The places of all that belongs to a slot: its volumes in serving order, then its interface. */
export function placesOf(row: SlotRow, owner: string | undefined, view: View): Place[] {
  return [
    ...row.volumes.map((volume) => placeOfVolume(volume.volumeId, owner, view)),
    placeOfInterface(row.networkInterfaceId, owner, view),
  ];
}

/** Which instances hold something of the slot, in whatever state. */
export function holdersOf(row: SlotRow, view: View): Set<string> {
  const attachments = row.volumes.flatMap((volume) => view.volumeOf(volume.volumeId)?.attachments ?? []);
  const own = view.interfaceOf(row.networkInterfaceId)?.attachment;
  const held = own && own.state !== 'detached' ? [own] : [];
  return new Set([...attachments, ...held].map((attachment) => attachment.instanceId));
}

/** Whether an instance was launched longer ago than this. */
export function isOlder(instanceId: string, view: View, timeoutSeconds: number): boolean {
  const instance = view.instanceOf(instanceId);
  return instance !== undefined && view.now - instance.launchedAt >= timeoutSeconds * 1000;
}
