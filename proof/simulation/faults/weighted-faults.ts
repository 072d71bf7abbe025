import { callFault } from './call-faults';
import {
  type Circumstances,
  detachByHand,
  eventFault,
  invocationFault,
  pressure,
  stuckAttachment,
  terminate,
} from './drawn-faults';
import { anyVolume, hanging, longOrShort } from './draws';
import type { Fault, HandEdit, LeaseEdit } from './kinds';

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

/** Kinds with their weights: what happens every day on AWS more often than what takes a person's mistake. */
export const WEIGHTED_FAULTS: readonly (readonly [number, (circumstances: Circumstances) => Fault])[] = [
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
      ...anyVolume(random, slots, volumes),
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
  [
    1,
    ({ random, at, slots, volumes }) => ({ kind: 'looks-blank', at, ...anyVolume(random, slots, volumes) }),
  ],
  [
    4,
    ({ random, at, slots, volumes }) => ({
      kind: 'damaged',
      at,
      ...anyVolume(random, slots, volumes),
      repairMs: longOrShort(random, 20 * SECOND, 45 * MINUTE),
    }),
  ],
  [
    3,
    ({ random, at, slots, volumes }) => ({
      kind: 'orphans',
      at,
      ...anyVolume(random, slots, volumes),
      repairMs: longOrShort(random, 20 * SECOND, 15 * MINUTE),
      failing: random.chance(0.2) ? 1 : 0,
    }),
  ],
  [
    3,
    ({ random, at, slots, volumes }) => ({
      kind: 'slow-volume',
      at,
      ...anyVolume(random, slots, volumes),
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
