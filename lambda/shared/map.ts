import type { Plain } from './attributes';

/** A volume of a slot and the name under which EC2 attaches it (the kernel never sees that name). */
export interface MappedVolume {
  readonly volumeId: string;
  readonly device: string;
}

/** What the workflow last told a server to serve. `id` is missing between the intent and the sending. */
export interface Command {
  readonly id?: string;
  readonly epoch: number;
  readonly sentAt: string;
  /** How often this owner was told, with this one. */
  readonly attempts: number;
  /** How often it failed for good (anything but "not yet"). */
  readonly failures: number;
  /** Systems Manager did not take it: the host's agent is not there yet. */
  readonly unsent: boolean;
  /** When the owner last said, before this command, that it repairs a file system of the slot, ISO 8601. */
  readonly repairingAt?: string;
}

/** What the health probes of an owner have shown. It says nothing of any other epoch. */
export interface ProbeRecord {
  readonly epoch: number;
  /** The last round of probes that was counted. */
  readonly round: number;
  /** Rounds in a row in which the owner did not serve. */
  readonly misses: number;
  /** When that round was counted, ISO 8601. */
  readonly at: string;
  /** When the owner was declared unhealthy, ISO 8601. */
  readonly markedAt?: string;
  /** Hash of the probe's program that last said of this owner that it serves. */
  readonly provenBy?: string;
}

/** Launches for a slot that ended without serving it, since it was served last. */
export interface FailedLaunches {
  readonly count: number;
  /** When the first of them ended, ISO 8601. */
  readonly since: string;
}

/** For people; no decision rests on it. */
export type Phase = 'vacant' | 'asleep' | 'attaching' | 'serving' | 'served' | 'blocked';

/** When the steps of the last repair were taken, ISO 8601. */
export interface Timeline {
  readonly [step: string]: string;
}

/** One slot as the map holds it. */
export interface SlotRow {
  readonly slot: string;
  readonly networkInterfaceId: string;
  readonly address: string;
  /** In serving order. */
  readonly volumes: MappedVolume[];
  /** The instance that alone may have the slot's volumes and interface. */
  readonly owner?: string;
  /** Grows with each change of owner; 0 before the first. */
  readonly epoch: number;
  readonly claimedAt?: string;
  /** The type of the owner, such as `m6in.8xlarge`; unknown of a claim of long ago. For people. */
  readonly serverType?: string;
  /** The epoch that was last reported as served. */
  readonly servedEpoch: number;
  /** Whether the volumes ever held data. Never goes back to false. */
  readonly formatted: boolean;
  /**
   * Whether a server was ever told that it may format the volumes. From then on clients may have data on some of them,
   * although the slot as a whole was never served. Never goes back to false.
   */
  readonly formatOffered: boolean;
  readonly command?: Command;
  readonly probe?: ProbeRecord;
  readonly failedLaunches?: FailedLaunches;
  readonly phase: Phase;
  readonly reason?: string;
  readonly timeline: Timeline;
  /** When it last came to be served, by whomever, ISO 8601, oldest first: a few times. */
  readonly servings: string[];
  /** The stack is being deleted: nothing is claimed or attached any more. */
  readonly released: boolean;
}

/** Which row a conditional write is about: it happens only while owner and epoch are these. */
export interface Claim {
  readonly slot: string;
  readonly owner: string;
  readonly epoch: number;
}

/** Exists exactly while the instance owns the slot, so that no instance owns two. */
export interface OwnerRow {
  readonly instanceId: string;
  readonly slot: string;
  readonly epoch: number;
}

/** A tier that was put to sleep, or is being: that its slots are not served is what somebody wanted. */
export interface Sleep {
  /** ISO 8601. */
  readonly since: string;
  /** What put it to sleep: the ARN of the execution. */
  readonly by: string;
}

/** All of a tier in the map. */
export interface TierRows {
  /** Undefined when it is awake. Nothing that moves volumes rests on it. */
  readonly sleep?: Sleep;
  readonly slots: SlotRow[];
  readonly owners: OwnerRow[];
  /** Rows that cannot be read, with what is wrong: somebody edited them by hand. They are left alone. */
  readonly broken: { readonly slot: string; readonly problem: string }[];
}

export const LEASE_ITEM = 'lease';
/** The tier's rounds of health probes. */
export const PROBE_ITEM = 'probe';
/** Exists exactly while the tier is to sleep. */
export const SLEEP_ITEM = 'sleep';
const SLOT_PREFIX = 'slot#';
const OWNER_PREFIX = 'owner#';

export const slotItem = (slot: string): string => `${SLOT_PREFIX}${slot}`;
export const ownerItem = (instanceId: string): string => `${OWNER_PREFIX}${instanceId}`;

const PHASES: readonly string[] = ['vacant', 'asleep', 'attaching', 'serving', 'served', 'blocked'];

type Item = { [key: string]: Plain };

const isText = (value: unknown): value is string => typeof value === 'string' && value.length > 0;
const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
const isObject = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// Made once: localeCompare with options makes one for each comparison.
const COLLATOR = new Intl.Collator('en', { numeric: true });

/** The order of slots: oss-02 before oss-10, oss-99 before oss-100. */
export const bySlot = (a: { readonly slot: string }, b: { readonly slot: string }): number =>
  COLLATOR.compare(a.slot, b.slot);

