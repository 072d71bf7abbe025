import type { InvariantName } from '../../kit/invariants/list';
import type { Call } from '../aws/call';
import type { Observer } from '../aws/observer';
import type { World } from '../aws/world';
import { networkReplacesNobody, unreachableIsTold } from './clients';
import { keepsItsMap, permissionsAwaited, turnsGoOn } from './deployments';
import { nothingDeleted } from './doomed';
import { formattedOnce, offeredToTheBlank, tagBeforeRow } from './formatting';
import { givenUpWithCause, repairsEnd } from './given-up';
import type { Context, Invariant, Violation } from './invariant';
import { completedOnce, continuedAfterServed, servedIsTrue } from './lifecycle';
import { lossNoticed } from './losses';
import { epochsGrow, oneOwner, releasedAfterEnd } from './owners';
import { passingOn } from './passing-on';
import { replacedAlone, replacedAtRest, replacedWithCause } from './prober';
import { repairedAfterSnapshots } from './repairs';
import { comesBack } from './sleep';
import { neverTakenFromLiving, oneServer, oneWriter } from './writers';

/** All that is checked while a run goes on. That it ends well is checked by the run itself. */
const INVARIANTS: readonly ((context: Context) => Invariant)[] = [
  oneWriter,
  neverTakenFromLiving,
  oneServer,
  nothingDeleted,
  releasedAfterEnd,
  oneOwner,
  epochsGrow,
  formattedOnce,
  offeredToTheBlank,
  tagBeforeRow,
  servedIsTrue,
  lossNoticed,
  continuedAfterServed,
  completedOnce,
  permissionsAwaited,
  turnsGoOn,
  keepsItsMap,
  givenUpWithCause,
  repairsEnd,
  repairedAfterSnapshots,
  replacedAlone,
  replacedWithCause,
  replacedAtRest,
  unreachableIsTold,
  networkReplacesNobody,
  comesBack,
];

/** Tells every invariant what happens and keeps what they complain of. */
export class Checker {
  readonly violations: Violation[] = [];
  readonly observer: Observer;
  private readonly began = new Map<string, number>();
  private readonly disturbances: number[] = [];
  private readonly timedOut = new Set<string>();
  private world: World | undefined;
  private ended: number | undefined;

  /**
   * @param oldestAnswerMs how old an answer of a describe may be that is sent then, milliseconds
   * @param onCall told of every call, for the trace
   */
  constructor(oldestAnswerMs: (sentAt: number) => number, onCall?: (call: Call, outcome: string) => void) {
    const invariants = INVARIANTS.map((make) =>
      make({
        world: () => this.watched(),
        violated: (invariant, message) => this.violated(invariant, message),
        beganAt: (worker) => this.began.get(worker) ?? 0,
        wasTimedOut: (instanceId) => this.timedOut.has(instanceId),
        oldestAnswerMs,
        faultsEndedAt: () => this.ended,
        disturbancesSince: (time) => this.disturbances.filter((at) => at >= time).length,
      }),
    );
    this.observer = passingOn(
      invariants,
      (call, outcome) => {
        if (!this.began.has(call.worker)) this.began.set(call.worker, call.at);
        if (outcome !== 'ok') this.noteDisturbance(call, outcome);
      },
      onCall,
    );
  }

  watch(world: World): void {
    this.world = world;
  }

  violated(invariant: InvariantName, message: string): void {
    this.violations.push({ invariant, message, at: this.watched().scheduler.now() });
  }

  /** From now on nothing goes wrong any more. */
  faultsEnd(): void {
    this.ended = this.watched().scheduler.now();
  }

  /** A fault makes the lifecycle actions of an instance run out of time. */
  excuseTimeOut(instanceId: string): void {
    this.timedOut.add(instanceId);
  }

  private noteDisturbance(call: Call, outcome: string): void {
    if (DISTURBING.test(outcome)) this.disturbances.push(call.at);
  }

  private watched(): World {
    if (this.world === undefined) throw new Error('nothing is watched yet');
    return this.world;
  }
}

/** Outcomes that are not an answer of the service to what was asked. */
const DISTURBING =
  /crash|timeout|server-error|denied|throttle|Throttl|RequestLimitExceeded|InternalError|slow|late/i;
