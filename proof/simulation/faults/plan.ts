import { Random } from '../core/random';
import { RECOVERY_TIMEOUTS } from '../definition';
import {
  lateClaims,
  lateOffers,
  lateRequest,
  leftBehind,
  lostTwice,
  manyLost,
  notKept,
  oneAfterTheOther,
  rivalClaims,
  troubledDeployment,
  troubledProber,
} from './aimed';
import { hanging, longOrShort } from './draws';
import { endOf, type Fault, labelOf } from './kinds';
import { otherActors } from './other-actors';
import { randomFault } from './random-fault';
import type { Scenario } from './scenario';
import { someCapacity } from './some-capacity';

/** A run: what it begins with, and what goes wrong. Both together replay it exactly. */
export interface Plan {
  readonly scenario: Scenario;
  readonly faults: readonly Fault[];
}

/** Faults begin within this time. Most repairs take some minutes, so that faults meet each other in one repair. */
const WINDOW_MS = 10 * 60_000;

/** Calls and events are struck by their number for at least this long. */
const STRIKING_MS = 4 * 60_000;

/** The plan of a seed. One stream of random numbers a fault: taking one away changes no other. */
export function planOf(seed: number): Plan {
  const random = new Random(seed).fork('plan');
  const scenario: Scenario = {
    seed,
    slots: slotsOf(random),
    volumesPerSlot: random.pick([1, 1, 2, 2, 3]),
    spareServers: random.pick([0, 0, 0, 1, 2]),
    pace: random.pick(['usual', 'quick', 'quick']),
    start: random.chance(0.25) ? 'deployment' : 'served',
    recoveryTimeoutSeconds: random.pick(RECOVERY_TIMEOUTS),
    goesOn: random.fork('goes on').chance(0.3),
  };
  // Few faults show what one does alone; many show what they do to each other.
  const count = random.pick([1, 2, 2, 3, 3, 4, 5, 6, 8, 14]);
  const window = random.pick([60_000, 60_000, 4 * 60_000, WINDOW_MS]);
  const faults: Fault[] = [];
  for (let index = 0; index < count; index++)
    faults.push(randomFault(random.fork(`fault ${index}`), scenario.slots, scenario.volumesPerSlot, window));
  if (random.chance(0.12)) faults.push(...lateClaims(random.fork('late claims'), scenario));
  if (scenario.slots > 1 && random.chance(0.2))
    faults.push(...rivalClaims(random.fork('rival claims'), scenario));
  if (random.chance(0.3)) faults.push(...lateOffers(random.fork('late offers'), scenario));
  if (random.chance(0.08)) faults.push(...troubledDeployment(random.fork('deployment'), scenario));
  if (random.chance(0.03)) faults.push(...lateRequest(random.fork('late request'), scenario));
  if (random.chance(0.04)) faults.push(...lostTwice(random.fork('lost twice'), scenario));
  if (random.chance(0.06)) faults.push(...leftBehind(random.fork('left behind'), scenario));
  const others = random.fork('other actors');
  if (others.chance(0.25)) faults.push(...otherActors(others, scenario, window));
  if (random.fork('not kept').chance(0.05)) faults.push(...notKept(random.fork('not kept'), scenario));
  const capacity = random.fork('capacity');
  if (capacity.chance(0.15)) faults.push(someCapacity(capacity));
  const night = random.fork('night');
  if (night.chance(0.12))
    faults.push({ kind: 'sleep', at: night.int(0, window), ms: longOrShort(night, 20_000, 40 * 60_000) });
  if (random.chance(0.06)) faults.push(...oneAfterTheOther(random.fork('services'), scenario));
  // Of a tier that is not at rest the prober lets nobody be replaced: few other faults.
  else if (scenario.start === 'served' && random.chance(0.12))
    return { scenario, faults: [...faults.slice(0, 1), ...troubledProber(random.fork('prober'), scenario)] };
  else if (scenario.slots > FEW_HOSTS) faults.push(...manyLost(random.fork('many lost'), scenario));
  // A tier that is served is only looked at by the schedule: without a lost server most faults would meet nothing.
  // Where services are to fail, a server that was lost just before would be in doubt for as long as all of that takes.
  else if (scenario.start === 'served') faults.unshift(loss(random.fork('loss'), scenario));
  return { scenario, faults };
}

/** So many hosts the reconciler asks one by one (lambda/volume-reconciler/aws-hosts.ts). */
const FEW_HOSTS = 8;

/** Seldom so many that hosts are asked by pages, and not one by one. */
function slotsOf(random: Random): number {
  const few = random.pick([1, 1, 2, 2, 2, 3, 3, 4, 6]);
  const large = random.fork('large');
  return large.chance(0.02) ? large.int(FEW_HOSTS + 1, 12) : few;
}

function loss(random: Random, { slots }: Scenario): Fault {
  const first = random.int(0, slots - 1);
  const several = random.chance(0.3);
  const targets = several
    ? Array.from({ length: random.int(1, slots) }, (_, index) => ({ owner: (first + index) % slots }))
    : [{ owner: first }];
  const at = random.int(0, 20_000);
  if (!several && random.chance(0.15))
    return { kind: 'hang', at, ms: longOrShort(random, 60_000, 30 * 60_000), target: targets[0]! };
  if (!several && random.chance(0.15))
    return { kind: 'status-check', at, target: targets[0]!, ...hanging(random) };
  return { kind: 'terminate', at, targets };
}

/**
 * Whether a plan has faults of all these kinds: each the label of a fault (`labelOf`) without its commas, or its first
 * words.
 */
export function hasFaults(plan: Plan, kinds: readonly string[]): boolean {
  const labels = plan.faults.map((fault) => `${labelOf(fault).replaceAll(',', '')} `);
  return kinds.every((kind) => labels.some((label) => label.startsWith(`${kind} `)));
}

/**
 * When the faults of a plan are over, milliseconds after they began. Those that strike by number are over with the last
 * timed one.
 */
export function endOfFaults(plan: Plan): number {
  return Math.max(STRIKING_MS, ...plan.faults.map(endOf));
}
