import { lackingOf } from './attached';
import type { World } from './aws/world';

const CUT_OFF = 'and no client reaches it';

/** Why a slot is not served, or undefined: the map, the group, the host and its clients have to agree. */
function unservedBecause(world: World, slot: string): string | undefined {
  const row = world.map.items.get(`slot#${slot}`);
  if (row === undefined) return 'it has no row';
  if (typeof row.owner !== 'string') return `it has no owner (${String(row.reason ?? row.phase)})`;
  if (row.servedEpoch !== row.epoch)
    return `its row says ${String(row.phase)} (${String(row.reason ?? 'no reason')})`;
  const state = world.ec2.instances.get(row.owner)?.state;
  if (state !== 'running') return `its owner ${row.owner} is ${state}`;
  const [lacks] = lackingOf(world, row, row.owner);
  if (lacks !== undefined) return `${lacks.id} is not attached to its owner ${row.owner}`;
  const host = world.hosts.all.get(row.owner);
  if (!host?.serving || host.slot !== slot)
    return `its owner ${row.owner} does not serve it, whatever its row says`;
  if (host.way.probed !== undefined)
    return `of its owner ${row.owner} ${host.way.probed}, whatever its row says`;
  if (!host.way.stands) return `its owner ${row.owner} serves it, ${CUT_OFF}`;
  const lifecycle = world.group.members.get(row.owner)?.lifecycle;
  return lifecycle === 'InService'
    ? undefined
    : `its owner ${row.owner} is ${lifecycle ?? 'not in the group'}`;
}

/**
 * The slots of the tier: those of its template, and one that is in the map since the rollback of a growth may not take
 * it away.
 */
function slotsOf(world: World): string[] {
  const slots = new Set(world.stack.slots);
  // Of a stack that was deleted nothing is served; a row that could not be read then is not let go.
  if (slots.size === 0) return [];
  for (const { slot, released } of world.map.items.values())
    if (typeof slot === 'string' && released === false) slots.add(slot);
  return [...slots];
}

/** The slots that are not served, with why. */
export function unserved(world: World): Map<string, string> {
  const found = new Map<string, string>();
  for (const slot of slotsOf(world)) {
    const why = unservedBecause(world, slot);
    if (why !== undefined) found.set(slot, why);
  }
  return found;
}

/** Slots that are served as far as the map and the group can know, by hosts that do not serve. */
export function silentHosts(world: World): { readonly slot: string; readonly owner: string }[] {
  return slotsOf(world).flatMap((slot) => {
    const owner = world.map.items.get(`slot#${slot}`)?.owner;
    const silent = unservedBecause(world, slot)?.endsWith('whatever its row says') === true;
    return silent && typeof owner === 'string' ? [{ slot, owner }] : [];
  });
}

/** Slots that are served for all that the hosts know, and that no client reaches: no server is replaced for that. */
export function cutOffSlots(world: World): { readonly slot: string; readonly owner: string }[] {
  return slotsOf(world).flatMap((slot) => {
    const owner = world.map.items.get(`slot#${slot}`)?.owner;
    return unservedBecause(world, slot)?.endsWith(CUT_OFF) && typeof owner === 'string'
      ? [{ slot, owner }]
      : [];
  });
}

/**
 * Whether the health probe cannot tell which host it is, or nobody may be replaced for it: several at once have a cause
 * in common, and the silence of the only one there is may be that of the way to it. Nor where it has never said of a
 * host that it serves: then the probe may be what is wrong.
 */
export function isProberAtALoss(world: World): boolean {
  const silent = silentHosts(world);
  if (silent.length !== 1) return silent.length > 1;
  if (!isProven(world, silent[0]!.slot)) return true;
  return world.stack.slots.length === 1 && world.hosts.all.get(silent[0]!.owner)?.health.ailment === 'silent';
}

/**
 * Whether the health probe has said of a slot's server that it serves: from then on it believes it when it says that it
 * does not.
 */
export function isProven(world: World, slot: string): boolean {
  const row = world.map.items.get(`slot#${slot}`);
  const record = row?.probe as { epoch?: unknown; provenBy?: unknown } | undefined;
  const { program } = world.options.deployment.prober.environment.settings;
  return record?.epoch === row?.epoch && record?.provenBy === program;
}

/** Whether every slot is served, nobody waits in a hook, and no server is on its way in or out. */
export function isAtRest(world: World): boolean {
  for (const slot of slotsOf(world)) if (unservedBecause(world, slot) !== undefined) return false;
  for (const member of world.group.members.values())
    if (member.lifecycle !== 'InService' || member.health !== 'Healthy') return false;
  return world.group.actions.every((action) => action.ended !== undefined);
}

/**
 * Whether nothing is under way that would change a tier at rest: a deployment, an instance refresh, a launch that is
 * still to come, a machine that the group is about to find unhealthy.
 */
export function isSettled(world: World): boolean {
  const { ec2, group, stack } = world;
  if (stack.busy || group.isRefreshing || !isAtRest(world)) return false;
  if (group.members.size !== group.desired) return false;
  return [...group.members.keys()].every((id) => {
    const instance = ec2.instances.get(id);
    return instance?.state === 'running' && !instance.impaired;
  });
}

/** Who owns what, and who is a spare, in a line. */
export function ownersOf(world: World): string {
  const rows = slotsOf(world).map((slot) => [slot, String(world.map.items.get(`slot#${slot}`)?.owner)]);
  const owners = new Map(rows.map(([slot, owner]) => [owner, slot]));
  return [...world.group.members.keys()].map((id) => `${id} ${owners.get(id) ?? 'spare'}`).join(', ');
}

/** Lifecycle actions that nobody has ended. */
export function openActions(world: World): string[] {
  return world.group.actions
    .filter((action) => action.ended === undefined)
    .map(
      (action) => `${action.hook} of ${action.instanceId} since ${new Date(action.startedAt).toISOString()}`,
    );
}
