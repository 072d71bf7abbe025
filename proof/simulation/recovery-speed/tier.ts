import type { Faults } from '../aws/call';
import type { Observer } from '../aws/observer';
import { TIMINGS, type Timings } from '../aws/timings';
import { World } from '../aws/world';
import { definitionFor } from '../definition';
import { isAtRest } from '../served';
import { type InstanceRule, withInstanceRule } from './standby';

/** What a tier has beyond servers for its slots. */
export interface Standby {
  /** Servers in service that own no slot. @default 0 */
  readonly spareServers?: number;
  /**
   * The rule that the construct makes for them. @default - there is none, or its events are lost: only the group and
   * the schedule start anything
   */
  readonly instanceRule?: InstanceRule;
}

/** A tier that is served, on which nothing happens. */
export interface TierOptions extends Standby {
  readonly slots: number;
  readonly volumesPerSlot: number;
  readonly seed: number;
  /** How long EC2 and the hosts take from then on. @default - the simulation's */
  readonly timings?: Partial<Timings>;
  readonly observer?: Observer;
  readonly faults?: Faults;
}

/** The time-out of the launches, the construct's default. */
export const RECOVERY_TIMEOUT_SECONDS = 3600;

const MINUTE = 60_000;

/** For the deployment, which is not measured. */
const QUICK: Partial<Timings> = {
  boot: [1000, 1000],
  attach: [500, 500],
  agent: [500, 500],
  install: [500, 500],
  format: [500, 500],
  mount: [100, 100],
  groupReaction: [500, 500],
};

/** Longer than any first deployment without faults. */
const DEPLOYMENT_MS = 60 * MINUTE;

/** Until every bucket is full again, and every execution that an event started has ended. */
const PAUSE_MS = 3 * MINUTE;

/**
 * Deploys a tier and waits until it is at rest.
 *
 * @throws Error when it does not get there
 */
export async function servedTier(options: TierOptions): Promise<World> {
  const { slots, volumesPerSlot, spareServers, instanceRule, seed, faults } = options;
  const observer = instanceRule
    ? withInstanceRule(options.observer ?? {}, instanceRule, seed, () => world)
    : options.observer;
  const deployment = definitionFor(RECOVERY_TIMEOUT_SECONDS);
  const world: World = new World({
    deployment,
    slots,
    volumesPerSlot,
    spareServers,
    seed,
    timings: QUICK,
    observer,
    faults,
  });
  const verdict = await world.finish(world.stack.deploy(), DEPLOYMENT_MS);
  if (!verdict.ok) throw new Error(`the tier was not deployed: ${verdict.reason}`);
  Object.assign(world.timings, TIMINGS, options.timings);
  await world.run(PAUSE_MS);
  await world.run(10 * MINUTE, () => world.workflows.running === 0);
  if (!isAtRest(world)) throw new Error('the tier does not come to rest after its deployment');
  return world;
}
