import { reconcile } from '../../lambda/volume-reconciler/handler';
import type { PassResult } from '../../lambda/volume-reconciler/result';
import { TIMINGS } from './aws/timings';
import { World } from './aws/world';
import { boundMs, PROBE_MS, repairsMs } from './bound';
import { definitionFor } from './definition';
import { Injector } from './faults/injector';
import { Person } from './faults/person';
import { endOfFaults, type Plan } from './faults/plan';
import { Striker } from './faults/strike';
import { Checker } from './invariants/checker';
import type { Violation } from './invariants/invariant';
import { mayNeedPerson } from './may-need-person';
import { AT_ONCE, QUICK } from './paces';
import { isAtRest, isProven, isSettled, openActions, ownersOf, silentHosts, unserved } from './served';
import { Trace } from './trace';

/** What became of a run. */
export interface RunResult {
  readonly plan: Plan;
  /** Empty when all was well; a run ends with the first. */
  readonly violations: readonly Violation[];
  readonly calls: number;
  readonly simulatedMs: number;
  /** From the end of the faults, or from the last thing that a person did, until all was served. */
  readonly servedAfterMs?: number;
  readonly boundMs: number;
  /** How often each kind of fault struck. */
  readonly injected: Readonly<Record<string, number>>;
  readonly personActed: boolean;
  readonly hooksTimedOut: number;
  readonly trace: Trace;
}

const MINUTE = 60_000;

/** The alarm of a slot that is not served rings after so long (constructs/volume-reattachment/alarms.ts). */
const ALARM_MS = 15 * MINUTE;

/**
 * A slot that is not served when the faults end has been so for a while already: its alarm rings earlier after that.
 */
const FIRST_ALARM_MS = 5 * MINUTE;

/**
 * How often the alarm may ring again after a person has acted: one repair can uncover what is wrong besides, and a
 * deployment can take four.
 */
const PERSON_ROUNDS = 10;

/** What was under way when all was served: a deployment, or an instance refresh. */
const ENDING_MS = 120 * MINUTE;

/** The health probe judges a round when it begins the next one: for so long it may act on what was so before. */
const JUDGED_MS = 2.5 * MINUTE;

/** Longer than the schedule takes, so that a whole pass and some rounds of the health probe look at what is served. */
const STAYS_MS = 6 * MINUTE;

/** The first deployment without faults; much longer than any takes. */
const DEPLOYMENT_MS = 40 * MINUTE;

/** The health probe asks once a minute, and reads the answers a minute later. */
const PROVEN_MS = 5 * MINUTE;

/** Clients of the tier that are asked what they reach. */
const GRID_NODES = 2;

/** How long a tier that is served has been there. */
const AGE_MS = 48 * 60 * MINUTE;

/** How often a run looks whether all is served, simulated milliseconds. */
const LOOK_MS = 500;

/** Runs a plan to its end: until all is served, or to the first violation. */
export async function run(plan: Plan, options: { readonly trace?: boolean } = {}): Promise<RunResult> {
  return new Run(plan, options.trace === true).go();
}

class Run {
  private readonly world: World;
  private readonly injector: Injector;
  private readonly checker: Checker;
  private readonly striker: Striker;
  private readonly person: Person;
  private readonly trace: Trace;
  private readonly start: number;
  private lastPass: PassResult | undefined;
  /** After the faults a host did not serve, and only its probe could tell. */
  private sawSilent = false;

  constructor(
    private readonly plan: Plan,
    withLines: boolean,
  ) {
    const { slots, volumesPerSlot, spareServers, seed, recoveryTimeoutSeconds } = plan.scenario;
    this.trace = new Trace(withLines);
    this.injector = new Injector(plan.faults, seed);
    this.checker = new Checker(
      (at) => this.injector.oldestAnswerMs(at),
      (call, outcome) => this.trace.call(call, outcome),
    );
    this.world = new World({
      slots,
      volumesPerSlot,
      spareServers,
      seed,
      gridNodes: GRID_NODES,
      // A first deployment in which nothing goes wrong need not take long.
      timings: plan.scenario.start === 'served' ? AT_ONCE : {},
      deployment: definitionFor(recoveryTimeoutSeconds),
      faults: this.injector,
      observer: this.checker.observer,
      reconcile: async (...given) => {
        const result = await reconcile(...given);
        if (result.slots.length > 0) this.lastPass = result;
        return result;
      },
    });
    this.checker.watch(this.world);
    this.start = this.world.scheduler.now();
    this.trace.begin(this.start);
    this.striker = new Striker(this.world, this.injector, this.checker);
    this.person = new Person(this.world, this.striker.edits);
  }

  async go(): Promise<RunResult> {
    const { scheduler } = this.world;
    void this.world.stack.deploy();
    if (this.plan.scenario.start === 'served') {
      await this.until(scheduler.now() + DEPLOYMENT_MS, () => isAtRest(this.world));
      if (!this.failed() && !isAtRest(this.world))
        this.notServed('a deployment without faults', DEPLOYMENT_MS);
    }
    Object.assign(this.world.timings, TIMINGS, this.plan.scenario.pace === 'quick' ? QUICK : {});
    if (this.plan.scenario.start === 'served' && !this.failed()) await this.growOld();
    this.injector.arm(scheduler.now());
    this.trace.zero(scheduler.now());
    this.striker.arm(this.plan.faults);
    await this.until(scheduler.now() + endOfFaults(this.plan));
    this.injector.disarm();
    this.checker.faultsEnd();
    this.world.hosts.noMoreFailures();
    this.world.group.tellTheTruth();
    const servedAfterMs = await this.recover();
    if (this.plan.scenario.goesOn) await this.stayServed();
    return this.result(servedAfterMs);
  }

