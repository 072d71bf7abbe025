import { type Range, TIMINGS, type Timings } from '../aws/timings';
import type { World } from '../aws/world';
import { isAtRest } from '../served';
import { bucketSeconds, type NeededRequests, neededRequests, othersSeconds } from './bound';
import { DocumentedLimits } from './limits';
import { PassCounter } from './passes';
import { servedTier } from './tier';

/** What became of a tier that lost all its servers at once. */
export interface AllLost {
  readonly slots: number;
  readonly volumesPerSlot: number;
  readonly seed: number;
  /** From the loss until every slot is served and every server in service. */
  readonly seconds: number;
  /**
   * What EC2, Auto Scaling and a host need for a slot, by their times alone: before its first request can be done, and
   * after its last one.
   */
  readonly beforeSeconds: number;
  readonly afterSeconds: number;
  /** When the first attach was done, from the loss on. */
  readonly firstAttachSeconds: number;
  readonly needed: NeededRequests;
  /** What the buckets alone allow. */
  readonly bucketSeconds: number;
  /** The buckets with the times of EC2 and the hosts before and after them. */
  readonly boundSeconds: number;
  readonly ratio: number;
  /** The same without the times of EC2 and the hosts on either side. */
  readonly ratioOfBuckets: number;
  /** The whole against the buckets alone, and the least that this can be: the bound against them. */
  readonly literalRatio: number;
  readonly leastLiteralRatio: number;
  /** Requests that EC2 and DynamoDB refused because a bucket was empty. */
  readonly refused: { readonly ec2: number; readonly dynamodb: number };
  readonly passes: number;
  readonly busyPasses: number;
  readonly calls: { readonly [operation: string]: number };
  /** How the passes looked, each way once. */
  readonly looks: readonly string[];
  readonly mostStatusCalls: number;
  /** Slots that were served again, and how long after the loss. */
  readonly servedAfter: readonly { readonly share: number; readonly seconds: number }[];
}

const middle = ([from, to]: Range): Range => [(from + to) / 2, (from + to) / 2];

/**
 * EC2 and the hosts take as long each time, the middle of the simulation's range, so that what the buckets allow can be
 * told exactly.
 */
export const EVEN_TIMINGS: Partial<Timings> = {
  boot: middle(TIMINGS.boot),
  shutdown: middle(TIMINGS.shutdown),
  release: middle(TIMINGS.release),
  attach: middle(TIMINGS.attach),
  agent: middle(TIMINGS.agent),
  install: middle(TIMINGS.install),
  mount: middle(TIMINGS.mount),
  groupReaction: middle(TIMINGS.groupReaction),
  healthCheck: middle(TIMINGS.healthCheck),
};

const LIMIT_MS = 2 * 3_600_000;
const LOOK_MS = 100;

/**
 * Terminates all servers of a tier that is served in the same moment, and measures until others serve in their place.
 */
export async function loseAll(slots: number, volumesPerSlot: number, seed: number): Promise<AllLost> {
  const counter = new PassCounter();
  const limits = new DocumentedLimits();
  const after: { loss?: Loss } = {};
  const world = await servedTier({
    slots,
    volumesPerSlot,
    seed,
    timings: EVEN_TIMINGS,
    faults: limits,
    observer: {
      onCall: counter.onCall,
      onAttach: () => {
        if (after.loss) after.loss.attachedAt ??= world.now();
      },
      onServe: () => after.loss?.served.push(world.now()),
    },
  });
  limits.watch(world);
  counter.reset();
  const lost = [...world.group.members.keys()];
  const loss: Loss = { at: world.now(), served: [], refused: world.transport.throttle.refused };
  after.loss = loss;
  for (const id of lost) world.ec2.terminate(id);
  await ended(world, loss);
  const seconds = (world.now() - loss.at) / 1000;
  const { before, after: last } = othersSeconds({ ...TIMINGS, ...EVEN_TIMINGS }, volumesPerSlot);
  const needed = neededRequests(slots, volumesPerSlot);
  const buckets = bucketSeconds(needed);
  const fixed = before + last;
  return {
    slots,
    volumesPerSlot,
    seed,
    seconds,
    beforeSeconds: before,
    afterSeconds: last,
    firstAttachSeconds: (loss.attachedAt! - loss.at) / 1000,
    needed,
    bucketSeconds: buckets,
    boundSeconds: fixed + buckets,
    ratio: seconds / (fixed + buckets),
    ratioOfBuckets: (seconds - fixed) / buckets,
    literalRatio: seconds / buckets,
    leastLiteralRatio: (fixed + buckets) / buckets,
    refused: { ec2: world.transport.throttle.refused - loss.refused, dynamodb: limits.refused },
    passes: counter.looking().length,
    busyPasses: counter.busy,
    calls: { ...counter.byOperation },
    looks: counter.looks(),
    mostStatusCalls: counter.mostStatusCalls(),
    servedAfter: [0.25, 0.5, 0.75, 1].map((share) => ({
      share,
      seconds: (loss.served[Math.ceil(share * slots) - 1]! - loss.at) / 1000,
    })),
  };
}

interface Loss {
  readonly at: number;
  /** When something began to be attached. */
  attachedAt?: number;
  /** When a host began to serve. */
  readonly served: number[];
  /** Refused before the loss. */
  readonly refused: number;
}

async function ended(world: World, loss: Loss): Promise<void> {
  let next = 0;
  await world.run(LIMIT_MS, () => {
    if (world.now() < next || loss.served.length < world.stack.slots.length) return false;
    next = world.now() + LOOK_MS;
    return isAtRest(world);
  });
  if (!isAtRest(world))
    throw new Error(`not all slots are served ${LIMIT_MS / 1000} s after all servers were lost`);
}
