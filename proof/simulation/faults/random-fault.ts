import type { Random } from '../core/random';
import { callFault } from './call-faults';
import type { Fault, HandEdit, LeaseEdit, Target } from './kinds';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Exit codes of sas-grid-serve: not yet, anything else, knows a newer epoch, found what is not the slot's. */
const EXIT_CODES = [75, 75, 1, 1, 1, 3, 4];

const EDITS: readonly HandEdit[] = [
  'delete-row',
  'delete-owner-row',
  'remove-owner',
  'owner-of-another',
  'unknown-owner',
  'lower-epoch',
  'raise-epoch',
  'not-formatted',
  'unreadable',
];

const LEASE_EDITS: readonly LeaseEdit[] = [
  'endless',
  'too-long',
  'ends-as-text',
  'wakeups-as-text',
  'beat-as-text',
  'beat-to-come',
];

interface Shape {
  readonly random: Random;
  readonly slots: number;
  readonly volumes: number;
  readonly at: number;
  readonly target: Target;
}

/** Kinds with their weights: what happens every day on AWS more often than what takes a person's mistake. */
const KINDS: readonly (readonly [number, (shape: Shape) => Fault])[] = [
  [30, ({ random }) => callFault(random)],
  [6, ({ random, at }) => ({ kind: 'throttling', at, ms: random.int(5, 120) * SECOND, ...pressure(random) })],
  [
    3,
    ({ random, at }) => ({
      kind: 'silent-service',
      at,
      ms: longOrShort(random, 5 * SECOND, 8 * MINUTE),
      service: random.pick([
        'ec2',
        'autoscaling',
        'dynamodb',
        'ssm',
        'ssm',
        'sfn',
        'cloudformation',
      ] as const),
    }),
  ],
  [
    6,
    ({ random, at }) => ({
      kind: 'stale',
      at,
      ms: longOrShort(random, 10 * SECOND, 300 * SECOND),
      staleness: random.int(1, 90) * SECOND,
    }),
  ],
  [8, eventFault],
  [3, ({ random, at }) => ({ kind: 'events-lost', at, ms: random.int(1, 10) * MINUTE })],
  // Lambda promises nothing about its clocks; what keeps them right elsewhere on AWS does so within a second (EC2 user
  // guide, "Precision clock and time synchronization").
  [
    3,
    ({ random, at }) => ({
      kind: 'clocks-off',
      at,
      ms: random.int(1, 10) * MINUTE,
      byMs: random.pick([200, 1000, 3000]),
    }),
  ],
  [
    8,
    ({ random, at }) => ({
      kind: 'no-lease',
      at,
      // All executions at once make many calls, and most of what they do to each other comes soon.
      ms: longOrShort(random, 10 * SECOND, 120 * SECOND),
      copies: random.int(1, 2),
    }),
  ],
  [6, ({ random, at }) => ({ kind: 'second-worker', at, copies: random.int(1, 2) })],
  [8, terminate],
  [3, ({ random, at, target }) => ({ kind: 'stop', at, target, ...hanging(random) })],
  [
    3,
    ({ random, at, target }) => ({
      kind: 'stop-start',
      at,
      ms: longOrShort(random, 10 * SECOND, 300 * SECOND),
      target,
    }),
  ],
  [
    3,
    ({ random, at, target }) => ({ kind: 'hang', at, ms: longOrShort(random, MINUTE, 30 * MINUTE), target }),
  ],
  [3, ({ random, at, target }) => ({ kind: 'status-check', at, target, ...hanging(random) })],
  [
    3,
    ({ random, at, target }) => ({
      kind: 'health-lie',
      at,
      target,
      says: random.pick(['Healthy', 'Unhealthy']),
    }),
  ],
  [1, ({ at, target }) => ({ kind: 'out-of-group', at, target })],
  [4, stuckAttachment],
  [1, detachByHand],
  [
    2,
    ({ random, at, slots, volumes, target }) => ({
      kind: 'moved-by-hand',
      at,
      ...thing(random, slots, volumes),
      target,
    }),
  ],
  [
    2,
    ({ random, at, slots }) => ({
      kind: 'not-kept',
      at,
      slot: random.int(0, slots - 1),
      what: random.pick(['volumes', 'volumes', 'interface', 'both'] as const),
    }),
  ],
  [1, ({ random, at, slots, volumes }) => ({ kind: 'looks-blank', at, ...thing(random, slots, volumes) })],
  [
    4,
    ({ random, at, slots, volumes }) => ({
      kind: 'damaged',
      at,
      ...thing(random, slots, volumes),
      repairMs: longOrShort(random, 20 * SECOND, 45 * MINUTE),
    }),
  ],
  [
    3,
    ({ random, at, slots, volumes }) => ({
      kind: 'orphans',
      at,
      ...thing(random, slots, volumes),
      repairMs: longOrShort(random, 20 * SECOND, 15 * MINUTE),
      failing: random.chance(0.2) ? 1 : 0,
    }),
  ],
  [
    3,
    ({ random, at, slots, volumes }) => ({
      kind: 'slow-volume',
      at,
      ...thing(random, slots, volumes),
      intervalSeconds: random.int(11, 300),
    }),
  ],
  [
    6,
    ({ random, at, target }) => ({
      kind: 'service-fails',
      at,
      target,
      how: random.pick(['dead', 'hung', 'silent'] as const),
    }),
  ],
  [2, ({ random, at }) => ({ kind: 'services-fail', at, ms: random.int(30, 480) * SECOND })],
  [
    3,
    ({ random, at, target }) => ({
      kind: 'probe-lies',
      at,
      ms: random.int(1, 8) * MINUTE,
      target,
      says: random.pick(['serves', 'fails'] as const),
    }),
  ],
  [2, ({ random, at }) => ({ kind: 'path-lost', at, ms: longOrShort(random, 30 * SECOND, 480 * SECOND) })],
  [
    3,
    ({ random, at, target }) => ({
      kind: 'system-check',
      at,
      ms: longOrShort(random, 30 * SECOND, 600 * SECOND),
      target,
    }),
  ],
  [
    3,
    ({ random, at }) => ({
      kind: 'permissions-late',
      at,
      ms: longOrShort(random, 2 * SECOND, 55 * SECOND),
      worker: random.pick(['reconciler', 'reconciler', 'seed', 'prober', 'node-health']),
    }),
  ],
  [3, ({ random, at }) => ({ kind: 'no-capacity', at, ms: longOrShort(random, MINUTE, 20 * MINUTE) })],
  [4, ({ random, at }) => ({ kind: 'hook-times-out', at, ms: random.int(30, 180) * SECOND })],
  [4, invocationFault],
  [
    6,
    ({ random, at }) => ({
      kind: 'host-fails',
      at,
      exitCode: random.pick(EXIT_CODES),
      times: random.int(1, 6),
    }),
  ],
  [
    3,
    ({ random, at, target }) => ({
      kind: 'host-hangs',
      at,
      ms: longOrShort(random, 10 * SECOND, 700 * SECOND),
      target,
    }),
  ],
  [
    3,
    ({ random, at, target }) => ({
      kind: 'agent-gone',
      at,
      ms: longOrShort(random, 10 * SECOND, 700 * SECOND),
      target,
    }),
  ],
  [
    5,
    ({ random, at }) => ({
      kind: 'deploy',
      at,
      change: random.pick(['same', 'same', 'grow', 'grow', 'another-map']),
      ...(random.chance(0.4) ? { rollBackAfterMs: random.int(1, 300) * SECOND } : {}),
    }),
  ],
  [2, ({ random, at }) => ({ kind: 'instance-refresh', at, launchFirst: random.chance(0.5) })],
  [3, ({ at, target }) => ({ kind: 'reboot', at, target })],
  [2, ({ at, target }) => ({ kind: 'root-replaced', at, target })],
  [2, ({ random, at }) => ({ kind: 'lease-by-hand', at, edit: random.pick(LEASE_EDITS) })],
  [
    4,
    ({ random, at, slots }) => ({
      kind: 'edit',
      at,
      slot: random.int(0, slots - 1),
      edit: random.pick(EDITS),
    }),
  ],
];

