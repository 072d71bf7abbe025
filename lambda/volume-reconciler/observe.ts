import { describeError } from '../shared/log';
import type { SlotRow } from '../shared/map';
import { findingOf } from './after-snapshot';
import type { CommandStatus, LastLaunch, Lease, Member, Observation, Ports, SentCommand } from './ports';

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
    lastLaunch: await lastLaunch(rows.slots, members, ports),
    beatAt: lease.beatAt,
  };
}

/**
 * What became of the last launch, while a slot waits for a server and none is on its way. Nothing rests on it: without
 * an answer the pass goes on.
 */
async function lastLaunch(
  rows: SlotRow[],
  members: Member[] | undefined,
  { group, log }: Ports,
): Promise<LastLaunch | undefined> {
  const wanted = rows.filter((row) => !row.released);
  if (members === undefined || wanted.every((row) => row.owner !== undefined)) return undefined;
  const live = members.filter(({ lifecycle }) => !lifecycle.startsWith('Terminating'));
  if (live.length >= wanted.length) return {};
  try {
    return await group.lastLaunch();
  } catch (error) {
    log.info('the activities of the group could not be read', { error: describeError(error) });
    return undefined;
  }
}

async function statuses(rows: SlotRow[], ports: Ports): Promise<{ [slot: string]: CommandStatus }> {
  const asked = rows.flatMap(({ slot, owner, epoch, servedEpoch, command, released }): SentCommand[] => {
    if (owner === undefined || released || servedEpoch === epoch) return [];
    if (command?.id === undefined || command.epoch !== epoch) return [];
    return [{ slot, id: command.id, instanceId: owner, sentAt: command.sentAt }];
  });
  return asked.length === 0 ? {} : ports.hosts.statuses(asked, ports.clock.now());
}
