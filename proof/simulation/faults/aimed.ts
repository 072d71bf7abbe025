import type { Random } from '../core/random';
import { callFaultOf } from './call-faults';
import { longOrShort } from './draws';
import { CLAIM, type Fault } from './kinds';
import type { Scenario } from './scenario';

/*
 * Faults that belong together. Each alone, and at any time, would nearly always meet nothing: what they are aimed at is
 * rare.
 */

/** The service of one server fails, and that of another when the first one has been replaced, or nearly. */
export function oneAfterTheOther(random: Random, { slots }: Scenario): Fault[] {
  const first = random.int(0, slots - 1);
  const at = random.int(0, 60_000);
  const failure = (slot: number, after: number): Fault => ({
    kind: 'service-fails',
    at: at + after,
    target: { owner: slot % slots },
    how: random.pick(['dead', 'hung'] as const),
  });
  return [failure(first, 0), failure(first + 1, random.int(270_000, 420_000))];
}

/**
 * Several workers claim a slot, and the first claims arrive late: when it has had another owner, which is lost already.
 */
export function lateClaims(random: Random, { slots }: Scenario): Fault[] {
  const slot = random.int(0, slots - 1);
  const at = random.int(0, 10_000);
  const late = Array.from({ length: random.int(1, 3) }, (_, index) =>
    lateClaim(index + 1, random.int(20_000, 85_000)),
  );
  const losses = [0, random.int(8_000, 40_000), random.int(30_000, 70_000)].map((after) =>
    lost(slot, at + after),
  );
  return [{ kind: 'no-lease', at, ms: 150_000, copies: 2 }, ...late, ...losses];
}

/**
 * All servers are new, and several workers give them slots, as each sees them: one that is a little late has chosen
 * another slot for a server.
 */
export function rivalClaims(random: Random, { slots }: Scenario): Fault[] {
  const at = random.int(0, 8_000);
  const owners = Array.from({ length: slots }, (_, owner) => ({ owner }));
  const late = Array.from({ length: slots }, () =>
    lateClaim(random.int(1, 2 * slots), random.int(200, 4_000)),
  );
  const rivals = { kind: 'no-lease', at, ms: 150_000, copies: random.int(2, 6) } as const;
  return [rivals, { kind: 'terminate', at, targets: owners }, ...late];
}

/**
 * A tier is new, and of several workers some look, and act upon what they saw when others have had a volume formatted
 * and the slot served.
 */
export function lateOffers(random: Random, { start }: Scenario): Fault[] {
  if (start !== 'deployment') return [];
  const late = Array.from({ length: random.int(2, 5) }, (): Fault => {
    const fault = { kind: 'slow', ms: random.int(5_000, 60_000) } as const;
    return {
      kind: 'call',
      worker: 'reconciler',
      operation: 'DescribeVolumes',
      nth: random.int(1, 60),
      fault,
    };
  });
  return [{ kind: 'no-lease', at: 0, ms: 150_000, copies: random.int(1, 3) }, ...late];
}

/**
 * A deployment whose custom resources meet trouble: their function dies between its calls, is called twice, or late.
 */
export function troubledDeployment(random: Random, { start }: Scenario): Fault[] {
  const deploy: Fault = {
    kind: 'deploy',
    at: random.int(0, 60_000),
    change: random.pick(['same', 'same', 'grow', 'grow', 'another-map']),
    ...(random.chance(0.3) ? { rollBackAfterMs: random.int(1, 120_000) } : {}),
  };
  const calls = Array.from({ length: random.int(1, 4) }, () => callFaultOf(random, 'seed'));
  const request: Fault = random.chance(0.5)
    ? { kind: 'event', of: 'cloudformation', nth: random.int(1, 4), copies: random.int(2, 3) }
    : { kind: 'event', of: 'cloudformation', nth: random.int(1, 4), delayMs: random.int(1_000, 300_000) };
  // Its roles are the first thing that a deployment makes or changes.
  const since = start === 'served' && 'at' in deploy ? deploy.at : 0;
  const roles: Fault = {
    kind: 'permissions-late',
    at: since,
    ms: random.int(2_000, 55_000),
    worker: random.pick(['seed', 'seed', 'reconciler']),
  };
  return [
    ...(start === 'served' ? [deploy] : []),
    ...calls,
    ...(random.chance(0.6) ? [request] : []),
    ...(random.chance(0.4) ? [roles] : []),
  ];
}

/**
 * An update is undone while the request that is to seed its rows waits in Lambda's queue, or until Lambda begins again
 * what has died.
 */
export function lateRequest(random: Random, { start }: Scenario): Fault[] {
  if (start === 'deployment') return [];
  const rollBackAfterMs = random.int(1_000, 45_000);
  const deploy: Fault = {
    kind: 'deploy',
    at: random.int(0, 60_000),
    change: random.pick(['same', 'grow', 'grow']),
    rollBackAfterMs,
  };
  const late: Fault = random.chance(0.6)
    ? { kind: 'event', of: 'cloudformation', nth: 1, delayMs: rollBackAfterMs + random.int(1_000, 240_000) }
    : { kind: 'call', worker: 'seed', operation: 'Query', nth: 1, fault: { kind: 'crash-before' } };
  return [deploy, late];
}

/**
 * The service of a server fails, and the health prober meets trouble where it has the server replaced, or comes twice.
 */
