import { paginateDescribeAutoScalingGroups } from '@aws-sdk/client-auto-scaling';
import { type AttributeValue, paginateQuery } from '@aws-sdk/client-dynamodb';
import {
  paginateDescribeInstances,
  paginateDescribeNetworkInterfaces,
  paginateDescribeVolumes,
  type Volume as VolumeAnswer,
} from '@aws-sdk/client-ec2';
import type { Clients } from './clients';
import type {
  Estate,
  GroupMember,
  Instance,
  MapOwner,
  MapSlot,
  NetworkInterface,
  Tier,
  Volume,
} from './model';

/** Reads the volume map of all tiers, then everything in EC2 that it names and the members of the groups. */
export async function readEstate(clients: Clients, table: string, tiers: Tier[]): Promise<Estate> {
  const rows = (await Promise.all(tiers.map(({ tier }) => readMap(clients, table, tier)))).flat();
  const slots = rows.filter((row) => 'networkInterfaceId' in row) as MapSlot[];
  const owners = rows.filter((row) => 'instanceId' in row) as MapOwner[];
  const [instances, volumes, interfaces, groups] = await Promise.all([
    readInstances(clients),
    readVolumes(clients, unique(slots.flatMap(({ volumes: ids }) => ids))),
    readInterfaces(clients, unique(slots.map(({ networkInterfaceId }) => networkInterfaceId))),
    readGroups(clients, tiers),
  ]);
  return { tiers, slots, owners, instances, volumes, interfaces, groups };
}

const unique = (values: string[]) => [...new Set(values)];

/** The rows of one tier: slots and owners; the lease is the reconciler's own business. */
export async function readMap(
  clients: Clients,
  table: string,
  tier: string,
): Promise<(MapSlot | MapOwner)[]> {
  const rows: (MapSlot | MapOwner)[] = [];
  const pages = paginateQuery(
    { client: clients.dynamodb },
    {
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: '#tier = :tier',
      ExpressionAttributeNames: { '#tier': 'tier' },
      ExpressionAttributeValues: { ':tier': { S: tier } },
    },
  );
  for await (const page of pages) {
    for (const item of page.Items ?? []) {
      const key = item.item?.S ?? '';
      if (key.startsWith('slot#')) rows.push(toSlot(tier, item));
      if (key.startsWith('owner#')) rows.push(toOwner(tier, key, item));
    }
  }
  return rows;
}

type Item = Record<string, AttributeValue>;
const text = (item: Item, name: string) => item[name]?.S;
const number = (item: Item, name: string) => Number(item[name]?.N ?? 0);

/** A slot's row as the map stores it. */
function toSlot(tier: string, item: Item): MapSlot {
  return {
    tier,
    slot: text(item, 'slot') ?? (item.item?.S ?? '').slice('slot#'.length),
    networkInterfaceId: text(item, 'networkInterfaceId') ?? '',
    address: text(item, 'address') ?? '',
    volumes: (item.volumes?.L ?? []).map((volume) => volume.M?.volumeId?.S ?? ''),
    owner: text(item, 'owner'),
    epoch: number(item, 'epoch'),
    servedEpoch: number(item, 'servedEpoch'),
    formatted: item.formatted?.BOOL ?? false,
    phase: text(item, 'phase') ?? '',
    reason: text(item, 'reason'),
    timeline: Object.fromEntries(
      Object.entries(item.timeline?.M ?? {}).map(([step, time]) => [step, time.S ?? '']),
    ),
  };
}

function toOwner(tier: string, key: string, item: Item): MapOwner {
  return {
    tier,
    instanceId: key.slice('owner#'.length),
    slot: text(item, 'slot') ?? '',
    epoch: number(item, 'epoch'),
  };
}

/** All instances of the account: the embedded AWS holds nothing but this deployment. */
export async function readInstances(clients: Clients): Promise<Instance[]> {
  const found: Instance[] = [];
  for await (const page of paginateDescribeInstances({ client: clients.ec2 }, {})) {
    for (const instance of (page.Reservations ?? []).flatMap(({ Instances }) => Instances ?? [])) {
      found.push({
        id: instance.InstanceId ?? '',
        name: instance.Tags?.find(({ Key }) => Key === 'Name')?.Value ?? '',
        type: instance.InstanceType ?? '',
        state: instance.State?.Name ?? '',
        privateAddress: instance.PrivateIpAddress ?? '',
      });
    }
  }
  return found;
}

/** The volumes of these ids that exist. A filter, not a list of ids: one that is missing is then no error. */
export async function readVolumes(clients: Clients, ids: string[]): Promise<Volume[]> {
  const found: Volume[] = [];
  for (const Values of chunks(ids)) {
    const request = { Filters: [{ Name: 'volume-id', Values }] };
    for await (const page of paginateDescribeVolumes({ client: clients.ec2 }, request)) {
      found.push(...(page.Volumes ?? []).map(toVolume));
    }
  }
  return found;
}

function toVolume(volume: VolumeAnswer): Volume {
  return {
    id: volume.VolumeId ?? '',
    state: volume.State ?? '',
    type: volume.VolumeType ?? '',
    sizeGiB: volume.Size ?? 0,
    attachments: (volume.Attachments ?? []).map(({ InstanceId, State }) => ({
      instanceId: InstanceId ?? '',
      state: State ?? '',
    })),
  };
}

/** The network interfaces of these ids that exist. */
export async function readInterfaces(clients: Clients, ids: string[]): Promise<NetworkInterface[]> {
  const found: NetworkInterface[] = [];
  for (const Values of chunks(ids)) {
    const request = { Filters: [{ Name: 'network-interface-id', Values }] };
    for await (const page of paginateDescribeNetworkInterfaces({ client: clients.ec2 }, request)) {
      for (const { NetworkInterfaceId, PrivateIpAddress, Attachment } of page.NetworkInterfaces ?? []) {
        found.push({
          id: NetworkInterfaceId ?? '',
          address: PrivateIpAddress ?? '',
          attachment: Attachment?.InstanceId
            ? { instanceId: Attachment.InstanceId, state: Attachment.Status ?? '' }
            : undefined,
        });
      }
    }
  }
  return found;
}

/** The members of the tiers' groups, by group name. */
export async function readGroups(clients: Clients, tiers: Tier[]): Promise<Record<string, GroupMember[]>> {
  const groups: Record<string, GroupMember[]> = {};
  const request = { AutoScalingGroupNames: tiers.map(({ group }) => group) };
  for await (const page of paginateDescribeAutoScalingGroups({ client: clients.autoScaling }, request)) {
    for (const group of page.AutoScalingGroups ?? []) {
      groups[group.AutoScalingGroupName ?? ''] = (group.Instances ?? []).map((member) => ({
        instanceId: member.InstanceId ?? '',
        lifecycleState: member.LifecycleState ?? '',
        health: member.HealthStatus ?? '',
      }));
    }
  }
  return groups;
}

/** EC2 takes up to 200 values per filter. */
function chunks(ids: string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / 200) }, (_, part) =>
    ids.slice(part * 200, part * 200 + 200),
  );
}
