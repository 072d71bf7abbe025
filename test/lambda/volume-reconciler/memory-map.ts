import type { FailedLaunches, OwnerRow, SlotRow, TierRows, Timeline } from '../../../lambda/shared/map';
import type { Recovery } from '../../../lambda/shared/timeline';
import type { Annotation, Claim, Lease, VolumeMapPort } from '../../../lambda/volume-reconciler/ports';

/** The volume map in memory, with the conditions of the real one. */
export class MemoryMap implements VolumeMapPort {
  readonly slots = new Map<string, SlotRow>();
  readonly owners = new Map<string, OwnerRow>();
  lease: { holder?: string; expires: number; wakeups: number; beatAt: number } = {
    expires: 0,
    wakeups: 0,
    beatAt: 0,
  };
  readonly epochs: string[] = [];
  readonly recoveries: { claim: Claim; timeline: Timeline; recovery: Recovery }[] = [];

  async read(): Promise<TierRows> {
    return structuredClone({
      slots: [...this.slots.values()],
      owners: [...this.owners.values()],
      broken: [],
    });
  }

  async takeLease(holder: string, now: number, expires: number): Promise<Lease | undefined> {
    const { lease } = this;
    if (lease.holder !== undefined && lease.holder !== holder && lease.expires >= now) return undefined;
    lease.holder = holder;
    lease.expires = expires;
    return { wakeups: lease.wakeups, beatAt: lease.beatAt };
  }

  async wakeHolder(now: number): Promise<boolean> {
    if (this.lease.holder === undefined || this.lease.expires < now) return false;
    this.lease.wakeups += 1;
    return true;
  }

  async noteBeat(holder: string, at: number): Promise<boolean> {
    if (this.lease.holder !== holder) return false;
    this.lease.beatAt = at;
    return true;
  }

  async endLease(holder: string, wakeups?: number): Promise<boolean> {
    if (this.lease.holder !== holder || (wakeups !== undefined && this.lease.wakeups !== wakeups))
      return false;
    this.lease.holder = undefined;
    return true;
  }

  async claim(claim: Claim, at: string, timeline: Timeline): Promise<boolean> {
    const row = this.slots.get(claim.slot);
    if (!row || row.owner !== undefined || row.epoch !== claim.epoch || row.released) return false;
    if (this.owners.has(claim.owner)) return false;
    const epoch = row.epoch + 1;
    this.epochs.push(`${claim.slot} ${epoch} ${claim.owner}`);
    this.slots.set(claim.slot, {
      ...row,
      owner: claim.owner,
      epoch,
      claimedAt: at,
      phase: 'attaching',
      timeline,
      command: undefined,
      reason: undefined,
    });
    this.owners.set(claim.owner, { instanceId: claim.owner, slot: claim.slot, epoch });
    return true;
  }

  async release(
    claim: Claim,
    timeline: Timeline,
    failed?: FailedLaunches,
    keepsOwnerRow = false,
  ): Promise<boolean> {
    const named = this.owners.get(claim.owner);
    if (named && named.slot !== claim.slot && !keepsOwnerRow) return false;
    const done = this.change(claim, () => ({
      owner: undefined,
      claimedAt: undefined,
      command: undefined,
      reason: undefined,
      phase: 'vacant' as const,
      timeline,
      ...(failed ? { failedLaunches: failed } : {}),
    }));
    if (done && !keepsOwnerRow) this.owners.delete(claim.owner);
    return done;
  }

  async beginCommand(
    claim: Claim,
    command: { sentAt: string; attempts: number; failures: number; repairingAt?: string },
    note: Annotation,
    mayFormat: boolean,
  ): Promise<boolean> {
    return this.change(
      claim,
      (row) =>
        row.servedEpoch !== claim.epoch &&
        !(mayFormat && (row.released || row.formatted)) && {
          command: { ...command, epoch: claim.epoch, unsent: false },
          ...(mayFormat ? { formatOffered: true } : {}),
          ...(note as Partial<SlotRow>),
        },
    );
  }

  async recordCommand(claim: Claim, sentAt: string, id: string): Promise<boolean> {
    return this.change(claim, (row) => row.command?.sentAt === sentAt && { command: { ...row.command, id } });
  }

  async noteUnsent(claim: Claim, sentAt: string): Promise<boolean> {
    return this.change(
      claim,
      (row) => row.command?.sentAt === sentAt && { command: { ...row.command, unsent: true } },
    );
  }

  async markServed(
    claim: Claim,
    commandId: string,
    timeline: Timeline,
    servings: string[],
  ): Promise<boolean> {
    return this.change(
      claim,
      (row) =>
        row.command?.id === commandId && {
          servedEpoch: claim.epoch,
          failedLaunches: undefined,
          formatted: true,
          phase: 'served' as const,
          reason: undefined,
          timeline,
          servings,
        },
    );
  }

  async unserve(claim: Claim, note: Annotation): Promise<boolean> {
    return this.change(claim, () => ({ servedEpoch: 0, command: undefined, ...(note as Partial<SlotRow>) }));
  }

  async annotate(slot: string, owner: string | undefined, epoch: number, note: Annotation): Promise<boolean> {
    const row = this.slots.get(slot);
    if (!row || row.owner !== owner || row.epoch !== epoch) return false;
    this.slots.set(slot, { ...row, ...(note as Partial<SlotRow>) });
    return true;
  }

  async date(claim: Claim, claimedAt: string, note: Annotation): Promise<boolean> {
    return this.change(claim, () => ({ claimedAt, ...(note as Partial<SlotRow>) }));
  }

  async recordRecovery(claim: Claim, note: Annotation, recovery: Recovery): Promise<boolean> {
    const done = await this.annotate(claim.slot, claim.owner, claim.epoch, note);
    if (done) this.recoveries.push({ claim, timeline: note.timeline, recovery });
    return done;
  }

  private change(claim: Claim, how: (row: SlotRow) => Partial<SlotRow> | false): boolean {
    const row = this.slots.get(claim.slot);
    if (!row || row.owner !== claim.owner || row.epoch !== claim.epoch) return false;
    const change = how(row);
    if (change === false) return false;
    this.slots.set(claim.slot, { ...row, ...change });
    return true;
  }
}