/** Mostly at the short end: what hangs for half an hour is rare, and costs many calls. */
export function longOrShort(random: Random, shortest: number, longest: number): number {
  return Math.round(shortest + (longest - shortest) * random.next() ** 4);
}

/** What fails its checks, or is stopped, mostly goes down as others do. */
export function hanging(random: Random): { hangMs?: number } {
  return random.chance(0.3) ? { hangMs: longOrShort(random, MINUTE, 30 * MINUTE) } : {};
}

const TOTAL = KINDS.reduce((sum, [weight]) => sum + weight, 0);

/** One fault that begins within the window (milliseconds). */
export function randomFault(random: Random, slots: number, volumes: number, windowMs: number): Fault {
  const at = random.int(0, windowMs);
  const target: Target = random.chance(0.6)
    ? { owner: random.int(0, slots - 1) }
    : { member: random.int(0, slots) };
  let draw = random.int(0, TOTAL - 1);
  for (const [weight, make] of KINDS) {
    if (draw < weight) return make({ random, slots, volumes, at, target });
    draw -= weight;
  }
  throw new Error('the weights do not add up');
}

function pressure(random: Random): { service: string; share: number } {
  return {
    service: random.pick(['ec2', 'ec2', 'autoscaling', 'dynamodb', 'ssm']),
    share: random.pick([0.3, 0.7, 1]),
  };
}