/** Sorts the items of a tier into rows, without trusting them. */
export function parseTier(items: Item[]): TierRows {
  const slots: SlotRow[] = [];
  const owners: OwnerRow[] = [];
  const broken: { slot: string; problem: string }[] = [];
  let sleep: Sleep | undefined;
  for (const item of items) {
    const key = isText(item.item) ? item.item : '';
    if (key === SLEEP_ITEM) sleep = parseSleep(item);
    else if (key.startsWith(SLOT_PREFIX)) {
      const slot = key.slice(SLOT_PREFIX.length);
      const row = parseSlot(slot, item);
      if (typeof row === 'string') broken.push({ slot, problem: row });
      else slots.push(row);
    } else if (key.startsWith(OWNER_PREFIX) && isText(item.slot) && isCount(item.epoch)) {
      owners.push({ instanceId: key.slice(OWNER_PREFIX.length), slot: item.slot, epoch: item.epoch });
    }
  }
  const rows = { slots: slots.sort(bySlot), owners: owners.sort(bySlot), broken: broken.sort(bySlot) };
  return sleep ? { ...rows, sleep } : rows;
}

/** One that cannot be read is one all the same: whoever wrote it wanted the tier to sleep. */
const parseSleep = ({ since, by }: Item): Sleep => ({
  since: isText(since) ? since : '',
  by: isText(by) ? by : '',
});

function parseSlot(slot: string, item: Item): SlotRow | string {
  if (item.slot !== slot) return `attribute slot is not '${slot}'`;
  if (!isText(item.networkInterfaceId)) return 'attribute networkInterfaceId is missing';
  if (!isText(item.address)) return 'attribute address is missing';
  const volumes = parseVolumes(item.volumes);
  if (volumes === undefined) return 'attribute volumes is not a list of {volumeId, device}';
  if (!isCount(item.epoch)) return 'attribute epoch is not a whole number';
  if (!isCount(item.servedEpoch)) return 'attribute servedEpoch is not a whole number';
  if (item.servedEpoch > item.epoch) return 'attribute servedEpoch is above epoch';
  if (typeof item.formatted !== 'boolean') return 'attribute formatted is not true or false';
  if (item.owner !== undefined && !isText(item.owner)) return 'attribute owner is not an instance id';
  // Epoch 0 is that of a slot that nobody has owned: with an owner it would equal servedEpoch, and count as served.
  if (item.owner !== undefined && item.epoch === 0) return 'attribute epoch is 0 although there is an owner';
  return {
    slot,
    networkInterfaceId: item.networkInterfaceId,
    address: item.address,
    volumes,
    owner: item.owner,
    epoch: item.epoch,
    claimedAt: isText(item.claimedAt) ? item.claimedAt : undefined,
    serverType: isText(item.serverType) ? item.serverType : undefined,
    servedEpoch: item.servedEpoch,
    formatted: item.formatted,
    formatOffered: item.formatOffered === true,
    command: parseCommand(item.command),
    probe: parseProbe(item.probe),
    failedLaunches: parseFailedLaunches(item.failedLaunches),
    phase: (PHASES.includes(item.phase as string) ? item.phase : 'vacant') as Phase,
    reason: isText(item.reason) ? item.reason : undefined,
    timeline: parseTimeline(item.timeline),
    servings: Array.isArray(item.servings) ? item.servings.filter(isText) : [],
    released: item.released === true,
  };
}

function parseVolumes(value: unknown): MappedVolume[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const volumes: MappedVolume[] = [];
  for (const entry of value) {
    if (!isObject(entry) || !isText(entry.volumeId) || !isText(entry.device)) return undefined;
    volumes.push({ volumeId: entry.volumeId, device: entry.device });
  }
  return volumes;
}

function parseCommand(value: unknown): Command | undefined {
  // A command that cannot be read is a command not sent: telling a host twice does no harm.
  if (!isObject(value) || !isCount(value.epoch) || !isText(value.sentAt)) return undefined;
  return {
    id: isText(value.id) ? value.id : undefined,
    epoch: value.epoch,
    sentAt: value.sentAt,
    attempts: isCount(value.attempts) ? value.attempts : 1,
    failures: isCount(value.failures) ? value.failures : 0,
    unsent: value.unsent === true,
    ...(isText(value.repairingAt) ? { repairingAt: value.repairingAt } : {}),
  };
}

function parseProbe(value: unknown): ProbeRecord | undefined {
  // What cannot be read counts for nothing: the misses are counted anew.
  if (!isObject(value) || !isCount(value.epoch) || !isCount(value.round) || !isCount(value.misses))
    return undefined;
  if (!isText(value.at)) return undefined;
  const { epoch, round, misses, at } = value;
  return {
    epoch,
    round,
    misses,
    at,
    ...(isText(value.markedAt) ? { markedAt: value.markedAt } : {}),
    ...(isText(value.provenBy) ? { provenBy: value.provenBy } : {}),
  };
}

function parseFailedLaunches(value: unknown): FailedLaunches | undefined {
  if (!isObject(value) || !isCount(value.count) || !isText(value.since)) return undefined;
  return { count: value.count, since: value.since };
}

function parseTimeline(value: unknown): Timeline {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => isText(entry[1])),
  );
}
