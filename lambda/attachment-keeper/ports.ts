import type { AnswerPort } from '../shared/answer';
import type { Log } from '../shared/log';
import type { BegunAt, VolumeOrigin } from '../shared/one-moment';
import type { SnapshotLabel } from '../shared/snapshot-labels';
import type { Timer } from '../shared/timer';

/** A volume or network interface that EC2 deletes when the instance ends that has it. */
export interface Doomed {
  readonly instanceId: string;
  /** Of the volume or the network interface. */
  readonly id: string;
  /** The device name of a volume, the attachment of a network interface. */
  readonly attachment: string;
}

/** What EC2 says of attachments, and how it is told to keep what is attached. */
export interface AttachmentsPort {
  /** Those of these volumes that go with their instance. A volume that is not known is not among them. */
  doomedVolumes(ids: readonly string[]): Promise<readonly Doomed[]>;
  /** Those of these network interfaces that go with their instance. */
  doomedInterfaces(ids: readonly string[]): Promise<readonly Doomed[]>;
  /** Where the content of those of these volumes comes from that nobody has attached, in this order. */
  origins(ids: readonly string[]): Promise<readonly VolumeOrigin[]>;
  /** Those of these volumes that some instance has. */
  inUse(ids: readonly string[]): Promise<readonly string[]>;
  readonly begunAt: BegunAt;
  /** What snapshots say of themselves; without those that are gone. */
  labelsOf(snapshotIds: readonly string[]): Promise<readonly SnapshotLabel[]>;
  /** All snapshots in a set of a deployment. */
  ofSet(deployment: string, set: string): Promise<readonly SnapshotLabel[]>;
  keepVolume(doomed: Doomed): Promise<void>;
  keepInterface(doomed: Doomed): Promise<void>;
}

/** All that the function reaches. */
export interface Ports {
  readonly attachments: AttachmentsPort;
  readonly answers: AnswerPort;
  readonly log: Log;
  readonly timer: Timer;
}

/** What the function looks after. */
export interface Settings {
  /** Dimension of its metric. */
  readonly tag: string;
  readonly volumeIds: readonly string[];
  readonly interfaceIds: readonly string[];
}
