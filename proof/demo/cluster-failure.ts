import { seconds, type Terminal } from '../../cli/terminal';
import type { Clients } from '../kit/clients';
import { type Cluster, readCluster } from '../kit/cluster';
import { readHistory, type Transition } from '../kit/history';
import type { Estate, MapSlot } from '../kit/model';
import { DemoError, waitFor } from '../kit/processes';
import { latest, type Step } from '../kit/recovery';
import type { Recovered } from './failure';
import type { Harm, HarmMeans } from './harms';

/** Moments after a node was lost, in seconds; a moment that was not seen is missing. */
export interface LossMoments {
  terminated?: number;
  fenced?: number;
  replacementSeen?: number;
  replacementRunning?: number;
  volumesAttached?: number;
  addressAttached?: number;
  joined?: number;
  mounted?: number;
}

const LOOK_EVERY_SECONDS = 0.25;

/** The node that is terminated: the one in the middle, so that others go on on both sides. */
export function victimNode({ nodes }: Cluster): string {
  return nodes[Math.floor(nodes.length / 2)]?.name ?? '';
}

/**
 * Has a node fail, and follows until another instance is that node.
 * @throws DemoError when that takes longer than the limit; the message says how far it came.
 */
export async function loseNode(
  clients: Clients,
  cluster: Cluster,
  before: Estate,
  slot: MapSlot,
  harm: Pick<Harm, 'was' | 'strike'>,
  means: HarmMeans,
  state: string,
  terminal: Terminal,
): Promise<Recovered> {
  const victim = slot.owner!;
  const loss = new Loss(slot, victim);
  const show = (at: number, line: string) =>
    terminal.line(`  ${terminal.style(seconds(at).padStart(8), 'cyan')}  ${line}`);
  const from = Date.now() / 1000;
  await harm.strike(victim, means);
  show(0, `${victim}, which is ${slot.slot}, ${harm.was}; ${before.slots.length - 1} nodes go on`);
  const newInstance = await waitFor(
    `another instance to be ${slot.slot}`,
    async () => {
      const estate = await readCluster(clients, cluster);
      const at = Date.now() / 1000 - from;
      for (const line of loss.observe(estate, readHistory(state), at)) show(at, line);
      terminal.status(`  ${seconds(at).padStart(8)}  waiting for ${slot.slot}`);
      return loss.moments.mounted === undefined ? undefined : loss.replacement;
    },
    LOOK_EVERY_SECONDS,
  ).catch((error) => {
    if (!(error instanceof DemoError)) throw error;
    throw new DemoError(
      `${error.message}. Reached: ${Object.keys(loss.moments).join(', ') || 'nothing'}. ` +
        `The log of the new instance is in ${state}/hosts/${loss.replacement ?? '<instance>'}/var/log.`,
    );
  });
  const steps = lossSteps(loss.moments);
  const { fencedBy = '' } = loss;
  return {
    slot: slot.slot,
    oldInstance: victim,
    newInstance,
    steps,
    fencedBy,
    from,
    to: Date.now() / 1000,
  };
}

/** Follows the loss of one node from look to look. */
export class Loss {
  readonly moments: LossMoments = {};
  replacement?: string;
  fencedBy?: string;

  constructor(
    private readonly slot: MapSlot,
    private readonly victim: string,
  ) {}

  /** Takes in one look and says what it shows for the first time. */
  observe(estate: Estate, history: Transition[], at: number): string[] {
    const { slot, victim, moments } = this;
    const group = estate.tiers.find(({ tier }) => tier === slot.tier)?.group ?? '';
    const member = estate.groups[group]?.find(({ instanceId }) => instanceId !== victim);
    this.replacement ??= member?.instanceId;
    const other = this.replacement;
    const state = (id?: string) => estate.instances.find((instance) => instance.id === id)?.state;
    const happened = (kind: string, id: string) =>
      history.find((line) => line.kind === kind && line.id === id && (!other || line.to === other));
    const fence = history.find(({ kind, id }) => kind === 'fence' && id === victim);
    this.fencedBy ??= fence?.instance;
    const has = (attachment?: { instanceId: string; state: string }) =>
      attachment?.instanceId === other && attachment?.state === 'attached';
    const every = (condition: (volume: string) => unknown) => slot.volumes.every((id) => condition(id));
    const attached = (id: string) =>
      estate.volumes.find((volume) => volume.id === id)?.attachments.some((each) => has(each));
    const own = estate.interfaces.find(({ id }) => id === slot.networkInterfaceId);
    const seen: [keyof LossMoments, unknown, string][] = [
      ['terminated', state(victim) === 'terminated', `${victim} is terminated`],
      ['fenced', fence, `${this.fencedBy} has fenced ${victim}: it can no longer write`],
      ['replacementSeen', other, `Auto Scaling started ${other}`],
      ['replacementRunning', other && state(other) === 'running', `${other} runs`],
      ['volumesAttached', other && every(attached), `${other} has attached the shared volumes to itself`],
      ['addressAttached', other && has(own?.attachment), `${other} has ${slot.address}`],
      [
        'joined',
        other && happened('cluster-member', slot.slot),
        `${other} joined the cluster as ${slot.slot}`,
      ],
      [
        'mounted',
        other && every((id) => happened('shared-mount', id)) && member?.lifecycleState === 'InService',
        `${other} has the file system mounted`,
      ],
    ];
    return seen.flatMap(([moment, reached, line]) => {
      if (!reached || moments[moment] !== undefined) return [];
      moments[moment] = at;
      return [line];
    });
  }
}

/** The steps for reports; a step whose end was never reached is left out. */
export function lossSteps(moments: LossMoments): Step[] {
  const there = latest(moments.volumesAttached, moments.addressAttached);
  const steps: [string, number | undefined, number | undefined][] = [
    ['Old node shuts down', 0, moments.terminated],
    ['A survivor fences it', moments.terminated, moments.fenced],
    ['Auto Scaling launches a replacement', 0, moments.replacementSeen],
    ['Replacement starts', moments.replacementSeen, moments.replacementRunning],
    ['Attaches the shared volumes', moments.replacementRunning, moments.volumesAttached],
    ['Takes the address', latest(moments.replacementRunning, moments.terminated), moments.addressAttached],
    ['Joins the cluster', there, moments.joined],
    ['Gets locks and mounts', moments.joined, moments.mounted],
  ];
  return steps.flatMap(([name, from, end]) => {
    if (from === undefined || end === undefined) return [];
    const start = Math.min(from, end); // two moments seen in one look may come in either order
    return [{ name, start, end, seconds: end - start }];
  });
}
