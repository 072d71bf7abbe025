import type { SlotRow } from '../shared/map';
import type { CommandStatus, Lease, Observation, Ports } from './ports';

/**
 * Reads the map and the real state: a constant number of describes for the whole tier, and one question for each host that was told
 * and has not been seen to serve.
 */
export async function observe(lease: Lease, ports: Ports): Promise<Observation> {
  const rows = await ports.map.read();
  const owners = rows.slots.map((row) => row.owner).filter((owner) => owner !== undefined);
  const named = rows.owners.map((owner) => owner.instanceId);
  const [members, instances, volumes, interfaces, commands] = await Promise.all([
    ports.group.members(),
    ports.compute.instances([...new Set([...owners, ...named])].sort()),
    ports.compute.volumes(),
    ports.compute.interfaces(),
    statuses(rows.slots, ports),
  ]);
  return {
    now: ports.clock.now(),
    rows,
    members,
    instances,
    volumes,
    interfaces,
    commands,
    beatAt: lease.beatAt,
  };
}

async function statuses(rows: SlotRow[], ports: Ports): Promise<{ [slot: string]: CommandStatus }> {
  const found: { [slot: string]: CommandStatus } = {};
  await Promise.all(
    rows.map(async ({ slot, owner, epoch, servedEpoch, command, released }) => {
      if (owner === undefined || released || servedEpoch === epoch) return;
      if (command?.id === undefined || command.epoch !== epoch) return;
      found[slot] = await ports.hosts.status(command.id, owner);
    }),
  );
  return found;
}
