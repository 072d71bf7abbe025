import type { World } from '../aws/world';
import { cutOffSlots, isProberAtALoss, silentHosts } from '../served';
import type { Edited, HandEdits } from './hand-edits';

/** A slot as the last pass of the reconciler reported it: what a person reads in the log and in the row. */
export interface Reported {
  readonly slot: string;
  readonly owner?: string;
  readonly phase: string;
  readonly reason?: string;
}

/** Reasons after which docs/operations.md says: terminate the server. */
const TERMINATE_OWNER = [
  /runs outside its group|kept for inspection|knows a newer epoch|failed to serve \d+ times/,
  /not healthy|is stopped|is stopping|was detached (?:while it was served|after the host was told)/,
];

const HELD_ELSEWHERE = /is \w+ to (i-[0-9a-f]+) .*does not own the slot/;

/** A growth that is to be undone, and has a slot that may hold data. */
const CANNOT_SHRINK = /a tier cannot shrink/;

/**
 * Of a slot that a deployment left without a row when it failed and its rollback did, too: it is to be deployed again.
 */
export const NO_ROW = /it has no row in the map/;

/** A snapshot before a repair failed: without it another one is made. */
export const SNAPSHOT_FAILED = /^(snap-[0-9a-f]+) of vol-[0-9a-f]+ has failed/;

/** The row has lost its owner, which the owner's own row still names. */
const OWNER_ROW = /names no owner, but owner#(i-[0-9a-f]+) names the slot/;

const WRONG_DATA = /found data that is not the slot|is blank/;

/**
 * Somebody who is alarmed by a slot that is not served and does what docs/operations.md says about its reason, and no
 * more. Hand edits of the map are this person's own, and so known.
 */
export class Person {
  /** What was done, with its time, for the trace. */
  readonly acts: { readonly at: number; readonly what: string }[] = [];

  constructor(
    private readonly world: World,
    private readonly edits: HandEdits,
  ) {}

  /** Does what is to be done about the slots that are not served; false when nothing is. */
  act(reported: readonly Reported[], unserved: readonly string[]): boolean {
    const before = this.acts.length;
    const waiting = new Set<string>();
    for (const edited of this.edits.edited.splice(0)) {
      // A deleted row needs a deployment, and one may be under way.
      const { busy, rollbackFailed } = this.world.stack;
      const isGone = !this.world.map.items.has(`slot#${edited.slot}`);
      if (waiting.has(edited.slot) || (isGone && (busy || rollbackFailed))) {
        waiting.add(edited.slot);
        this.edits.edited.push(edited);
        this.note(`${edited.slot}: waits for the deployment under way`);
        continue;
      }
      this.putRight(edited);
    }
    for (const slot of unserved) {
      const report = reported.find((each) => each.slot === slot);
      if (report?.reason) this.follow(report, report.reason);
    }
    this.continueRollback();
    this.deployAgain(reported);
    // docs/operations.md, "Servers that do not answer": the alarms of the health probe name them.
    if (isProberAtALoss(this.world))
      for (const { slot, owner } of silentHosts(this.world)) this.terminate(slot, owner);
    this.letClientsThrough();
    return this.acts.length > before;
  }

  /** `unreachable` of docs/operations/failover.md ("A server of a grid is not well"). Nobody looks before the alarm. */
  private letClientsThrough(): void {
    const { cloudWatch, hosts, options } = this.world;
    if (!cloudWatch.rings(options.deployment.nodeHealth.cutOff)) return;
    for (const { slot, owner } of cutOffSlots(this.world))
      if (hosts.all.get(owner)?.way.removeFilter())
        this.note(`${slot}: takes the packet filter of ${owner} away`);
  }

  private follow({ slot, owner }: Reported, reason: string): void {
    const elsewhere = HELD_ELSEWHERE.exec(reason)?.[1];
    const owned = OWNER_ROW.exec(reason)?.[1];
    if (owned) this.giveBack(slot, owned);
    const failed = SNAPSHOT_FAILED.exec(reason)?.[1];
    if (failed && this.world.ec2.snapshots.deleteByHand(failed)) this.note(`${slot}: deletes ${failed}`);
    if (WRONG_DATA.test(reason)) {
      if (this.edits.restoreVolumes()) this.note(`${slot}: restores its volumes from the backup`);
      if (this.edits.wipeHalfFormatted(slot)) this.note(`${slot}: wipes a volume that was half formatted`);
    } else if (elsewhere) this.terminate(slot, elsewhere);
    else if (owner && TERMINATE_OWNER.some((each) => each.test(reason))) this.terminate(slot, owner);
  }

