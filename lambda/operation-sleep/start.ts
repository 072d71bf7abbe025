import type { Progress } from '../shared/operation/lock';
import type { Step, StepEvent } from '../shared/operation/step';
import type { Group, Ports } from './ports';
import { ask, forget } from './questions';
import { ANSWER_MS, type Settings, type SleepingTier } from './settings';

/** What serves first, then its users: each tier when the one before is served. */
export async function start(
  event: StepEvent,
  progress: Progress,
  ports: Ports,
  settings: Settings,
): Promise<Step> {
  const changing = await ports.stacksUnderWay(settings.stacks);
  if (changing.length > 0 && event.input.force !== true) {
    return {
      outcome: 'refused',
      message: `A deployment is under way: ${changing.join(', ')}. Wait for its end. To start all the same: --force.`,
    };
  }
  const night = await ports.night.read();
  if (night?.dawns === false) await ports.night.dawn();
  const message =
    (await letGo(night?.unmounted ?? [], ports)) ??
    (await wakeTiers(ports, settings)) ??
    (await wakeCluster(ports, settings));
  if (message) return { outcome: 'again', message, progress };
  return startNodes(progress, ports, settings);
}

/**
 * A stop that came to no end has left servers that run and have nothing mounted. Nobody would tell them to serve again,
 * nor have them replaced where no probe asks: they go, as the stop would have had it.
 *
 * @returns what is waited for; undefined when all have gone
 */
async function letGo(names: readonly string[], ports: Ports): Promise<string | undefined> {
  if (names.length === 0) return undefined;
  const groups = await ports.groups.describe(names);
  for (const { name, least, desired } of groups)
    if (least > 0 || desired > 0) await ports.groups.resize(name, 0, 0);
  const members = groups.flatMap((group) => group.members);
  if (members.length > 0) return `Waiting for ${members.length} servers that have unmounted to end`;
  await ports.night.letGo();
  return undefined;
}

/** @returns what is waited for; undefined when all are served */
async function wakeTiers(ports: Ports, { tiers }: Settings): Promise<string | undefined> {
  for (const tier of tiers) {
    // Before its servers come: that they do not serve is again worth an alarm.
    await ports.map.wake(tier);
    const group = await enlarge(tier.group, tier.slots, tier.slots + tier.spares, ports);
    const unserved = await unservedSlots(tier, group, ports);
    if (unserved.length > 0) return `Tier ${tier.tier}: waiting for ${unserved.join(', ')}`;
  }
  return undefined;
}

/** Never makes a group smaller: somebody may have made it larger for a reason. */
async function enlarge(name: string, least: number, desired: number, ports: Ports): Promise<Group> {
  const [group] = await ports.groups.describe([name]);
  if (!group) throw new Error(`the Auto Scaling group ${name} is not there`);
  if (group.least < least || group.desired < desired)
    await ports.groups.resize(name, Math.max(group.least, least), Math.max(group.desired, desired));
  return group;
}

/** Also slots of servers that go: their rows say served until the reconciler has seen their end. */
async function unservedSlots(tier: SleepingTier, { members }: Group, ports: Ports): Promise<string[]> {
  const { slots, broken } = await ports.map.read(tier);
  const staying = new Set(
    members.filter(({ lifecycle }) => !/^Terminat/.test(lifecycle)).map(({ instanceId }) => instanceId),
  );
  return [
    ...broken.map(({ slot, problem }) => `${slot} (its row cannot be read: ${problem})`),
    ...slots.flatMap(({ slot, owner, epoch, servedEpoch, released, reason, phase }) => {
      if (released || (owner && epoch === servedEpoch && staying.has(owner))) return [];
      return [`${slot} (${reason ?? (owner && !staying.has(owner) ? `its server ${owner} goes` : phase)})`];
    }),
  ];
}

async function wakeCluster(ports: Ports, { clusterGroups }: Settings): Promise<string | undefined> {
  for (const name of clusterGroups) await enlarge(name, 1, 1, ports);
  const groups = await ports.groups.describe(clusterGroups);
  const waiting = groups.filter(({ members }) => !members.some(({ lifecycle }) => lifecycle === 'InService'));
  return waiting.length > 0
    ? `Waiting for ${waiting.length} of ${groups.length} nodes of the cluster`
    : undefined;
}

async function startNodes(progress: Progress, ports: Ports, settings: Settings): Promise<Step> {
  const { nodeStack, clusterGroups, deployment } = settings;
  const nodes = nodeStack ? await ports.nodes.list(nodeStack) : [];
  // Those that were running: whoever stopped another one before had a reason. Nobody stopped it: none is started.
  const wanted = new Set((await ports.night.read())?.nodes ?? []);
  const down = nodes.filter(({ instanceId, state }) => wanted.has(instanceId) && state !== 'running');
  const stopped = down.filter(({ state }) => state === 'stopped').map(({ instanceId }) => instanceId);
  if (stopped.length > 0) await ports.nodes.start(stopped);
  if (down.length > 0) {
    const message = `Waiting for ${down.length} of ${nodes.length} nodes: ${down.map(({ name }) => name).join(', ')}`;
    return { outcome: 'again', message, progress };
  }
  const members = (await ports.groups.describe(clusterGroups)).flatMap((group) => group.members);
  const hosts = [
    ...nodes.filter(({ instanceId }) => wanted.has(instanceId)).map(({ instanceId }) => instanceId),
    ...members.map(({ instanceId }) => instanceId),
  ];
  const asked = await ask('mounted', 'mounted', hosts, ANSWER_MS, progress, ports);
  if (!asked.over) {
    return { outcome: 'again', message: 'Asking hosts whether they have mounted', progress: asked.progress };
  }
  const missing = [...asked.answers].filter(([, { exitCode }]) => exitCode !== 0);
  if (missing.length > 0) {
    const words = missing.map(([id, { said }]) => `${id}: ${said}`).join('; ');
    return {
      outcome: 'again',
      message: `Waiting for mounts: ${words}`,
      progress: forget('mounted', progress),
    };
  }
  await ports.night.end();
  // A server that is the grid itself has its file system mounted when its slot is served.
  const mounted = hosts.length > 0 ? `, ${hosts.length} hosts have mounted` : '';
  return {
    outcome: 'done',
    message: `${deployment} is up: all slots are served${mounted}`,
  };
}
