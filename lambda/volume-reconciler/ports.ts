import type { Member } from '../shared/group';
import type { Log } from '../shared/log';
import type { Claim, FailedLaunches, SlotRow, TierRows, Timeline } from '../shared/map';
import type { Recovery } from '../shared/timeline';
import type { Clock } from '../shared/timer';

/** An EC2 instance. */
export interface Instance {
  readonly id: string;
  /** pending, running, shutting-down, terminated, stopping or stopped. */
  readonly state: string;
  readonly zone: string;
  /** Such as `m6in.8xlarge`. */
  readonly type?: string;
  /** Its tag `Name`. For people. */
  readonly name?: string;
  /** Milliseconds since 1970. */
  readonly launchedAt: number;
  /**
   * When EC2 was told, or decided, to stop or terminate it, milliseconds since 1970; undefined when it names no time.
   */
  readonly endedAt?: number;
}

/** What became of the group's last launch. */
export interface LastLaunch {
  /** When it began and why it failed; undefined when it did not. For people. */
  readonly failed?: { readonly at: string; readonly why: string };
}

export interface VolumeAttachment {
  readonly instanceId: string;
  /** attaching, attached, detaching, busy. A detached one is not listed. */
  readonly state: string;
  /** The name that EC2 has for it on the instance, `/dev/sdf`. */
  readonly device?: string;
  /** EC2 deletes the volume when the instance terminates (default: it does not). */
  readonly deleteOnTermination?: boolean;
}

export interface Volume {
  readonly id: string;
  readonly state: string;
  readonly zone: string;
  readonly attachments: VolumeAttachment[];
  /** It carries the tag that says it was served once. */
  readonly formatted: boolean;
  readonly fromSnapshot: boolean;
}

/** A snapshot that was made before damage is repaired. */
export interface Snapshot {
  readonly id: string;
  readonly volumeId: string;
  /** pending, completed, error, recoverable or recovering. */
  readonly state: string;
  /** Before whose repair. */
  readonly finding: string;
}

export interface InterfaceAttachment {
  readonly id: string;
  readonly instanceId: string;
  readonly state: string;
  /** EC2 deletes the interface when the instance terminates (default: it does not). */
  readonly deleteOnTermination?: boolean;
}

export interface NetworkInterface {
  readonly id: string;
  readonly status: string;
  readonly zone: string;
  readonly attachment?: InterfaceAttachment;
}

/** What became of the command that told a host what to serve. */
export interface CommandStatus {
  /** `undelivered`: Systems Manager ended it without a word of the host's program. */
  readonly state: 'unknown' | 'pending' | 'success' | 'failed' | 'undelivered';
  /** Exit code of the host's program, when it ran. */
  readonly exitCode?: number;
  /** The end of what it said. */
  readonly detail?: string;
}

/** A command that told a host what to serve. */
export interface SentCommand {
  readonly slot: string;
  readonly id: string;
  readonly instanceId: string;
  /** ISO 8601. */
  readonly sentAt: string;
}

/** An answer of AWS that is part of the protocol: it worked, or it could not in a way that the next pass handles. */
export interface Outcome {
  readonly done: boolean;
  /** AWS's error code when not done. */
  readonly code?: string;
  /** What AWS said besides. */
  readonly message?: string;
}

/** What people read in a row. */
export interface Annotation {
  readonly phase: string;
  readonly reason?: string;
  readonly timeline: Timeline;
}

/** The right to loop. */
export interface Lease {
  /** How often others asked for a look since the lease began; read at the start of a pass. */
  readonly wakeups: number;
  /** When the launches' heartbeats were last sent, milliseconds since 1970. */
  readonly beatAt: number;
}

/**
 * The volume map. Every method is one call of DynamoDB; those that return a boolean write on condition and return false
 * when the condition did not hold, which is normal.
 */
export interface VolumeMapPort {
  read(): Promise<TierRows>;
  takeLease(holder: string, now: number, expires: number): Promise<Lease | undefined>;
  /** Asks the live holder for another look; false when no lease is held any more. */
  wakeHolder(now: number): Promise<boolean>;
  noteBeat(holder: string, at: number): Promise<boolean>;
  /** Ends the lease; with `wakeups` only if nobody asked for another look since. */
  endLease(holder: string, wakeups?: number): Promise<boolean>;
  /**
   * Makes `claim.owner` the owner, and the epoch one more than `claim.epoch`; not if the slot has an owner or it owns
   * another. The type of the server is noted for people.
   */
  claim(claim: Claim, at: string, timeline: Timeline, serverType?: string): Promise<boolean>;
  /**
   * Takes the slot from its owner; `failed` is written when the owner never served it. The owner's own row goes as
   * well, unless it is to be kept, since it names another slot.
   */
  release(
    claim: Claim,
    timeline: Timeline,
    failed?: FailedLaunches,
    keepsOwnerRow?: boolean,
  ): Promise<boolean>;
  /**
   * Records that the host is about to be told, and whether it may format, before it is told. It may not when the slot
   * was released since: its volumes may be dropped with the update that had added it; nor when it was formatted since.
   * One that has come to serve since is told nothing.
   */
  beginCommand(
    claim: Claim,
    command: {
      readonly sentAt: string;
      readonly attempts: number;
      readonly failures: number;
      readonly repairingAt?: string;
    },
    note: Annotation,
    mayFormat: boolean,
  ): Promise<boolean>;
  recordCommand(claim: Claim, sentAt: string, commandId: string): Promise<boolean>;
  /** Systems Manager did not take the command: it may be sent again without waiting for an answer. */
  noteUnsent(claim: Claim, sentAt: string): Promise<boolean>;
  /**
   * Only while this command is the row's: what came off the host since has taken it away (`unserve`). Also forgets the
   * launches that failed before.
   */
  markServed(claim: Claim, commandId: string, timeline: Timeline, servings: string[]): Promise<boolean>;
  /** Something of a served slot came off: it has to be served again, at the same epoch. */
  unserve(claim: Claim, note: Annotation): Promise<boolean>;
  annotate(slot: string, owner: string | undefined, epoch: number, note: Annotation): Promise<boolean>;
  /** Annotates, and notes since when the owner has the slot, which nobody knows. */
  date(claim: Claim, claimedAt: string, note: Annotation): Promise<boolean>;
  /** Annotates, and adds the repair to the tier's history in the same write: each is there once. */
  recordRecovery(claim: Claim, note: Annotation, recovery: Recovery, serverType?: string): Promise<boolean>;
}