  /**
   * What the rows say has to agree again: the slot's names the instance that has an owner's row for it, and its epoch.
   */
  private giveBack(slot: string, owner: string): void {
    const { map } = this.world;
    const ownerRow = map.items.get(`owner#${owner}`);
    const row = map.items.get(`slot#${slot}`);
    if (ownerRow?.slot !== slot || row === undefined || row.owner !== undefined) return;
    map.editRow(`slot#${slot}`, (copy) => Object.assign(copy, { owner, epoch: ownerRow.epoch }));
    this.note(`${slot}: writes ${owner} into its row again`);
  }

  /** docs/operations.md, "A rollback that failed". */
  private continueRollback(): void {
    const { stack } = this.world;
    if (!stack.rollbackFailed || stack.busy) return;
    if (CANNOT_SHRINK.test(stack.verdicts.at(-1)?.reason ?? '')) {
      void stack.continueRollbackWithout().then(() => stack.grow());
      this.note('the stack: leaves the map out of its rollback, and deploys the growth again');
      return;
    }
    void stack.continueRollback();
    this.note('the stack: continues its rollback');
  }

  /** A deployment that a broken row had stopped, and its rollback too, left slots without a row. */
  private deployAgain(reported: readonly Reported[]): void {
    const without = reported.find(({ reason }) => reason !== undefined && NO_ROW.test(reason));
    if (without === undefined || this.world.stack.busy || this.world.map.items.has(`slot#${without.slot}`))
      return;
    void this.world.stack.redeploy();
    this.note(`${without.slot}: deploys again, so that its row is seeded`);
  }

  private terminate(slot: string, instanceId: string): void {
    const state = this.world.ec2.instances.get(instanceId)?.state;
    if (state === undefined || state === 'terminated' || state === 'shutting-down') return;
    this.world.ec2.terminate(instanceId);
    this.note(`${slot}: terminates ${instanceId}`);
  }

  /**
   * Puts back what the edit changed, as long as the row was not written since in that place. A deleted row comes back
   * with a deployment; an instance that was named wrongly is terminated.
   */
  private putRight({ slot, before, epochAfter }: Edited): void {
    const { map, stack } = this.world;
    const item = `slot#${slot}`;
    const was = before.get(item)!;
    const is = map.items.get(item);
    if (is === undefined) {
      void stack.redeploy();
      this.note(`${slot}: deploys with another time-out, so that the row is seeded again`);
      return;
    }
    const names = (owner: unknown): boolean => map.items.get(`owner#${owner}`)?.slot === slot;
    const twin = [...map.items].find(
      ([key, row]) => key.startsWith('slot#') && key !== item && row.owner === is.owner,
    );
    const ownerIsWrong = is.owner !== was.owner && !names(is.owner);
    // Each claim has a higher epoch than all that it could know of.
    const claimedSince = Number(is.epoch) > Math.max(Number(was.epoch), epochAfter ?? 0);
    const isBack = was.owner !== undefined && (names(was.owner) || this.holderOf(slot) === was.owner);
    map.editRow(item, (row) => {
      row.networkInterfaceId ??= was.networkInterfaceId;
      if (was.formatted === true) row.formatted = true;
      // Somebody may have got the slot since, and may have lost it again; then only its own row is right.
      if (claimedSince || (!ownerIsWrong && is.owner !== was.owner)) return;
      row.epoch = was.epoch;
      if (ownerIsWrong && isBack) row.owner = was.owner;
      else if (ownerIsWrong) delete row.owner;
    });
    const now = map.items.get(item)!;
    const ownerRow = before.get(`owner#${now.owner}`);
    if (ownerRow && !map.items.has(`owner#${now.owner}`))
      map.editRow(`owner#${now.owner}`, (row) => Object.assign(row, ownerRow));
    this.note(`${slot}: puts its row right`);
    if (twin && is.owner !== was.owner) this.terminate(slot, String(is.owner));
  }

  private holderOf(slot: string): string | undefined {
    for (const volume of this.world.ec2.volumes.values())
      if (volume.slot === slot && volume.attachments[0]) return volume.attachments[0].instanceId;
    return undefined;
  }

  private note(what: string): void {
    this.acts.push({ at: this.world.scheduler.now(), what });
  }
}
