import type { SlotRow } from '../shared/map';
import { findingOf } from './after-snapshot';
import type { CommandStatus, Lease, Observation, Ports, SentCommand } from './ports';

/**
 * Reads the map and the real state: a constant number of describes for the whole tier, page by page, and what became of
 * the commands to hosts that have not been seen to serve.
 */
export async function observe(lease: Lease, ports: Ports): Promise<Observation> {
  const rows = await ports.map.read();
  const owners = rows.slots.map((row) => row.owner).filter((owner) => owner !== undefined);
  const named = rows.owners.map((owner) => owner.instanceId);
  const [members, tagged, volumes, interfaces, commands] = await Promise.all([
    ports.group.members(),
    ports.compute.instances([...new Set([...owners, ...named])].sort()),
    ports.compute.volumes(),
    ports.compute.interfaces(),
    statuses(rows.slots, ports),
  ]);
  // A terminated instance loses the tag of the tier before EC2 forgets it; what it still holds has to be seen to be on
  // a dead one, and a launch that waits with it is to be given up.
  const seen = new Set(tagged.map(({ id }) => id));
  const attachments = [
    ...volumes.flatMap((volume) => volume.attachments),
    ...interfaces.flatMap(({ attachment }) => attachment ?? []),
  ];
  const holders = attachments.map(({ instanceId }) => instanceId);
  const waiting = (members ?? []).flatMap(({ instanceId, lifecycle }) =>
    lifecycle === 'Pending:Wait' ? instanceId : [],
  );
  const unseen = [...new Set([...holders, ...waiting])].filter((id) => id !== '' && !seen.has(id)).sort();
  const instances =
    unseen.length === 0 ? tagged : await ports.compute.instances([...owners, ...named, ...unseen]);
  const findings = [...new Set(Object.values(commands).flatMap((status) => findingOf(status) ?? []))].sort();
  return {
    now: ports.clock.now(),
    rows,
    members,
    instances,
    volumes,
    interfaces,
    commands,
    ...(findings.length > 0 ? { snapshots: await ports.compute.snapshots(findings) } : {}),
    beatAt: lease.beatAt,
  };
}

async function statuses(rows: SlotRow[], ports: Ports): Promise<{ [slot: string]: CommandStatus }> {
  const asked = rows.flatMap(({ slot, owner, epoch, servedEpoch, command, released }): SentCommand[] => {
    if (owner === undefined || released || servedEpoch === epoch) return [];
    if (command?.id === undefined || command.epoch !== epoch) return [];
    return [{ slot, id: command.id, instanceId: owner, sentAt: command.sentAt }];
  });
  return asked.length === 0 ? {} : ports.hosts.statuses(asked, ports.clock.now());
}