function eventFault({ random }: Shape): Fault {
  const of = random.pick([
    'autoscaling',
    'autoscaling',
    'autoscaling',
    'schedule',
    'cloudformation',
  ] as const);
  const nth = random.int(1, of === 'cloudformation' ? 3 : 15);
  const draw = random.next();
  // CloudFormation does not lose a request: a function's queue keeps it.
  if (draw < 0.4 && of !== 'cloudformation') return { kind: 'event', of, nth, drop: true };
  if (draw < 0.7) return { kind: 'event', of, nth, copies: random.int(2, 4) };
  // Late enough to come after those that happened later.
  return { kind: 'event', of, nth, delayMs: random.int(5, 600) * SECOND };
}

function invocationFault({ random }: Shape): Fault {
  const worker = random.pick(['reconciler', 'reconciler', 'reconciler', 'seed', 'prober', 'node-health']);
  const nth = random.int(1, worker === 'reconciler' ? 60 : 6);
  return { kind: 'invocation', worker, nth, how: random.pick(['refused', 'twice', 'twice'] as const) };
}

function terminate({ random, at, slots, target }: Shape): Fault {
  if (random.chance(0.7)) return { kind: 'terminate', at, targets: [target] };
  const count = random.int(2, Math.max(2, slots));
  return { kind: 'terminate', at, targets: Array.from({ length: count }, (_, member) => ({ member })) };
}

function stuckAttachment({ random, at, slots, volumes }: Shape): Fault {
  const state = random.pick(['attaching', 'detaching', 'attached'] as const);
  const ms = longOrShort(random, 60 * SECOND, 900 * SECOND);
  const { slot, volume } = thing(random, slots, volumes);
  if (random.chance(0.3)) return { kind: 'stuck-interface', at, ms, slot, state };
  return { kind: 'stuck-attachment', at, ms, slot, volume, state };
}

function detachByHand({ random, at, slots, volumes }: Shape): Fault {
  const { slot, volume } = thing(random, slots, volumes);
  if (random.chance(0.5)) return { kind: 'interface-by-hand', at, slot };
  return { kind: 'detach-by-hand', at, slot, volume };
}

function thing(random: Random, slots: number, volumes: number): { slot: number; volume: number } {
  return { slot: random.int(0, slots - 1), volume: random.int(0, volumes - 1) };
}
