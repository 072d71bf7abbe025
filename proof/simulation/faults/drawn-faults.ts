import type { Random } from '../core/random';
import { anyVolume, longOrShort } from './draws';
import type { Fault, Target } from './kinds';

const SECOND = 1000;

/** What is drawn before the kind of a fault, and what there is to strike. */
export interface Circumstances {
  readonly random: Random;
  readonly slots: number;
  readonly volumes: number;
  readonly at: number;
  readonly target: Target;
}

export function pressure(random: Random): { service: string; share: number } {
  return {
    service: random.pick(['ec2', 'ec2', 'autoscaling', 'dynamodb', 'ssm']),
    share: random.pick([0.3, 0.7, 1]),
  };
}

export function eventFault({ random }: Circumstances): Fault {
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

export function invocationFault({ random }: Circumstances): Fault {
  const worker = random.pick(['reconciler', 'reconciler', 'reconciler', 'seed', 'prober', 'node-health']);
  const nth = random.int(1, worker === 'reconciler' ? 60 : 6);
  return { kind: 'invocation', worker, nth, how: random.pick(['refused', 'twice', 'twice'] as const) };
}

export function terminate({ random, at, slots, target }: Circumstances): Fault {
  if (random.chance(0.7)) return { kind: 'terminate', at, targets: [target] };
  const count = random.int(2, Math.max(2, slots));
  return { kind: 'terminate', at, targets: Array.from({ length: count }, (_, member) => ({ member })) };
}

export function stuckAttachment({ random, at, slots, volumes }: Circumstances): Fault {
  const state = random.pick(['attaching', 'detaching', 'attached'] as const);
  const ms = longOrShort(random, 60 * SECOND, 900 * SECOND);
  const { slot, volume } = anyVolume(random, slots, volumes);
  if (random.chance(0.3)) return { kind: 'stuck-interface', at, ms, slot, state };
  return { kind: 'stuck-attachment', at, ms, slot, volume, state };
}

export function detachByHand({ random, at, slots, volumes }: Circumstances): Fault {
  const { slot, volume } = anyVolume(random, slots, volumes);
  if (random.chance(0.5)) return { kind: 'interface-by-hand', at, slot };
  return { kind: 'detach-by-hand', at, slot, volume };
}
