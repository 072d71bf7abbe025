import type { SlotRow } from '../../lambda/shared/map';
import type { InstanceLook, ThroughputLook } from './port';
import type { SlotReport, SpareReport } from './report';
import { parseSpace } from './space';
import { isServed, type Tier, troubledSince } from './tiers';

/** What was seen of servers and volumes. */
export interface Seen {
  readonly instances: ReadonlyMap<string, InstanceLook>;
  readonly throughput: { readonly [volumeId: string]: ThroughputLook };
  /** What `df` printed, by instance; only when hosts were asked. */
  readonly printed: { readonly [instanceId: string]: string };
  /** What servers said against themselves. */
  readonly said: { readonly [instanceId: string]: string };
}

export function slotsOf(tier: Tier, seen: Seen): SlotReport[] {
  const broken = tier.broken.map(({ slot, problem }) => ({
    ...UNREADABLE,
    tier: tier.name,
    slot,
    reason: `its row in the map cannot be read: ${problem}`,
  }));
  return [...tier.rows.map((row) => slotOf(tier, row, seen)), ...broken];
}

const UNREADABLE = {
  phase: 'blocked',
  served: false,
  server: null,
  state: null,
  type: null,
  epoch: 0,
  servedEpoch: 0,
  since: null,
  address: '',
  volumes: [],
  health: null,
  probedAt: null,
  space: null,
  readMBps: null,
  writeMBps: null,
} satisfies Partial<SlotReport>;

function slotOf(tier: Tier, row: SlotRow, seen: Seen): SlotReport {
  const { owner, slot, epoch, servedEpoch, address } = row;
  const served = isServed(row);
  const volumes = row.volumes.map(({ volumeId }) => volumeId);
  return {
    tier: tier.name,
    slot,
    ...serverOf(owner, seen.instances),
    type: row.serverType ?? seen.instances.get(owner ?? '')?.type ?? null,
    phase: tier.asleep.has(slot) ? 'asleep' : row.released ? 'released' : row.phase,
    served,
    reason: row.reason ?? null,
    epoch,
    servedEpoch,
    since: (served ? (row.servings.at(-1) ?? row.timeline.served) : troubledSince(row)) ?? null,
    address,
    volumes,
    ...healthOf(row, seen.said),
    space: parseSpace(seen.printed[owner ?? ''] ?? '') ?? null,
    ...throughputOf(volumes, seen.throughput),
  };
}

/** Servers of a tier without a slot. */
export function withoutSlotOf(tier: Tier, { instances }: Seen): SpareReport[] {
  const owners = new Set(tier.rows.map(({ owner }) => owner));
  return (tier.group?.members ?? [])
    .filter(({ instanceId }) => !owners.has(instanceId))
    .map(({ instanceId, lifecycle }) => ({
      tier: tier.name,
      ...serverOf(instanceId, instances),
      lifecycle,
    }));
}

/** EC2 forgets an instance some time after its end. */
export function serverOf(id: string | undefined, instances: ReadonlyMap<string, InstanceLook>) {
  if (id === undefined) return { server: null, state: null, type: null };
  const found = instances.get(id);
  return { server: id, state: found?.state ?? 'gone', type: found?.type ?? null };
}

/** What the last probe of the owner showed. */
function healthOf(
  row: SlotRow,
  said: Seen['said'],
): { readonly health: string | null; readonly probedAt: string | null } {
  const { probe, owner = '', epoch } = row;
  // Of an owner before, or of none.
  if (!isServed(row) || probe?.epoch !== epoch) return { health: null, probedAt: null };
  const words = said[owner] ? `: ${said[owner]}` : '';
  const health = probe.markedAt
    ? `called unhealthy${words}`
    : probe.misses > 0
      ? `missed ${probe.misses}${words}`
      : 'serves';
  return { health, probedAt: probe.at };
}

/** Of several volumes together; null where none has a figure. */
export function throughputOf(
  volumes: readonly string[],
  figures: { readonly [volumeId: string]: ThroughputLook },
): { readonly readMBps: number | null; readonly writeMBps: number | null } {
  const found = volumes.flatMap((id) => figures[id] ?? []);
  if (found.length === 0) return { readMBps: null, writeMBps: null };
  const sum = (of: (one: ThroughputLook) => number) => found.reduce((all, one) => all + of(one), 0);
  return { readMBps: sum(({ readMBps }) => readMBps), writeMBps: sum(({ writeMBps }) => writeMBps) };
}
