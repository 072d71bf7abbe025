import { count } from '../../cli/terminal';
import type { ApiCall, Transition } from './history';
import { namesOf } from './invariants/list';
import type { Check, Estate, MapSlot } from './model';
import { nfsChecks } from './nfs-check';
import { evidenceOf, type Evidence as Recorded, watchedOf } from './record/evidence';
import { attachmentsOf } from './record/hardware';
import { judge, RECORD_CHECKS } from './record/judge';
import type { RecordCheck } from './record/model';
import type { Superblock } from './superblocks';

/** All that the checks look at. */
export interface Evidence {
  readonly estate: Estate;
  /** The estate before the failure: what each slot had must still be its. */
  readonly before?: Estate;
  readonly history: Transition[];
  readonly calls: ApiCall[];
  readonly superblocks: Record<string, Superblock>;
  readonly superblocksBefore?: Record<string, Superblock>;
  /** What running hosts have mounted by NFS, by instance id. */
  readonly nfsMounts?: Record<string, string[]>;
  /** The instance that was terminated. */
  readonly victim?: string;
}

/** Everything that must hold after a deployment or a recovery, each with a name. Pure: reads only the evidence. */
export function verify(evidence: Evidence): Check[] {
  const { estate, history, calls } = evidence;
  const record = evidenceOf(history, calls, watchedOf(estate));
  return [...estateChecks(evidence), ...neverHappened(record, DEMO_CHECKS)];
}

const DEMO_CHECKS = RECORD_CHECKS.filter(({ id }) => namesOf('demo').includes(id));

/** What must never have happened, as the record says. */
export function neverHappened(record: Recorded, checks: readonly RecordCheck[]): Check[] {
  return judge(record, checks).map(({ id, title, checked, violations }) =>
    check(id, title, `${checked} looked at`, [
      ...violations.map(({ detail }) => detail),
      ...(checked === 0 ? ['the record has nothing of it'] : []),
      ...(id === 'one-writer' ? neverAttached(record) : []),
    ]),
  );
}

/** What the record does not show being attached was not watched. */
function neverAttached(record: Recorded): string[] {
  const { slotOfVolume, slotOfInterface } = record.watched;
  const seen = new Set(attachmentsOf(record).map(({ id }) => id));
  return [...Object.keys(slotOfVolume), ...Object.keys(slotOfInterface)]
    .filter((id) => !seen.has(id))
    .map((id) => `the history has no attachment of ${id}`);
}

/** What must be so now. */
export function estateChecks(evidence: Evidence): Check[] {
  const { estate } = evidence;
  const volumes = estate.slots.flatMap((slot) => slot.volumes);
  return [
    check('slots-served', 'Every slot is served by a running server', count(estate.slots.length, 'slot'), [
      ...tierFaults(estate),
      ...estate.slots.flatMap((slot) => serviceFaults(slot, estate)),
    ]),
    check(
      'volumes-attached',
      'Every server has all volumes of its slot, and only it has them',
      count(volumes.length, 'volume'),
      estate.slots.flatMap((slot) => volumeFaults(slot, estate)),
    ),
    check(
      'addresses-kept',
      'Every slot is reached at its own address',
      estate.slots.map(({ address }) => address).join(', '),
      estate.slots.flatMap((slot) => addressFaults(slot, estate)),
    ),
    check(
      'map-agrees',
      'The volume map agrees with EC2',
      count(estate.owners.length, 'owner'),
      mapFaults(estate),
    ),
    check(
      'mounted',
      'Every volume is mounted by the owner of its slot',
      count(volumes.length, 'volume'),
      mountFaults(evidence),
    ),
    check(
      'file-systems-made-once',
      'Every volume holds a file system that was made once',
      count(volumes.length, 'volume'),
      volumes.flatMap((id) => formatFaults(id, evidence.superblocks[id])),
    ),
    ...nfsChecks(evidence),
    ...(evidence.before ? recoveryChecks(evidence, evidence.before) : []),
  ];
}

/** What only a recovery can break: something is not what it was before. */
export function recoveryChecks(evidence: Evidence, before: Estate): Check[] {
  const { estate, superblocks, superblocksBefore = {}, victim } = evidence;
  const old = estate.instances.find(({ id }) => id === victim);
  const identity = (slot: MapSlot) => `${slot.address} ${slot.networkInterfaceId} ${slot.volumes.join(' ')}`;
  return [
    check('old-server-gone', 'The old server is terminated and owns nothing', victim ?? '', [
      ...(old && old.state !== 'terminated' ? [`${old.id} is ${old.state}`] : []),
      ...estate.slots
        .filter(({ owner }) => owner === victim)
        .map(({ slot }) => `${slot} still belongs to ${victim}`),
    ]),
    check(
      'same-slots',
      'Every slot kept its volumes, interface and address',
      count(before.slots.length, 'slot'),
      before.slots.flatMap((was) => {
        const now = estate.slots.find((slot) => slot.tier === was.tier && slot.slot === was.slot);
        if (!now) return [`${was.slot} is gone`];
        return identity(now) === identity(was)
          ? []
          : [`${was.slot}: ${identity(was)} became ${identity(now)}`];
      }),
    ),
    check(
      'same-data',
      'Every volume still holds the data it held',
      `${count(Object.keys(superblocksBefore).length, 'file system id')} compared`,
      [
        ...(Object.keys(superblocksBefore).length === 0 ? ['there was nothing to compare with'] : []),
        ...Object.entries(superblocksBefore)
          .filter(([id, was]) => superblocks[id]?.uuid !== was.uuid)
          .map(([id, was]) => `${id}: ${was.uuid} became ${superblocks[id]?.uuid ?? 'nothing'}`),
      ],
    ),
  ];
}

