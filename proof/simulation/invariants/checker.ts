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
import { replacedAlone, replacedAtRest, replacedWithCause } from './prober';
import { repairedAfterSnapshots } from './repairs';
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
  constructor(
    oldestAnswerMs: (sentAt: number) => number,
    private readonly onCall?: (call: Call, outcome: string) => void,
  ) {
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
    const told = <K extends keyof Observer>(event: K) =>
      invariants.filter((each) => each[event] !== undefined);
    const steps = told('onStep');
    const calls = told('onCall');
    const formats = told('onFormat');
    const damages = told('onDamage');
    const repairs = told('onRepair');
    const mounts = told('onMount');
    const attaches = told('onAttach');
    const detaches = told('onDetach');
    const terminations = told('onGroupTerminates');
    const writes = told('onMapWrite');
    const ends = told('onLifecycleEnd');
    const passes = told('onPass');
    const serves = told('onServe');
    const answers = told('onAnswer');
    this.observer = {
      onStep: (world) => {
        for (const each of steps) each.onStep?.(world);
      },
      onCall: (call, outcome) => {
        if (!this.began.has(call.worker)) this.began.set(call.worker, call.at);
        if (outcome !== 'ok') this.noteDisturbance(call, outcome);
        for (const each of calls) each.onCall?.(call, outcome);
        this.onCall?.(call, outcome);
      },
      onFormat: (...what) => {
        for (const each of formats) each.onFormat?.(...what);
      },
      onDamage: (...what) => {
        for (const each of damages) each.onDamage?.(...what);
      },
      onRepair: (...what) => {
        for (const each of repairs) each.onRepair?.(...what);
      },
      onMount: (...what) => {
        for (const each of mounts) each.onMount?.(...what);
      },
      onAttach: (...what) => {
        for (const each of attaches) each.onAttach?.(...what);
      },
      onDetach: (...what) => {
        for (const each of detaches) each.onDetach?.(...what);
      },
      onGroupTerminates: (instanceId) => {
        for (const each of terminations) each.onGroupTerminates?.(instanceId);
      },
      onMapWrite: (...what) => {
        for (const each of writes) each.onMapWrite?.(...what);
      },
      onLifecycleEnd: (action) => {
        for (const each of ends) each.onLifecycleEnd?.(action);
      },
      onPass: (worker) => {
        for (const each of passes) each.onPass?.(worker);
      },
      onServe: (host) => {
        for (const each of serves) each.onServe?.(host);
      },
      onAnswer: (...what) => {
        for (const each of answers) each.onAnswer?.(...what);
      },
    };
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
