import type { World } from '../aws/world';
import type { Checker } from '../invariants/checker';
import { accountStrikes } from './account-strikes';
import { HandEdits } from './hand-edits';
import { hostStrikes } from './host-strikes';
import type { Injector } from './injector';
import { instanceStrikes } from './instance-strikes';
import { type Fault, labelOf } from './kinds';
import type { AllStrikes, Strikes } from './strikes';
import { Targets } from './targets';
import { volumeStrikes } from './volume-strikes';

/** How often it is looked whether somebody waits in a hook. */
const HOOK_LOOK_MS = 700;

/** Makes the timed faults of a plan happen. */
export class Striker {
  readonly edits: HandEdits;
  /** Faults that struck, with their times, for the trace. */
  readonly struck: { readonly at: number; readonly fault: Fault; readonly whom: string }[] = [];
  private readonly strikes: AllStrikes;

  constructor(
    private readonly world: World,
    private readonly injector: Injector,
    private readonly checker: Checker,
  ) {
    this.edits = new HandEdits(world);
    const targets = new Targets(world);
    this.strikes = {
      ...instanceStrikes(world, targets),
      ...hostStrikes(world, targets),
      ...volumeStrikes(world, targets, this.edits),
      ...accountStrikes(world, targets, this.edits),
      'hook-times-out': (fault) => this.timeOutHook(world.scheduler.now() + fault.ms, fault),
    };
  }

  /** Enters all timed faults into the queue; their times count from now. */
  arm(faults: readonly Fault[]): void {
    for (const fault of faults) {
      if (!('at' in fault)) continue;
      this.world.scheduler.after(fault.at, () => this.strike(fault), labelOf(fault));
    }
  }

  private strike(fault: Fault): void {
    const strikes: Strikes = this.strikes;
    const strikeOf = strikes[fault.kind] as ((fault: Fault) => string | undefined) | undefined;
    // The others are the injector's.
    const whom = strikeOf ? strikeOf(fault) : 'for a while';
    if (whom !== undefined) this.note(fault, whom);
  }

  /** Lies in wait for somebody that waits in a hook: at any one time there is mostly nobody. */
  private timeOutHook(until: number, fault: Fault): string | undefined {
    const { group, scheduler } = this.world;
    const waiting = group.actions.find((action) => action.ended === undefined);
    if (waiting === undefined) {
      if (scheduler.now() < until) scheduler.after(HOOK_LOOK_MS, () => this.noteLate(fault, until), 'hook');
      return undefined;
    }
    this.checker.excuseTimeOut(waiting.instanceId);
    group.timeOutHook(waiting.instanceId);
    return waiting.instanceId;
  }

  private noteLate(fault: Fault, until: number): void {
    const whom = this.timeOutHook(until, fault);
    if (whom !== undefined) this.note(fault, whom);
  }

  private note(fault: Fault, whom: string): void {
    this.injector.note(labelOf(fault));
    this.struck.push({ at: this.world.scheduler.now(), fault, whom });
  }
}
