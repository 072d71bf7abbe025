import { describeError } from '../shared/log';
import type { Observation, Ports } from './ports';
import type { Settings } from './settings';

/** A pass names no server after this long: the next one goes on. */
const NAMING_MS = 10_000;

/**
 * Gives servers a name in EC2 that says which slot they have, for people: nothing rests on it. Only when all of the
 * tier is served, and the lease has ended, so that no repair ever waits for it. The first one that fails ends it, which
 * says that a right is missing, or that EC2 takes no more calls.
 */
export async function nameServers(
  observation: Pick<Observation, 'instances' | 'members' | 'rows'>,
  { clock, compute, log }: Ports,
  settings: Settings,
): Promise<void> {
  const end = clock.now() + NAMING_MS;
  const names = namesOf(observation, settings);
  for (const { id, state, name } of observation.instances) {
    const wanted = names.get(id);
    if (wanted === undefined || name === wanted || state !== 'running') continue;
    if (clock.now() >= end) return;
    try {
      await compute.nameInstance(id, wanted);
    } catch (error) {
      log.info('a server could not be named', { instanceId: id, name: wanted, error: describeError(error) });
      return;
    }
  }
}

/** As the group has named them, after the stack, with the slot in the place of the tier. */
function namesOf(
  { members, rows }: Pick<Observation, 'members' | 'rows'>,
  { tier, tierTag }: Settings,
): ReadonlyMap<string, string> {
  const [stack] = tierTag.split('/');
  const names = new Map<string, string>();
  for (const { instanceId, lifecycle } of members ?? [])
    if (lifecycle === 'InService') names.set(instanceId, `${stack}-${tier}-spare`);
  for (const { slot, owner } of rows.slots) if (owner !== undefined) names.set(owner, `${stack}-${slot}`);
  return names;
}
