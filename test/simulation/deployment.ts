import type { TierDeployment } from '../../proof/simulation/aws/deployment';
import { synthesizeTier } from '../../proof/simulation/aws/synthesis';
import { TIMINGS } from '../../proof/simulation/aws/timings';
import { World } from '../../proof/simulation/aws/world';
import type { WorldOptions } from '../../proof/simulation/aws/world-options';
import { AT_ONCE } from '../../proof/simulation/paces';

let known: TierDeployment | undefined;

/** The tier as the construct synthesizes it, once per test file. */
export function deployment(): TierDeployment {
  known ??= synthesizeTier();
  return known;
}

/**
 * A tier that was deployed without waits: what is waited for costs passes that find nothing new, four fifths of the
 * time of a deployment, at which no test looks that begins with this. From here on everything takes its time.
 */
export async function deployedWorld(
  options: Omit<WorldOptions, 'deployment'>,
  watch: (world: World) => void = () => {},
): Promise<World> {
  const world = new World({ ...options, deployment: deployment(), timings: AT_ONCE });
  watch(world);
  expect((await world.finish(world.stack.deploy())).ok).toBe(true);
  Object.assign(world.timings, TIMINGS, options.timings);
  return world;
}