  /**
   * A tier that is served has been up for long: its servers were launched and got their slots days ago, and the probes
   * of its hosts are in no doubt, and have said that they serve.
   */
  private async growOld(): Promise<void> {
    const { ec2, hosts, map, scheduler, stack } = this.world;
    hosts.growOld();
    ec2.growOld(AGE_MS);
    for (const slot of stack.slots)
      map.editRow(`slot#${slot}`, (row) => {
        row.claimedAt = new Date(Date.parse(String(row.claimedAt)) - AGE_MS).toISOString();
      });
    const areProven = (): boolean => stack.slots.every((slot) => isProven(this.world, slot));
    await this.until(scheduler.now() + PROVEN_MS, areProven);
    if (!this.failed() && !areProven())
      this.checker.violated('served-in-time', 'the health probe has not said of each server that it serves');
  }

  /** After the faults: until all is served; with the help of a person where the design asks for one. */
  private async recover(): Promise<number | undefined> {
    const { scheduler } = this.world;
    const bound = this.boundMs;
    let since = scheduler.now();
    for (let round = 0; round < PERSON_ROUNDS; round++) {
      await this.until(scheduler.now() + (round === 0 ? FIRST_ALARM_MS : ALARM_MS), () =>
        isAtRest(this.world),
      );
      if (this.failed() || isAtRest(this.world)) break;
      if (silentHosts(this.world).length > 0) this.sawSilent = true;
      else if (!this.mayNeedPerson()) {
        // What a repair hides until it has ended: a filter on a host that nobody could reach anyway.
        await this.until(since + bound, () => isAtRest(this.world) || this.mayNeedPerson());
        if (!this.mayNeedPerson()) break;
      }
      if (!this.mayNeedPerson()) continue;
      const acted = this.person.act(this.lastPass?.slots ?? [], [...unserved(this.world).keys()]);
      if (acted) since = scheduler.now();
    }
    const most = bound + (this.sawSilent ? PROBE_MS : 0);
    await this.until(since + most, () => isAtRest(this.world));
    if (this.failed()) return undefined;
    if (isAtRest(this.world)) return scheduler.now() - since;
    this.notServed('the last fault', most);
    return undefined;
  }

  /**
   * It is served, and stays so: what was under way comes to its end, and what was late arrives. For longer than the
   * schedule takes, nothing changes its owner.
   */
  private async stayServed(): Promise<void> {
    const ending = ENDING_MS + this.repairsMs;
    for (let round = 0; round < PERSON_ROUNDS && !this.failed(); round++) {
      await this.until(this.world.scheduler.now() + ending, () => isSettled(this.world));
      // A deployment that ended late may leave something to a person.
      if (!isAtRest(this.world)) await this.recover();
      await this.until(this.world.scheduler.now() + JUDGED_MS);
      if (isSettled(this.world)) break;
    }
    if (this.failed()) return;
    if (!isSettled(this.world)) return this.notServed('all was served', ending);
    const before = ownersOf(this.world);
    await this.until(this.world.scheduler.now() + STAYS_MS);
    if (this.failed()) return;
    const after = ownersOf(this.world);
    if (!isAtRest(this.world)) this.notServed('nothing happened any more', STAYS_MS);
    else if (after !== before)
      this.checker.violated('stays-served', `nothing happened, and ${before} became ${after}`);
  }

  private mayNeedPerson(): boolean {
    return mayNeedPerson(this.world, this.striker.struck, this.lastPass);
  }

  private notServed(since: string, ms: number): void {
    const slots = [...unserved(this.world)].map(([slot, why]) => `${slot}: ${why}`);
    const actions = openActions(this.world);
    const what = [...slots, ...actions].join('; ') || 'a server is on its way in or out';
    this.checker.violated(
      'served-in-time',
      `${ms / MINUTE} minutes after ${since} not all is served: ${what}`,
    );
  }

  private async until(time: number, stop: () => boolean = () => false): Promise<void> {
    if (this.failed()) return;
    const { scheduler } = this.world;
    let nextLook = 0;
    await scheduler.run(time, () => {
      if (this.failed()) return true;
      if (scheduler.now() < nextLook) return false;
      nextLook = scheduler.now() + LOOK_MS;
      return stop();
    });
  }

  private get boundMs(): number {
    return boundMs(this.plan.scenario.recoveryTimeoutSeconds) + this.repairsMs;
  }

  private get repairsMs(): number {
    return repairsMs(this.plan.faults, this.plan.scenario.recoveryTimeoutSeconds);
  }

  private failed(): boolean {
    return this.checker.violations.length > 0;
  }

  private result(servedAfterMs: number | undefined): RunResult {
    this.trace.end(this.striker.struck, this.person.acts, this.checker.violations);
    return {
      plan: this.plan,
      violations: this.checker.violations,
      calls: this.trace.calls,
      simulatedMs: this.world.scheduler.now() - this.start,
      servedAfterMs,
      boundMs: this.boundMs,
      injected: Object.fromEntries(this.injector.injected),
      personActed: this.person.acts.length > 0,
      hooksTimedOut: this.world.group.actions.filter((action) => action.ended?.how === 'timed-out').length,
      trace: this.trace,
    };
  }
}