/** EC2. Describes are complete (all pages); unknown ids are left out of the answer. */
export interface ComputePort {
  /** The tier's instances, and those of the given ids that the tier's tag did not find. */
  instances(alsoIds: string[]): Promise<Instance[]>;
  volumes(): Promise<Volume[]>;
  interfaces(): Promise<NetworkInterface[]>;
  attachVolume(volumeId: string, instanceId: string, device: string): Promise<Outcome>;
  detachVolume(volumeId: string, instanceId: string): Promise<Outcome>;
  attachInterface(interfaceId: string, instanceId: string): Promise<Outcome>;
  detachInterface(attachmentId: string): Promise<Outcome>;
  /** What is attached to the instance by these device names outlives it. */
  keepVolumes(instanceId: string, devices: string[]): Promise<Outcome>;
  keepInterface(interfaceId: string, attachmentId: string): Promise<Outcome>;
  /** The snapshots of the tier that were made for these findings. */
  snapshots(findings: string[]): Promise<Snapshot[]>;
  createSnapshot(volumeId: string, slot: string, finding: string): Promise<Outcome>;
  /** Marks volumes as formatted, for ever. */
  markFormatted(volumeIds: string[], slot: string): Promise<Outcome>;
  /** Gives an instance its tag `Name`. */
  nameInstance(instanceId: string, name: string): Promise<Outcome>;
}

/** The Auto Scaling group of the tier. */
export interface GroupPort {
  /** Undefined when there is no such group. */
  members(): Promise<Member[] | undefined>;
  complete(instanceId: string, hook: string, result: 'CONTINUE' | 'ABANDON'): Promise<Outcome>;
  heartbeat(instanceId: string, hook: string): Promise<Outcome>;
  /** What became of the last launch, as far as Auto Scaling's activities say it. */
  lastLaunch(): Promise<LastLaunch>;
  /** Tells the group that a member is unhealthy, which it then replaces. */
  markUnhealthy(instanceId: string): Promise<Outcome>;
}

/** What a host is told to serve. */
export interface Order {
  readonly slot: string;
  readonly epoch: number;
  readonly address: string;
  readonly volumeIds: string[];
  readonly mayFormat: boolean;
  /** The damage that it may repair, since a snapshot of each volume was completed. */
  readonly repair?: { readonly finding: string; readonly snapshotIds: string[] };
}

/** Systems Manager. */
export interface HostPort {
  /** The command's id, or why it could not be sent. */
  tell(instanceId: string, order: Order): Promise<{ readonly id?: string; readonly code?: string }>;
  /**
   * What became of the commands, by slot, in a number of calls that does not grow with each host. `now` in milliseconds
   * since 1970.
   */
  statuses(asked: readonly SentCommand[], now: number): Promise<{ [slot: string]: CommandStatus }>;
}

/** All that the reconciler reaches. */
export interface Ports {
  readonly clock: Clock;
  readonly log: Log;
  readonly map: VolumeMapPort;
  readonly compute: ComputePort;
  readonly group: GroupPort;
  readonly hosts: HostPort;
}

/** What was seen in one pass, before anything was decided. */
export interface Observation {
  readonly now: number;
  readonly rows: TierRows;
  readonly members?: Member[];
  readonly instances: Instance[];
  readonly volumes: Volume[];
  readonly interfaces: NetworkInterface[];
  /** Status of the last command per slot, for owned slots that are not served. */
  readonly commands: { readonly [slot: string]: CommandStatus | undefined };
  /** Those that were made for the damage of which hosts last said that it may be repaired after them. */
  readonly snapshots?: readonly Snapshot[];
  /** Of a tier that waits for a server. Undefined: nobody looked, or could. */
  readonly lastLaunch?: LastLaunch;
  readonly beatAt: number;
}

export type { Claim, FailedLaunches, Member, SlotRow, TierRows };
