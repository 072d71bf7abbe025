import type { OwnerRow, SlotRow, TierRows } from '../shared/map';
import type { NewRow, SlotSpec, VolumeFacts } from './ports';

/** What is to be written for one slot. */
export type Seed =
  | { readonly kind: 'add'; readonly row: NewRow }
  | {
      readonly kind: 'describe-anew';
      readonly spec: SlotSpec;
      readonly epoch: number;
      readonly formatted: boolean;
    }
  /** The slot was added by an update that is being undone before it held any data. */
  | { readonly kind: 'retire'; readonly slot: string }
  | { readonly kind: 'take-back'; readonly slot: string };

/**
 * Compares the slots of the stack with the rows of the map. Throws, before anything is written, if the change would
 * take data away from a slot: a refused deployment can be repeated, an orphaned volume may be noticed too late.
 */
export function planSeeds(specs: SlotSpec[], rows: TierRows, facts: VolumeFacts[]): Seed[] {
  refuseUnfit(specs, facts);
  const holdingData = facts.filter((each) => each.holdsData).map((each) => each.volumeId);
  const wanted = new Set(specs.map((spec) => spec.slot));
  const broken = rows.broken[0];
  if (broken) {
    throw new Error(
      `the row of slot ${broken.slot} cannot be read (${broken.problem}); repair or delete it first`,
    );
  }
  refuseContested(specs, rows);
  const gone = rows.slots.find((row) => !wanted.has(row.slot) && isUsed(row));
  if (gone) {
    throw new Error(
      `slot ${gone.slot} holds data, or may hold some, and would be left without a server; a tier cannot shrink. ` +
        `Deploy with at least the ${rows.slots.length} slots that it has`,
    );
  }
  const retired = rows.slots.filter((row) => !wanted.has(row.slot));
  return [
    ...retired.map((row): Seed => ({ kind: 'retire', slot: row.slot })),
    ...specs.map((spec): Seed => {
      const row = rows.slots.find((candidate) => candidate.slot === spec.slot);
      if (row === undefined) return { kind: 'add', row: newRow(spec, rows, holdingData) };
      return update(spec, row, row.formatted || holdsData(spec, holdingData));
    }),
  ];
}

const holdsData = (spec: SlotSpec, holdingData: string[]): boolean =>
  spec.adopted ||
  spec.backupSet !== undefined ||
  spec.volumes.some((volume) => holdingData.includes(volume.volumeId));

/**
 * Whether clients may have data on it. A target is in use as soon as it is mounted, which is before the others of its
 * slot are, and long before the slot counts as served.
 */
export const isUsed = (row: SlotRow): boolean => row.formatted || row.formatOffered || row.servedEpoch > 0;

/** Volumes that EC2 would let two servers have at once, or that are not there. */
function refuseUnfit(specs: SlotSpec[], facts: VolumeFacts[]): void {
  const shared = facts.find((each) => each.multiAttach);
  if (shared) {
    throw new Error(
      `volume ${shared.volumeId} can be attached to several servers at once (Multi-Attach), so nothing would ` +
        'keep two servers from writing to it. Use a volume without Multi-Attach',
    );
  }
  const known = new Set(facts.map((each) => each.volumeId));
  const ids = specs
    .filter((spec) => spec.adopted)
    .flatMap((spec) => spec.volumes.map((each) => each.volumeId));
  const missing = ids.find((id) => !known.has(id));
  if (missing)
    throw new Error(`volume ${missing} does not exist in this account and region; name the kept volume`);
}

const ownerOf = (slot: string, rows: TierRows): OwnerRow | undefined =>
  rows.owners.filter((candidate) => candidate.slot === slot).sort((a, b) => b.epoch - a.epoch)[0];

/** A deleted row comes back with its owner, unless another row names that server: no server may have two slots. */
function refuseContested(specs: SlotSpec[], rows: TierRows): void {
  for (const { slot } of specs) {
    if (rows.slots.some((row) => row.slot === slot)) continue;
    const owner = ownerOf(slot, rows);
    const other = owner && rows.slots.find((row) => row.owner === owner.instanceId);
    if (owner === undefined || other === undefined) continue;
    throw new Error(
      `slot ${slot} has no row, and its server ${owner.instanceId} is named as owner of ${other.slot} too: the ` +
        `map was edited by hand; repair the row of ${other.slot} first`,
    );
  }
}

function newRow(spec: SlotSpec, rows: TierRows, holdingData: string[]): NewRow {
  const { slot, networkInterfaceId, address, volumes } = spec;
  // The row was deleted by hand, but the map still says who owns the slot: that is restored, not guessed.
  const owner = ownerOf(slot, rows);
  return {
    slot,
    networkInterfaceId,
    address,
    volumes: volumes.map(({ volumeId, device }) => ({ volumeId, device })),
    formatted: holdsData(spec, holdingData),
    // Whoever owned it may have been told to format.
    formatOffered: owner !== undefined,
    owner: owner?.instanceId,
    epoch: owner?.epoch ?? 0,
  };
}

function update(spec: SlotSpec, row: SlotRow, formatted: boolean): Seed {
  const ids = (volumes: readonly { volumeId: string }[]) =>
    volumes.map((volume) => volume.volumeId).join(', ');
  const sameVolumes = ids(spec.volumes) === ids(row.volumes);
  const sameNetwork = spec.networkInterfaceId === row.networkInterfaceId && spec.address === row.address;
  if (sameVolumes && sameNetwork) return { kind: 'take-back', slot: row.slot };
  if (row.owner !== undefined || (isUsed(row) && !sameVolumes)) {
    throw new Error(
      `slot ${row.slot} has the volumes ${ids(row.volumes)} and the interface ${row.networkInterfaceId} with address ` +
        `${row.address}; it is in use and cannot get ${ids(spec.volumes)} and ${spec.networkInterfaceId} with ` +
        `${spec.address}. Undo the change of the tier's volumes or addresses; add slots to grow`,
    );
  }
  if (isUsed(row) && spec.address !== row.address) {
    throw new Error(
      `slot ${row.slot} is known to its clients as ${row.address} and cannot become ${spec.address}`,
    );
  }
  return { kind: 'describe-anew', spec, epoch: row.epoch, formatted };
}

interface WorkflowResult {
  readonly outcome?: unknown;
  readonly slots?: unknown;
}

/** What CloudFormation is told at the end of the workflow. */
export function verdict(result: WorkflowResult | undefined): {
  readonly ok: boolean;
  readonly reason: string;
} {
  if (result?.outcome === 'served') return { ok: true, reason: 'all slots are served' };
  const slots = Array.isArray(result?.slots) ? result.slots : [];
  const unserved = slots
    // One that is served says why it counts all the same: its server is on standby.
    .filter((slot) => slot?.phase !== 'served' || slot?.reason !== undefined)
    .map((slot) => `${slot?.slot}: ${slot?.reason ?? slot?.phase}`);
  const list = unserved.length > 0 ? ` Not served: ${unserved.join('; ')}` : '';
  const outcome = String(result?.outcome ?? 'the workflow failed');
  return { ok: false, reason: `not all slots were served in time (${outcome}).${list}`.slice(0, 1000) };
}
