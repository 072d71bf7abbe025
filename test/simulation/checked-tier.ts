import { type Faults, NO_FAULTS } from '../../proof/simulation/aws/call';
import type { World } from '../../proof/simulation/aws/world';
import type { WorldOptions } from '../../proof/simulation/aws/world-options';
import { Checker } from '../../proof/simulation/invariants/checker';
import { deployedWorld } from './deployment';

const MINUTE = 60_000;

/** A tier of two slots, served and at rest, and what checks it. */
export interface CheckedTier {
  readonly world: World;
  readonly checker: Checker;
}

/**
 * A tier that has been served for so long that nothing is under way, and that is checked.
 *
 * @param faults what goes wrong from now on; nothing did before
 */
export async function checkedTier(
  faults: Partial<Faults> = {},
  options: Partial<WorldOptions> = {},
): Promise<CheckedTier> {
  const checker = new Checker(() => 0);
  let armed = false;
  const world = await deployedWorld(
    {
      slots: 2,
      volumesPerSlot: 2,
      seed: 3,
      observer: checker.observer,
      faults: {
        ...NO_FAULTS,
        onCall: (call) => (armed ? faults.onCall?.(call) : undefined),
        onEvent: (event) => (armed ? faults.onEvent?.(event) : undefined),
      },
      ...options,
    },
    (made) => checker.watch(made),
  );
  await world.run(10 * MINUTE);
  world.hosts.growOld();
  armed = true;
  checker.faultsEnd();
  return { world, checker };
}

export const rowOf = (world: World, slot = 'oss-00') => world.map.items.get(`slot#${slot}`)!;

export const ownerOf = (world: World, slot = 'oss-00'): string => String(rowOf(world, slot).owner);

export const volumeOf = (world: World, slot = 'oss-00') =>
  [...world.ec2.volumes.values()].find((volume) => volume.slot === slot)!;

export const interfaceOf = (world: World, slot = 'oss-00') =>
  world.ec2.interfaces.get(String(rowOf(world, slot).networkInterfaceId))!;
