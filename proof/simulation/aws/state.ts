import type { Plain } from '../../../lambda/shared/attributes';
/**
 * What is so, as plain data: no describe's stale view of it. Records change in place, and Maps keep the order in which
 * things came to be.
 */

/** pending and so on: EC2's names. An instance never leaves terminated, and no id is used twice. */
export type InstanceState = 'pending' | 'running' | 'shutting-down' | 'terminated' | 'stopping' | 'stopped';

export interface InstanceTruth {
  readonly id: string;
  readonly zone: string;
  /** Such as `m6in.2xlarge`. */
  readonly type: string;
  /** Milliseconds since 1970, as all times here. */
  launchedAt: number;
  state: InstanceState;
  stateSince: number;
  /** What EC2 says of why it stops or ends, and when; empty while it does neither. */
  transitionReason: string;
  tags: { readonly [key: string]: string };
  /** Whether its status checks fail. */
  impaired: boolean;
}

export type VolumeAttachmentState = 'attaching' | 'attached' | 'detaching' | 'busy';

export interface VolumeAttachmentTruth {
  readonly instanceId: string;
  readonly device: string;
  state: VolumeAttachmentState;
  since: number;
  /** Since when EC2 is to delete the volume with the instance; undefined when it is not. */
  doomedSince?: number;
}

/** What lies on a volume. */
export type Content = 'blank' | 'half-formatted' | 'target';

export interface VolumeTruth {
  readonly id: string;
  /** The slot it was made for. */
  readonly slot: string;
  readonly zone: string;
  state: 'available' | 'in-use' | 'deleted';
  /** At most one: no Multi-Attach. */
  attachments: VolumeAttachmentTruth[];
  tags: { [key: string]: string };
  /** Taken from a snapshot, so that it holds data from the start. */
  readonly snapshotId: string;
  content: Content;
  /** The slot whose target lies on it. */
  contentOf?: string;
  /** How often formatting it ended. */
  formats: number;
  /** How often formatting it began. */
  formatsBegun: number;
  /** How often it was mounted, by whom last. */
  mounts: number;
  lastMountedBy?: string;
  /** How long e2fsck has to repair it before it is mounted again, milliseconds; 0 when it is sound. */
  repairMs: number;
  /**
   * How long e2fsck takes with damage that -p leaves to a person and that is repaired after a snapshot, milliseconds; 0
   * when there is none.
   */
  orphansMs: number;
  /** How many of its next snapshots fail. */
  failingSnapshots: number;
  /**
   * How long multiple-mount protection keeps its next mount waiting because its writes were slow when its server was
   * lost, milliseconds; 0 when they were not.
   */
  slowProtectionMs: number;
}

export interface SnapshotTruth {
  readonly id: string;
  readonly volumeId: string;
  readonly tags: { readonly [key: string]: string };
  readonly startedAt: number;
  state: 'pending' | 'completed' | 'error';
}

export interface InterfaceAttachmentTruth {
  readonly id: string;
  readonly instanceId: string;
  state: 'attaching' | 'attached' | 'detaching';
  since: number;
  /** As of a volume. */
  doomedSince?: number;
}

export interface InterfaceTruth {
  readonly id: string;
  readonly slot: string;
  readonly zone: string;
  readonly address: string;
  status: 'available' | 'in-use' | 'deleted';
  attachment?: InterfaceAttachmentTruth;
}

export type Lifecycle =
  | 'Pending'
  | 'Pending:Wait'
  | 'Pending:Proceed'
  | 'InService'
  | 'Terminating'
  | 'Terminating:Wait'
  | 'Terminating:Proceed';

export interface MemberTruth {
  readonly instanceId: string;
  lifecycle: Lifecycle;
  health: 'Healthy' | 'Unhealthy';
  readonly joinedAt: number;
}

export type Transition = 'autoscaling:EC2_INSTANCE_LAUNCHING' | 'autoscaling:EC2_INSTANCE_TERMINATING';

/** How a lifecycle action ended. */
export interface ActionEnd {
  readonly at: number;
  /** instance-gone: the group has let go of the instance, so that the action has no meaning any more. */
  readonly how: 'continue' | 'abandon' | 'timed-out' | 'instance-gone';
  /** The worker that completed it. */
  readonly by?: string;
}

export interface LifecycleAction {
  readonly token: string;
  readonly instanceId: string;
  readonly hook: string;
  readonly transition: Transition;
  readonly startedAt: number;
  /** When it ends by itself unless a heartbeat comes. */
  expiresAt: number;
  /** When it ends by itself whatever comes. */
  readonly lastsUntil: number;
  heartbeats: number;
  ended?: ActionEnd;
}

/** A host, which is an instance with the host software. */
export interface HostTruth {
  readonly instanceId: string;
  /** What it was told last; it survives a reboot. */
  slot?: string;
  epoch?: number;
  /**
   * Volumes that it has mounted and writes to, until its instance is terminated or stopped: also while that shuts down.
   */
  readonly mounted: Set<string>;
  /** Mounts whose volume was taken away; they stay dead. */
  readonly deadMounts: Set<string>;
  /** It serves clients: everything of its slot is mounted. */
  serving: boolean;
}

/** What a command of sas-grid-serve came to. */
export interface Served {
  readonly exitCode: number;
  readonly said: string;
}

/** A row of the map as plain data; its key is `item`. */
export type MapItem = { readonly [attribute: string]: Plain | undefined };

/** A member as DescribeAutoScalingGroups shows it. */
export interface MemberView {
  readonly InstanceId: string;
  readonly AvailabilityZone: string;
  readonly LifecycleState: Lifecycle;
  readonly HealthStatus: string;
}
