import { type FoundDeployment, isTroubled, outputOf, readable, resourcesOfType } from '../deployment';
import type { Where } from '../deployment/where';
import { hostsOf } from './hosts';
import type { AlarmLook, GroupLook, InstanceLook, StatusAws } from './port';
import type { AlarmsReport, SharedReport, StatusReport } from './report';
import { type Seen, slotsOf, throughputOf, withoutSlotOf } from './slots';
import { SPACE_SCRIPT } from './space';
import { ofTier, storageStackOf, type Tier, tiersOf } from './tiers';
import { troublesOf, verdictOf } from './troubles';
import { type Running, underWayOf } from './under-way';

/** How to look. */
export interface Look {
  /** Ask the hosts how full they are, by a command on each. */
  readonly hosts: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

type Read = <T>(otherwise: T, read: () => Promise<T>) => Promise<T>;

/** Looks at all of a deployment. What cannot be read is told, and the rest is there. */
export async function statusOf(
  found: FoundDeployment,
  where: Where,
  aws: StatusAws,
  { hosts, now }: Look,
): Promise<StatusReport> {
  const unread = [...found.unread];
  const read: Read = (otherwise, call) => readable(unread, otherwise, call);
  const ids = (type: string) => resourcesOfType(found, type).map(({ physicalId }) => physicalId);
  const [items, groups, alarms] = await Promise.all([
    Promise.all(mapsOf(found).map((table) => read([], () => aws.slotItems(table)))),
    read([] as GroupLook[], () => aws.groups(ids('AWS::AutoScaling::AutoScalingGroup'))),
    read(undefined, () =>
      alarmsOf(aws, [...ids('AWS::CloudWatch::Alarm'), ...ids('AWS::CloudWatch::CompositeAlarm')]),
    ),
  ]);
  const tiers = tiersOf(items.flat(), groups, storageStackOf(found));
  const [seen, servers, running, shared] = await Promise.all([
    seenOf(found, aws, read, tiers, groups, hosts),
    serversOf(found, aws, read, tiers, groups),
    runningOf(found, aws, read, tiers, groups),
    sharedOf(found, aws, read, tiers),
  ]);
  const slots = tiers.flatMap((tier) => slotsOf(tier, seen));
  const report = {
    deployment: found.name,
    ...where,
    at: new Date(now).toISOString(),
    stacks: found.stacks.map(({ name, status, since, reason, failures }) => ({
      name,
      status,
      since: since ?? null,
      reason: (isTroubled(status) && reason) || null,
      failures,
    })),
    alarms: alarms ?? null,
    slots,
    withoutSlot: tiers.flatMap((tier) => withoutSlotOf(tier, seen)),
    hosts: hostsOf(servers.ids, seen.instances, servers.health, seen.printed, now),
    shared,
    underWay: underWayOf(found, running, slots),
    unread: [...new Set(unread)],
  };
  const troubles = troublesOf(report, found.stacks, tiers);
  return { ...report, verdict: verdictOf(report, troubles), troubles };
}

/** By its output or, while there is none, by where it stands in its stack. */
function mapsOf(found: FoundDeployment): string[] {
  const named = outputOf(found, 'VolumeMapTable');
  if (named) return [named];
  return resourcesOfType(found, 'AWS::DynamoDB::Table', 'storage')
    .filter(({ logicalId }) => /VolumeMap/.test(logicalId))
    .map(({ physicalId }) => physicalId);
}

async function alarmsOf(aws: StatusAws, names: readonly string[]): Promise<AlarmsReport> {
  const found: readonly AlarmLook[] = names.length > 0 ? await aws.alarms(names) : [];
  const inState = (state: string) => found.filter((one) => one.state === state);
  return {
    ringing: inState('ALARM'),
    ok: inState('OK').length,
    withoutData: inState('INSUFFICIENT_DATA').length,
  };
}

async function seenOf(
  found: FoundDeployment,
  aws: StatusAws,
  read: Read,
  tiers: readonly Tier[],
  groups: readonly GroupLook[],
  ask: boolean,
): Promise<Seen> {
  const rows = tiers.flatMap((tier) => tier.rows);
  const volumes = rows.flatMap((row) => row.volumes.map(({ volumeId }) => volumeId));
  const ids = new Set([
    ...rows.flatMap(({ owner }) => owner ?? []),
    ...groups.flatMap(({ members }) => members.map(({ instanceId }) => instanceId)),
    ...resourcesOfType(found, 'AWS::EC2::Instance').map(({ physicalId }) => physicalId),
  ]);
  const missed = tiers.filter((tier) =>
    tier.rows.some(({ probe, epoch }) => probe?.epoch === epoch && probe.misses > 0),
  );
  const documents = missed.flatMap((tier) =>
    ofTier(resourcesOfType(found, 'AWS::SSM::Document'), tier).filter(({ logicalId }) =>
      /ProbeDocument/.test(logicalId),
    ),
  );
  const [instances, throughput, said] = await Promise.all([
    ids.size > 0 ? read([] as InstanceLook[], () => aws.instances([...ids])) : [],
    volumes.length > 0 ? read({}, () => aws.throughput(volumes)) : {},
    Promise.all(documents.map(({ physicalId }) => read({}, () => aws.said(physicalId)))),
  ]);
  const running = instances.filter(({ state }) => state === 'running').map(({ id }) => id);
  const printed = ask && running.length > 0 ? await read({}, () => aws.run(running, SPACE_SCRIPT)) : {};
  return {
    instances: new Map(instances.map((one) => [one.id, one])),
    throughput,
    said: Object.assign({}, ...said),
    printed,
  };
}

/**
 * Servers that use the file system: instances of the stacks, those of a cluster, and those that are asked for their
 * health.
 */
async function serversOf(
  found: FoundDeployment,
  aws: StatusAws,
  read: Read,
  tiers: readonly Tier[],
  groups: readonly GroupLook[],
) {
  const documents = resourcesOfType(found, 'AWS::SSM::Document').filter(({ logicalId }) =>
    /HealthDocument/.test(logicalId),
  );
  const answers = await Promise.all(
    documents.map(({ physicalId }) => read({}, () => aws.health(physicalId))),
  );
  const health: Awaited<ReturnType<StatusAws['health']>> = Object.assign({}, ...answers);
  const ofTiers = new Set(tiers.map(({ group }) => group));
  const members = groups.filter((group) => !ofTiers.has(group)).flatMap((group) => group.members);
  // The one server of io2 has a slot and is the grid. One that was replaced has answered, too, and is not shown.
  const owners = tiers.flatMap(({ rows }) => rows.flatMap(({ owner }) => owner ?? []));
  const ids = new Set([
    ...resourcesOfType(found, 'AWS::EC2::Instance').map(({ physicalId }) => physicalId),
    ...members.map(({ instanceId }) => instanceId),
    ...owners.filter((id) => health[id]),
  ]);
  return { ids: [...ids], health };
}

async function runningOf(
  found: FoundDeployment,
  aws: StatusAws,
  read: Read,
  tiers: readonly Tier[],
  groups: readonly GroupLook[],
): Promise<Running> {
  const machines = resourcesOfType(found, 'AWS::StepFunctions::StateMachine');
  const operations =
    outputOf(found, 'OperationsTable') ??
    resourcesOfType(found, 'AWS::DynamoDB::Table', 'operations')[0]?.physicalId;
  const executionsOf = async (some: readonly { readonly physicalId: string }[]) =>
    (await Promise.all(some.map(({ physicalId }) => read([], () => aws.executions(physicalId))))).flat();
  const volumes = [
    ...tiers.flatMap(({ rows }) => rows.flatMap((row) => row.volumes.map(({ volumeId }) => volumeId))),
    ...clusterVolumes(found, tiers),
  ];
  const fileSystems = resourcesOfType(found, 'AWS::FSx::FileSystem').map(({ physicalId }) => physicalId);
  const [lock, benchmarks, recoveries, refreshes, snapshots, backups] = await Promise.all([
    operations ? read(undefined, () => aws.lock(operations)) : undefined,
    executionsOf(resourcesOfType(found, 'AWS::StepFunctions::StateMachine', 'benchmark')),
    Promise.all(tiers.map(async (tier) => [tier.name, await executionsOf(ofTier(machines, tier))] as const)),
    Promise.all(groups.map(async ({ name }) => [name, await read([], () => aws.refreshes(name))] as const)),
    volumes.length > 0 ? read([], () => aws.snapshots(volumes)) : [],
    fileSystems.length > 0 ? read([], () => aws.backups(fileSystems)) : [],
  ]);
  return {
    lock,
    benchmarks,
    recoveries: Object.fromEntries(recoveries),
    refreshes: Object.fromEntries(refreshes),
    snapshots,
    backups,
  };
}

/** Volumes that the nodes of a cluster share: no map has them. */
const clusterVolumes = (found: FoundDeployment, tiers: readonly Tier[]): string[] =>
  tiers.length > 0
    ? []
    : resourcesOfType(found, 'AWS::EC2::Volume', 'storage').map(({ physicalId }) => physicalId);

/** What all hosts use together, where no slot shows it. */
async function sharedOf(
  found: FoundDeployment,
  aws: StatusAws,
  read: Read,
  tiers: readonly Tier[],
): Promise<SharedReport | null> {
  const [fsx] = resourcesOfType(found, 'AWS::FSx::FileSystem', 'storage');
  if (fsx) {
    const id = fsx.physicalId;
    const [figures, free] = await Promise.all([
      read({}, () => aws.throughput([id])),
      read(undefined, () => aws.freeBytes(id)),
    ]);
    return { what: `file system ${id} of FSx`, freeBytes: free ?? null, ...throughputOf([id], figures) };
  }
  const volumes = clusterVolumes(found, tiers);
  if (volumes.length === 0) return null;
  const figures = await read({}, () => aws.throughput(volumes));
  return { what: `${volumes.length} shared volumes`, freeBytes: null, ...throughputOf(volumes, figures) };
}