export function check(id: string, title: string, detail: string, faults: string[]): Check {
  return { id, title, passed: faults.length === 0, detail: faults.length ? summary(faults) : detail };
}

function summary(faults: string[]): string {
  const shown = faults.slice(0, 5).join('; ');
  return faults.length > 5 ? `${shown}; and ${faults.length - 5} more` : shown;
}

/** A map without slots would make every other check hold. */
function tierFaults(estate: Estate): string[] {
  if (estate.tiers.length === 0) return ['the deployment has no tiers'];
  return estate.tiers.flatMap(({ tier, slots }) => {
    const found = estate.slots.filter((slot) => slot.tier === tier).length;
    return found === slots && found > 0
      ? []
      : [`tier ${tier} has ${found} slots in the map instead of ${slots}`];
  });
}

export function serviceFaults(slot: MapSlot, estate: Estate): string[] {
  if (!slot.owner)
    return [`${slot.slot} has no owner (${slot.phase}${slot.reason ? `: ${slot.reason}` : ''})`];
  const instance = estate.instances.find(({ id }) => id === slot.owner);
  const group = estate.tiers.find(({ tier }) => tier === slot.tier)?.group ?? '';
  const member = estate.groups[group]?.find(({ instanceId }) => instanceId === slot.owner);
  const faults: string[] = [];
  if (instance?.state !== 'running') faults.push(`${slot.owner} is ${instance?.state ?? 'not known to EC2'}`);
  if (member?.lifecycleState !== 'InService') {
    faults.push(`${slot.owner} is ${member?.lifecycleState ?? 'no member'} in its group`);
  }
  if (slot.servedEpoch !== slot.epoch)
    faults.push(`epoch ${slot.epoch} is not served, ${slot.servedEpoch} was`);
  return faults.map((fault) => `${slot.slot}: ${fault}`);
}

function volumeFaults(slot: MapSlot, estate: Estate): string[] {
  if (slot.volumes.length === 0) return [`${slot.slot} has no volumes`];
  return slot.volumes.flatMap((id) => {
    const attachments = estate.volumes.find((volume) => volume.id === id)?.attachments;
    if (!attachments) return [`${slot.slot}: ${id} does not exist`];
    const [only] = attachments;
    if (attachments.length === 1 && only?.instanceId === slot.owner && only?.state === 'attached') return [];
    const found =
      attachments.map(({ instanceId, state }) => `${state} to ${instanceId}`).join(', ') || 'free';
    return [`${slot.slot}: ${id} is ${found}`];
  });
}

export function addressFaults(slot: MapSlot, estate: Estate): string[] {
  const found = estate.interfaces.find(({ id }) => id === slot.networkInterfaceId);
  if (!found) return [`${slot.slot}: ${slot.networkInterfaceId} does not exist`];
  const faults: string[] = [];
  if (found.address !== slot.address)
    faults.push(`its interface has ${found.address}, the map ${slot.address}`);
  if (found.attachment?.instanceId !== slot.owner || found.attachment?.state !== 'attached') {
    faults.push(`${found.id} is ${found.attachment ? `at ${found.attachment.instanceId}` : 'free'}`);
  }
  return faults.map((fault) => `${slot.slot}: ${fault}`);
}

/** Slot rows and owner rows must name each other: that pair is what keeps one instance from owning two slots. */
function mapFaults({ slots, owners }: Estate): string[] {
  const faults = slots
    .filter(({ owner }) => owner)
    .filter(
      ({ tier, slot, owner, epoch }) =>
        !owners.some(
          (o) => o.tier === tier && o.instanceId === owner && o.slot === slot && o.epoch === epoch,
        ),
    )
    .map(({ slot, owner, epoch }) => `${slot} names ${owner} with epoch ${epoch}, no owner row does`);
  for (const owner of owners) {
    const named = slots.filter(({ tier, slot }) => tier === owner.tier && slot === owner.slot);
    if (named.length !== 1 || named[0]?.owner !== owner.instanceId) {
      faults.push(`the owner row of ${owner.instanceId} names ${owner.slot}, which does not name it`);
    }
  }
  const held = slots.flatMap(({ volumes }) => volumes);
  faults.push(...held.filter((id, index) => held.indexOf(id) !== index).map((id) => `${id} is in two slots`));
  return faults;
}

/** Each volume of a slot must be mounted by the slot's owner, as the hosts recorded it last. */
function mountFaults({ estate, history }: Evidence): string[] {
  const mountedBy = new Map<string, string | null>();
  for (const { kind, id, to } of history) if (kind === 'mount') mountedBy.set(id, to);
  return estate.slots.flatMap(({ slot, owner, volumes }) =>
    volumes
      .filter((id) => mountedBy.get(id) !== owner)
      .map((id) => `${slot}: ${id} is mounted by ${mountedBy.get(id) ?? 'nobody'}`),
  );
}

export function formatFaults(id: string, superblock?: Superblock): string[] {
  if (!superblock) return [`${id} holds no file system`];
  return superblock.formatCount === 1 ? [] : [`${id} was formatted ${superblock.formatCount} times`];
}
