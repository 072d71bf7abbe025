import type { TierRows } from '../shared/map';
import { clusterChangedSince, clusterPlanOf } from './plan-cluster';
import type { Begun, Plan, PlannedServer, Ports } from './ports';
import type { Settings } from './settings';

/** @returns the plan, or why there is none now */
export async function planOf(ports: Ports, settings: Settings): Promise<Plan | string> {
  const changing = await ports.stacksUnderWay(settings.stacks);
  if (changing.length > 0) return `A deployment is under way: ${changing.join(', ')}. Wait for its end.`;
  if (settings.cluster) return clusterPlanOf(ports, settings.cluster);
  const servers: PlannedServer[] = [];
  for (const tier of settings.tiers) {
    const rows = await ports.map.read(tier);
    const obstacle = obstacleIn(tier.tier, rows);
    if (obstacle !== undefined) return obstacle;
    for (const { slot, owner, epoch, address, volumes } of rows.slots) {
      const own = volumes.map(({ volumeId }) => volumeId);
      const attached = await ports.snapshots.attachedTo(owner!);
      const missing = own.filter((id) => !attached.includes(id));
      if (missing.length > 0)
        return `Slot ${slot} lacks ${missing.join(', ')}, which its server ${owner} does not have.`;
      const others = attached.filter((id) => !own.includes(id));
      servers.push({ tier: tier.tier, slot, instanceId: owner!, epoch, address, volumes: own, others });
    }
  }
  return { servers };
}

function obstacleIn(tier: string, { sleep, slots, broken }: TierRows): string | undefined {
  if (sleep) return `The deployment sleeps since ${sleep.since}. Start it first: start`;
  if (broken[0]) return `The row of slot ${broken[0].slot} cannot be read: ${broken[0].problem}`;
  if (slots.length === 0) return `The volume map has no slot of tier ${tier}.`;
  const unserved = slots.find(
    ({ owner, epoch, servedEpoch, released }) => released || owner === undefined || epoch !== servedEpoch,
  );
  return (
    unserved &&
    `Slot ${unserved.slot} is not served: ${unserved.reason ?? unserved.phase}. Wait for it, or mend it first ` +
      '(status says what to do).'
  );
}

export const sizeOf = ({ servers }: Plan): number =>
  servers.reduce((sum, { volumes }) => sum + volumes.length, 0);

/** @returns why what the map says now is not what was planned; undefined when it is */
export async function changedSince(
  plan: Plan,
  ports: Ports,
  settings: Settings,
): Promise<string | undefined> {
  if (settings.cluster) return clusterChangedSince(plan, ports, settings.cluster);
  for (const tier of settings.tiers) {
    const { slots } = await ports.map.read(tier);
    const planned = plan.servers.filter((each) => each.tier === tier.tier);
    if (slots.length !== planned.length) return `tier ${tier.tier} has ${slots.length} slots now`;
    for (const { slot, instanceId, epoch, volumes } of planned) {
      const row = slots.find((each) => each.slot === slot);
      const same =
        row?.owner === instanceId &&
        row.epoch === epoch &&
        row.servedEpoch === epoch &&
        row.volumes.map(({ volumeId }) => volumeId).join() === volumes.join();
      if (!same) return `slot ${slot} has another server, or other volumes, than when it began`;
    }
  }
  return undefined;
}

/** @returns what of the plan has no snapshot or more than one, or what is not of the plan */
export function unfitIn(plan: Plan, begun: readonly Begun[]): string | undefined {
  const planned = new Set<string>();
  for (const { slot, volumes } of plan.servers) {
    for (const volume of volumes) {
      planned.add(volume);
      const count = begun.filter(({ volumeId }) => volumeId === volume).length;
      if (count !== 1) return `slot ${slot}: ${volume} has ${count} snapshots`;
    }
  }
  const other = begun.find(({ volumeId }) => !planned.has(volumeId));
  return other && `${other.snapshotId} is of ${other.volumeId}, which is of no slot`;
}
