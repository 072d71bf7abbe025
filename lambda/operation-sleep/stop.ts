import type { TierRows } from '../shared/map';
import type { Progress } from '../shared/operation/lock';
import type { Step, StepEvent } from '../shared/operation/step';
import { obstacleTo } from './obstacles';
import type { Answer, Group, Ports } from './ports';
import { ask } from './questions';
import { type Settings, type SleepingTier, UNMOUNT_MS } from './settings';

/** Users first, then what serves them: a tier is let go when its file systems are unmounted. */
export async function stop(
  event: StepEvent,
  before: Progress,
  ports: Ports,
  settings: Settings,
): Promise<Step> {
  if (settings.refusal) return { outcome: 'refused', message: settings.refusal };
  const night = await ports.night.read();
  const begun = night !== undefined && !night.dawns;
  let progress = before;
  // Each execution looks once.
  if (!begun || night.by !== event.execution) {
    const anyway = event.input.force === true;
    const looked = await obstacleTo({ anyway, begun }, progress, ports, settings);
    if ('wait' in looked) return again(looked.wait, looked.progress);
    if ('refused' in looked) return { outcome: 'refused', message: looked.refused };
    progress = looked.progress;
    await ports.night.begin(new Date(ports.now()).toISOString(), event.execution);
  }
  // From here on nobody replaces a server that has stopped serving, and no alarm rings for it.
  for (const tier of settings.tiers) {
    await ports.map.sleep(tier, new Date(ports.now()).toISOString(), event.execution);
  }
  const nodes = await stopNodes(ports, settings);
  if (nodes) return again(nodes, progress);
  return letServersGo(event, progress, ports, settings);
}

const again = (message: string, progress: Progress): Step => ({ outcome: 'again', message, progress });

/** @returns what is waited for; undefined when all are stopped */
async function stopNodes(ports: Ports, { nodeStack }: Settings): Promise<string | undefined> {
  if (nodeStack === undefined) return undefined;
  const nodes = (await ports.nodes.list(nodeStack)).filter(({ state }) => !ENDED.includes(state));
  const up = nodes.filter(({ state }) => state !== 'stopped');
  if (up.length === 0) return undefined;
  // Remembered before they are stopped: those that start brings back. What stops already was remembered, or stopped by
  // somebody else.
  const ours = up.filter(({ state }) => state !== 'stopping').map(({ instanceId }) => instanceId);
  if (ours.length > 0) await ports.night.remember(ours);
  const running = up.filter(({ state }) => state === 'running').map(({ instanceId }) => instanceId);
  if (running.length > 0) await ports.nodes.stop(running);
  return `Waiting for ${up.length} of ${nodes.length} nodes to stop: ${up.map(({ name }) => name).join(', ')}`;
}

const ENDED: readonly string[] = ['shutting-down', 'terminated'];

async function letServersGo(
  event: StepEvent,
  before: Progress,
  ports: Ports,
  settings: Settings,
): Promise<Step> {
  let progress = before;
  const names = [...settings.tiers.map(({ group }) => group), ...settings.clusterGroups];
  const groups = new Map((await ports.groups.describe(names)).map((group) => [group.name, group]));
  const rows = new Map<string, TierRows>();
  for (const tier of settings.tiers) rows.set(tier.tier, await ports.map.read(tier));

  const rests = [
    ...settings.stopOrder.map((name) => {
      const tier = settings.tiers.find((each) => each.tier === name)!;
      return { name: `tier ${name}`, groups: [tier.group], slots: rows.get(name)!.slots };
    }),
    // The nodes of a cluster leave it all at once: one after the other, the last ones would lack the quorum.
    ...(settings.clusterGroups.length > 0
      ? [{ name: 'the cluster', groups: settings.clusterGroups, slots: undefined }]
      : []),
  ];
  for (const { name, groups: wanted, slots } of rests) {
    const there = wanted.flatMap((each) => groups.get(each) ?? []);
    const open = there.filter(({ least, desired }) => least > 0 || desired > 0);
    if (open.length === 0) continue;
    const present = inService(there);
    const moving = event.input.force === true ? [] : movingTo(present, slots);
    if (moving.length > 0)
      return again(`${name}: ${moving.join(', ')} is being served, and unmounted then`, progress);
    const serving = servingOf(slots);
    const hosts = present.filter((id) => slots === undefined || serving.has(id));
    // What has unmounted serves no more: a start that comes before the end lets it go first.
    if (hosts.length > 0) await ports.night.unmounting(open.map((group) => group.name));
    const asked = await ask('unmount', `unmount ${name}`, hosts, UNMOUNT_MS, progress, ports);
    progress = asked.progress;
    if (!asked.over) return again(`${name}: ${hosts.length} servers unmount`, progress);
    const failed = [...asked.answers].filter(([, answer]) => answer.exitCode !== 0);
    if (failed.length > 0 && event.input.force !== true)
      return { outcome: 'failed', message: stuck(name, failed) };
    for (const group of open) await ports.groups.resize(group.name, 0, 0);
  }
  return waitForTheEnd(progress, names, ports, settings);
}

/** The servers that the map has serve a slot: others have nothing mounted of it. */
const servingOf = (slots: TierRows['slots'] = []): ReadonlySet<string> =>
  new Set(slots.flatMap(({ owner, epoch, servedEpoch }) => (owner && epoch === servedEpoch ? [owner] : [])));

/** Slots that a server has just been given: it may have them mounted before the map says so. */
const movingTo = (present: readonly string[], slots: TierRows['slots'] = []): string[] =>
  slots.flatMap(({ slot, owner, epoch, servedEpoch }) =>
    owner && present.includes(owner) && epoch !== servedEpoch ? [slot] : [],
  );

const inService = (groups: readonly Group[]): string[] =>
  groups.flatMap(({ members }) =>
    members.filter(({ lifecycle }) => lifecycle === 'InService').map(({ instanceId }) => instanceId),
  );

const stuck = (name: string, failed: readonly (readonly [string, Answer])[]): string =>
  `${name} is not let go, since it could not be unmounted: ` +
  `${failed.map(([id, { said }]) => `${id}: ${said}`).join('; ')}. Nothing is lost. Mend it and stop again, or go ` +
  'back with start. With --force the servers are terminated all the same, as when they fail.';

/** The last one of a group that is empty, and a slot without an owner: nothing can write any more. */
async function waitForTheEnd(
  progress: Progress,
  names: readonly string[],
  ports: Ports,
  settings: Settings,
): Promise<Step> {
  const members = (await ports.groups.describe(names)).flatMap((group) => group.members);
  const owned: string[] = [];
  for (const tier of settings.tiers) owned.push(...(await ownedSlots(tier, ports)));
  if (members.length > 0 || owned.length > 0) {
    const slots = owned.length > 0 ? `; still owned: ${owned.join(', ')}` : '';
    return again(`Waiting for ${members.length} servers to end${slots}`, progress);
  }
  return {
    outcome: 'done',
    message: `${settings.deployment} sleeps: no server runs. Its volumes and addresses stay. To start it: start`,
  };
}

const ownedSlots = async (tier: SleepingTier, ports: Ports): Promise<string[]> =>
  (await ports.map.read(tier)).slots.flatMap(({ slot, owner }) => (owner ? [slot] : []));
