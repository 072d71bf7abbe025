import { FORMATTED_TAG } from '../../../constructs/private/tags';
import type { Plain } from '../../../lambda/shared/attributes';
import { LEASE_ITEM } from '../../../lambda/shared/map';
import { ServiceError } from '../aws/errors';
import type { Content, MapItem } from '../aws/state';
import type { World } from '../aws/world';
import type { HandEdit, LeaseEdit } from './kinds';

/** How long somebody tries to attach what was just detached. */
const MOVING_MS = 15_000;

const DAY_MS = 86_400_000;

/** What a person changed by hand, and how to undo it as docs/operations.md says. */
export interface Edited {
  readonly slot: string;
  readonly edit: HandEdit;
  /** The rows before the edit, by their key. */
  readonly before: ReadonlyMap<string, MapItem>;
  /** The epoch that the edit left; undefined when the row was deleted. */
  readonly epochAfter?: number;
}

/** What each edit of the lease writes. */
const leaseEdits = (now: number): { [edit in LeaseEdit]: { [attribute: string]: Plain | undefined } } => ({
  endless: { holder: 'somebody', expires: undefined },
  'too-long': { holder: 'somebody', expires: Math.round((now + DAY_MS) / 1000) },
  'ends-as-text': { holder: 'somebody', expires: 'tomorrow' },
  'wakeups-as-text': { wakeups: 'many' },
  'beat-as-text': { beatAt: 'soon' },
  'beat-to-come': { beatAt: now + DAY_MS },
});

/** What people change by hand, which they have to put right again. */
export class HandEdits {
  readonly edited: Edited[] = [];
  private readonly wiped = new Map<string, { content: Content; contentOf?: string }>();

  constructor(private readonly world: World) {}

  /** Edits the row of a slot; what was done, or undefined when there is nothing to edit. */
  edit(slot: string, edit: HandEdit): string | undefined {
    const { items } = this.world.map;
    const item = `slot#${slot}`;
    const row = items.get(item);
    // A row that somebody has edited is not edited again: what was before could not be told.
    if (row === undefined || this.edited.some((each) => each.slot === slot)) return undefined;
    const owner = typeof row.owner === 'string' ? row.owner : undefined;
    const ownerItem = `owner#${owner}`;
    const before = new Map<string, MapItem>([[item, { ...row }]]);
    const ownerRow = items.get(ownerItem);
    if (ownerRow) before.set(ownerItem, { ...ownerRow });
    if (!this.change(item, row, edit, owner)) return undefined;
    const left = items.get(item)?.epoch;
    this.edited.push({ slot, edit, before, epochAfter: left === undefined ? undefined : Number(left) });
    return `${slot}: ${edit}`;
  }

  private change(item: string, row: MapItem, edit: HandEdit, owner: string | undefined): boolean {
    const { map } = this.world;
    const set = (change: Record<string, Plain | undefined>): boolean => {
      map.editRow(item, (copy) => {
        for (const [name, value] of Object.entries(change)) {
          if (value === undefined) delete copy[name];
          else copy[name] = value;
        }
      });
      return true;
    };
    const epoch = Number(row.epoch);
    switch (edit) {
      case 'delete-row':
        map.deleteRow(item);
        return true;
      case 'delete-owner-row':
        if (!map.items.has(`owner#${owner}`)) return false;
        map.deleteRow(`owner#${owner}`);
        return true;
      case 'remove-owner':
        return owner !== undefined && set({ owner: undefined });
      case 'owner-of-another': {
        const other = [...map.items].find(
          ([key, each]) => key.startsWith('slot#') && key !== item && each.owner,
        );
        return other !== undefined && set({ owner: other[1].owner });
      }
      case 'unknown-owner':
        return set({ owner: 'i-0ffffffffffffffff' });
      case 'lower-epoch':
        return epoch > 0 && set({ epoch: epoch - 1 });
      case 'raise-epoch':
        return set({ epoch: epoch + 5 });
      case 'not-formatted':
        return row.formatted === true && set({ formatted: false });
      case 'unreadable':
        return set({ networkInterfaceId: undefined });
    }
  }

  /** Edits the row of the lease; false when there is none. */
  editLease(edit: LeaseEdit): boolean {
    const { map, scheduler } = this.world;
    return map.editRow(LEASE_ITEM, (row) => Object.assign(row, leaseEdits(scheduler.now())[edit]));
  }

  /** Somebody detaches a volume in the console. */
  detach(volumeId: string): boolean {
    return this.world.ec2.detachByHand(volumeId);
  }

  /** Somebody detaches a volume and attaches it to another instance as soon as it is free. */
  move(volumeId: string, instanceId: string): void {
    const { ec2, scheduler } = this.world;
    this.detach(volumeId);
    const attach = (): void => {
      if (ec2.volumes.get(volumeId)?.state !== 'available') return;
      try {
        ec2.attachments.volumes.attach(volumeId, instanceId, '/dev/sdz', 'hand');
      } catch (error) {
        // The instance may be gone by now.
        if (!(error instanceof ServiceError)) throw error;
      }
    };
    for (let ms = 0; ms < MOVING_MS; ms += 100) scheduler.after(ms, attach, 'attach by hand');
  }

  /** Somebody overwrites the beginning of a volume: it looks blank, and was not. */
  wipe(volumeId: string): boolean {
    const volume = this.world.ec2.volumes.get(volumeId);
    // Until a volume was served nobody but its host can know that it is not blank.
    if (volume === undefined || volume.content !== 'target' || !(FORMATTED_TAG in volume.tags)) return false;
    if (!this.wiped.has(volumeId))
      this.wiped.set(volumeId, { content: volume.content, contentOf: volume.contentOf });
    volume.content = 'blank';
    volume.contentOf = undefined;
    return true;
  }

  /** Puts volumes back from a backup. */
  restoreVolumes(): boolean {
    for (const [id, before] of this.wiped) Object.assign(this.world.ec2.volumes.get(id)!, before);
    const any = this.wiped.size > 0;
    this.wiped.clear();
    return any;
  }

  /** Wipes what a server left half formatted when it died: it never held a target (host README, "Serving a slot"). */
  wipeHalfFormatted(slot: string): boolean {
    let any = false;
    for (const volume of this.world.ec2.volumes.values()) {
      if (volume.slot !== slot || volume.content !== 'half-formatted') continue;
      volume.content = 'blank';
      any = true;
    }
    return any;
  }
}
