import { seconds, type Terminal } from '../../cli/terminal';
import type { Clients } from '../kit/clients';
import { readGroups, readInstances, readInterfaces, readMap, readVolumes } from '../kit/inventory';
import type { Estate, MapSlot, Tier } from '../kit/model';
import { DemoError, waitFor } from '../kit/processes';
import { type Look, Recovery, type Step, stepsOf } from '../kit/recovery';
import type { Harm, HarmMeans } from './harms';

/** A finished recovery. */
export interface Recovered {
  readonly slot: string;
  readonly oldInstance: string;
  readonly newInstance: string;
  readonly steps: Step[];
  /** The instance that fenced the old one, in a cluster. */
  readonly fencedBy?: string;
  /** Seconds since 1970. */
  readonly from: number;
  readonly to: number;
}

const LOOK_EVERY_SECONDS = 0.25;

/** The slot whose server is terminated: of several the one in the middle, so that others go on on both sides. */
export function victimOf(estate: Estate, tier: string): MapSlot {
  const slots = estate.slots
    .filter((slot) => slot.tier === tier)
    .sort((a, b) => a.slot.localeCompare(b.slot));
  const victim = slots[Math.floor(slots.length / 2)];
  if (!victim?.owner)
    throw new DemoError(`tier '${tier}' has no server to terminate; its map: ${JSON.stringify(slots)}`);
  return victim;
}

/**
 * Has the server of a slot fail, and follows the recovery until the replacement is in service.
 * @throws DemoError when it gets no further; the message says how far it came.
 */
export async function failOver(
  clients: Clients,
  table: string,
  tier: Tier,
  estate: Estate,
  slot: MapSlot,
  harm: Pick<Harm, 'was' | 'strike'>,
  means: HarmMeans,
  terminal: Terminal,
): Promise<Recovered> {
  const victim = slot.owner!;
  const members = (estate.groups[tier.group] ?? []).map(({ instanceId }) => instanceId);
  const recovery = new Recovery(slot, victim, members);
  recovery.observe(await look(clients, table, tier, slot, 0));

  const from = Date.now() / 1000;
  await harm.strike(victim, means);
  show(terminal, 0, `${victim}, the server of ${slot.slot}, ${harm.was}`);

  const newInstance = await waitFor(
    `the recovery of ${slot.slot}`,
    async () => {
      const now = await look(clients, table, tier, slot, Date.now() / 1000 - from);
      for (const line of recovery.observe(now)) show(terminal, now.seconds, line);
      terminal.status(`  ${seconds(now.seconds).padStart(8)}  waiting: ${slot.slot} is ${now.row.phase}`);
      return recovery.finished ? recovery.replacement(now) : undefined;
    },
    LOOK_EVERY_SECONDS,
  ).catch((error) => {
    if (!(error instanceof DemoError)) throw error;
    throw new DemoError(
      `${error.message}. Reached: ${Object.keys(recovery.moments).join(', ') || 'nothing'}. ` +
        `The workflow is ${tier.workflowArn}.`,
    );
  });
  const steps = stepsOf(recovery.moments);
  return { slot: slot.slot, oldInstance: victim, newInstance, steps, from, to: Date.now() / 1000 };
}

function show(terminal: Terminal, at: number, line: string): void {
  terminal.line(`  ${terminal.style(seconds(at).padStart(8), 'cyan')}  ${line}`);
}

async function look(clients: Clients, table: string, tier: Tier, slot: MapSlot, at: number): Promise<Look> {
  const [rows, groups, instances, volumes, interfaces] = await Promise.all([
    readMap(clients, table, tier.tier),
    readGroups(clients, [tier]),
    readInstances(clients),
    readVolumes(clients, slot.volumes),
    readInterfaces(clients, [slot.networkInterfaceId]),
  ]);
  const row = rows.find((candidate) => 'networkInterfaceId' in candidate && candidate.slot === slot.slot);
  if (!row) throw new DemoError(`the volume map lost the row of ${slot.slot} during its recovery`);
  return {
    seconds: at,
    row: row as MapSlot,
    members: groups[tier.group] ?? [],
    instances,
    volumes,
    networkInterface: interfaces[0],
  };
}
