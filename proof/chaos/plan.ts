import { Random } from '../simulation/core/random';

/** What is done to servers. */
const TO_SERVERS = [
  'terminate',
  'terminate-in-group',
  'terminate-tier',
  'stop',
  'hang-in-shutting-down',
  'hang-in-stopping',
  'call-unhealthy',
  'freeze-host',
  'freeze-launching-host',
  'lose-agent',
  'no-capacity',
] as const;

/** What is done to the functions and workflows that repair. */
const TO_REPAIR = [
  'kill-reconciler',
  'kill-reconciler-at-call',
  'restart-functions',
  'second-workflow',
  'throttle',
  'repeat-events',
  'delay-events',
] as const;

/** What only the schedule, every five minutes, makes up for. */
const LONG = ['lose-events'] as const;

export const ABUSES = [...TO_SERVERS, ...TO_REPAIR, ...LONG] as const;
export type AbuseKind = (typeof ABUSES)[number];

/** A slot, as the plan names it. */
export interface Place {
  readonly tier: string;
  readonly slot: string;
}

/** One abuse: what, when, to whom. */
export interface Abuse extends Place {
  /** Seconds since the abuse of the deployment began. */
  readonly at: number;
  readonly kind: AbuseKind;
  /** How long it lasts, where that is in our hands. */
  readonly seconds: number;
  /** How many times, where it is counted. */
  readonly count: number;
  /** An API action, for a function that is killed when it has made that call. */
  readonly call: string;
  /** Which calls are refused, as the embedded AWS reads it. */
  readonly throttle: string;
}

/** Calls after which a pass dies: each leaves something done that nobody was told. */
const CALLS = [
  'TransactWriteItems',
  'UpdateItem',
  'AttachVolume',
  'AttachNetworkInterface',
  'SendCommand',
  'CompleteLifecycleAction',
  'DescribeInstances',
];

const THROTTLES = [
  'Describe*=2',
  'AttachVolume=2 AttachNetworkInterface=2 Describe*=4',
  'UpdateItem=3 TransactWriteItems=2 Query=3',
  'SendCommand=2 GetCommandInvocation=2',
  'CompleteLifecycleAction=2 RecordLifecycleActionHeartbeat=2 DescribeAutoScalingGroups=2',
  'Describe*=3 Attach*=3 UpdateItem=4 TransactWriteItems=3 SendCommand=3 CompleteLifecycleAction=3',
];

/** How a plan is drawn. */
export interface PlanSettings {
  readonly seed: number;
  readonly seconds: number;
  readonly places: readonly Place[];
  /** Leaves out what takes minutes to be repaired, and shortens the rest. */
  readonly short: boolean;
}

/** Pause between two abuses, in seconds, and how often two come at the same moment. */
const PAUSE = { min: 2, max: 9, together: 0.5 };

/**
 * Draws what is done, to whom and when. The same seed gives the same plan; what becomes of it does not follow from the
 * seed, because the embedded AWS is made of real processes.
 */
export function planOf(settings: PlanSettings): Abuse[] {
  const { seed, seconds, short } = settings;
  const random = new Random(seed);
  const [times, servers, repairs] = [random.fork('times'), random.fork('servers'), random.fork('repairs')];
  const ofServers = drawInTurns(servers, TO_SERVERS);
  const ofRepairs = drawInTurns(repairs, short ? TO_REPAIR : [...TO_REPAIR, ...LONG]);
  const plan: Abuse[] = [];
  for (let at = times.between(0, 2); at < seconds; at += times.between(PAUSE.min, PAUSE.max)) {
    const toServer = times.chance(0.55);
    const together = times.chance(PAUSE.together);
    // Without a recovery nothing else would be put to the test: the first abuse leads to one for certain.
    if (plan.length === 0) plan.push(detail('terminate', at, servers, settings));
    else if (toServer || together) plan.push(detail(ofServers(), at, servers, settings));
    if (!toServer || together) plan.push(detail(ofRepairs(), at, repairs, settings));
  }
  return plan;
}

/** Draws without putting back, so that every kind has its turn before one comes again. */
function drawInTurns<T>(random: Random, items: readonly T[]): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = random.shuffle(items);
    return left.pop() as T;
  };
}

function detail(kind: AbuseKind, at: number, random: Random, settings: PlanSettings): Abuse {
  const { tier, slot } = random.pick(settings.places);
  // All are drawn whatever the kind, so that a plan does not change when a kind needs one more.
  const length = random.between(4, settings.short ? 6 : 25);
  // A lost event can cost five minutes: one or two at a time, so that something is left to be harmed.
  const count = kind === 'lose-events' ? random.int(1, 2) : random.int(1, 5);
  const call = random.pick(CALLS);
  const throttle = random.pick(THROTTLES);
  return { at: round(at), kind, tier, slot, seconds: round(length), count, call, throttle };
}

const round = (value: number) => Math.round(value * 10) / 10;