export function troubledProber(random: Random, { slots }: Scenario): Fault[] {
  const at = random.int(0, 30_000);
  const owner = random.int(0, slots - 1);
  const failure: Fault = {
    kind: 'service-fails',
    at,
    target: { owner },
    how: random.pick(['dead', 'hung', 'silent'] as const),
  };
  if (random.chance(0.25)) return [failure, ...outOfReach(random, owner, slots, at)];
  if (random.chance(0.4)) return [failure, ...deploymentOrRepair(random, owner, slots)];
  const rare = ['DescribeInstanceRefreshes', 'DescribeStacks', 'SetInstanceHealth', 'TransactWriteItems'];
  const calls = Array.from({ length: random.int(1, 3) }, () =>
    callFaultOf(random, 'prober', random.chance(0.7) ? rare : []),
  );
  const twice = Array.from({ length: random.int(0, 3) }, (): Fault => {
    const nth = random.int(1, 8);
    return random.chance(0.5)
      ? { kind: 'event', of: 'schedule', nth, copies: random.int(2, 3) }
      : { kind: 'invocation', worker: 'prober', nth, how: 'twice' };
  });
  return [failure, ...calls, ...twice];
}

/** The way to all other servers is lost while the service of one has failed. */
function outOfReach(random: Random, but: number, slots: number, at: number): Fault[] {
  const ms = random.int(240_000, 480_000);
  return Array.from({ length: slots - 1 }, (_, index) => ({
    kind: 'agent-gone',
    at,
    ms,
    target: { owner: (but + 1 + index) % slots },
  }));
}

/**
 * A deployment, a refresh, or a repair of another slot when the one whose service has failed is about to be replaced.
 */
function deploymentOrRepair(random: Random, failed: number, slots: number): Fault[] {
  const at = random.int(90_000, 300_000);
  const draw = random.next();
  if (draw < 0.4) return [{ kind: 'deploy', at, change: random.pick(['same', 'same', 'grow'] as const) }];
  if (draw < 0.5) return [{ kind: 'instance-refresh', at, launchFirst: random.chance(0.5) }];
  const slot = (failed + 1) % slots;
  // The group sees that a server is lost; that something was detached from one only the map says.
  if (draw < 0.7) return [lost(slot, at)];
  // A pass has to see that it was detached: the schedule begins one each five minutes.
  const early = random.int(0, 100_000);
  const stuck = { kind: 'stuck-interface', at: early, ms: random.int(240, 600) * 1000, slot } as const;
  return [
    { ...stuck, state: 'attaching' },
    { kind: 'interface-by-hand', at: early, slot },
  ];
}

/** A server is lost, and EC2 leaves what it held on it: the reconciler has to ask for it, and meets trouble. */
export function leftBehind(random: Random, { slots, volumesPerSlot }: Scenario): Fault[] {
  const slot = random.int(0, slots - 1);
  const at = random.int(0, 20_000);
  const stuck = Array.from({ length: random.int(1, 2) }, (): Fault => {
    const state = random.pick(['attached', 'attached', 'detaching'] as const);
    const ms = random.int(120, 700) * 1000;
    if (random.chance(0.4)) return { kind: 'stuck-interface', at, ms, slot, state };
    return { kind: 'stuck-attachment', at, ms, slot, volume: random.int(0, volumesPerSlot - 1), state };
  });
  const calls = Array.from({ length: random.int(0, 2) }, () =>
    callFaultOf(random, 'reconciler', ['DetachVolume', 'DetachNetworkInterface']),
  );
  const target = { owner: slot };
  const loss: Fault = random.chance(0.3)
    ? { kind: 'hang', at, ms: longOrShort(random, 30_000, 10 * 60_000), target }
    : { kind: 'terminate', at, targets: [target] };
  return [...stuck, loss, ...calls];
}

/** The server that takes a lost one's place stops before it serves. */
export function lostTwice(random: Random, { slots, pace }: Scenario): Fault[] {
  const owner = random.int(0, slots - 1);
  const at = random.int(0, 20_000);
  const after = pace === 'quick' ? random.int(4_000, 20_000) : random.int(50_000, 150_000);
  return [lost(owner, at), { kind: 'stop', at: at + after, target: { owner } }];
}

/**
 * All servers of a large tier are lost at once: the hosts that follow are asked by pages, and that call meets trouble.
 */
export function manyLost(random: Random, { slots }: Scenario): Fault[] {
  const targets = Array.from({ length: slots }, (_, owner) => ({ owner }));
  const loss: Fault = { kind: 'terminate', at: random.int(0, 60_000), targets };
  const calls = Array.from({ length: random.int(1, 4) }, () =>
    callFaultOf(random, 'reconciler', ['ListCommandInvocations']),
  );
  return [loss, ...calls];
}

/**
 * What a server has is to be deleted with it, and its group, or the prober, has it replaced before the schedule has a
 * pass look.
 */
export function notKept(random: Random, { slots }: Scenario): Fault[] {
  const slot = random.int(0, slots - 1);
  const at = random.int(0, 60_000);
  const target = { owner: slot };
  const end: Fault = random.chance(0.7)
    ? { kind: 'health-lie', at: at + longOrShort(random, 500, 200_000), target, says: 'Unhealthy' }
    : {
        kind: 'instance-refresh',
        at: at + longOrShort(random, 500, 200_000),
        launchFirst: random.chance(0.5),
      };
  const operations = ['ModifyInstanceAttribute', 'ModifyNetworkInterfaceAttribute'];
  const calls = Array.from({ length: random.int(0, 2) }, () => callFaultOf(random, 'reconciler', operations));
  const what = random.pick(['volumes', 'interface', 'both'] as const);
  return [{ kind: 'not-kept', at, slot, what }, end, ...calls];
}

function lateClaim(nth: number, ms: number): Fault {
  return { kind: 'call', operation: CLAIM, nth, fault: { kind: 'late', ms } };
}

function lost(owner: number, at: number): Fault {
  return { kind: 'terminate', at, targets: [{ owner }] };
}
