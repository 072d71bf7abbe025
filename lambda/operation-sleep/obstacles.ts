import type { Progress } from '../shared/operation/lock';
import type { Ports } from './ports';
import { ask } from './questions';
import { ANSWER_MS, EXIT_BUSY, type Settings } from './settings';

/** Why a deployment is not put to sleep now, what is waited for, or that nothing is in the way. */
export type Looked =
  | { readonly refused: string }
  | { readonly wait: string; readonly progress: Progress }
  | { readonly progress: Progress };

const FORCE = 'To stop all the same: --force.';

/**
 * Looks whether anything is under way, or somebody at work. `anyway` nobody is asked. Of a stop that goes on where
 * another one ended, slots without a server are no obstacle; somebody may have started nodes since.
 */
export async function obstacleTo(
  { anyway, begun }: { readonly anyway: boolean; readonly begun: boolean },
  progress: Progress,
  ports: Ports,
  settings: Settings,
): Promise<Looked> {
  if (anyway) return { progress };
  const changing = await ports.stacksUnderWay(settings.stacks);
  if (changing.length > 0)
    return { refused: `A deployment is under way: ${changing.join(', ')}. Wait for its end. ${FORCE}` };
  const repair = begun ? undefined : await repairUnderWay(ports, settings);
  if (repair)
    return { refused: `${repair}. Wait for it, or mend it first (status says what to do). ${FORCE}` };
  return usersAtWork(progress, ports, settings);
}

async function repairUnderWay(ports: Ports, { tiers }: Settings): Promise<string | undefined> {
  for (const tier of tiers) {
    const { slots, broken } = await ports.map.read(tier);
    if (broken[0]) return `The row of slot ${broken[0].slot} cannot be read: ${broken[0].problem}`;
    const unserved = slots.find(
      ({ owner, epoch, servedEpoch, released }) =>
        !released && (owner === undefined || epoch !== servedEpoch),
    );
    if (unserved) return `Slot ${unserved.slot} is not served: ${unserved.reason ?? unserved.phase}`;
    if (await ports.groups.isRefreshing(tier.group))
      return `Servers of tier ${tier.tier} are being refreshed`;
  }
  return undefined;
}

async function usersAtWork(progress: Progress, ports: Ports, settings: Settings): Promise<Looked> {
  const hosts = await hostsWithUsers(ports, settings);
  const asked = await ask('work', 'work', hosts, ANSWER_MS, progress, ports);
  if (!asked.over) {
    return { wait: `Asking ${hosts.length} hosts whether somebody is at work`, progress: asked.progress };
  }
  const busy = [...asked.answers].filter(([, { exitCode }]) => exitCode === EXIT_BUSY);
  const unknown = [...asked.answers].filter(([, { exitCode }]) => exitCode !== EXIT_BUSY && exitCode !== 0);
  const words = (answers: typeof busy): string =>
    answers.map(([id, { said }]) => `${id}: ${said}`).join('; ');
  if (busy.length > 0) return { refused: `Somebody is at work: ${words(busy)}. Let them end. ${FORCE}` };
  if (unknown.length > 0) {
    return { refused: `Whether somebody is at work cannot be told: ${words(unknown)}. ${FORCE}` };
  }
  return { progress: asked.progress };
}

async function hostsWithUsers(ports: Ports, settings: Settings): Promise<string[]> {
  const nodes = settings.nodeStack ? await ports.nodes.list(settings.nodeStack) : [];
  const running = nodes.filter(({ state }) => state === 'running').map(({ instanceId }) => instanceId);
  if (!settings.hostsHaveUsers) return running;
  const groups = [...settings.tiers.map(({ group }) => group), ...settings.clusterGroups];
  const members = (await ports.groups.describe(groups)).flatMap((group) => group.members);
  const inService = members.filter(({ lifecycle }) => lifecycle === 'InService');
  return [...running, ...inService.map(({ instanceId }) => instanceId)];
}
