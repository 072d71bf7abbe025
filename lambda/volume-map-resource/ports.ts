import type { AnswerPort } from '../shared/answer';
import type { Log } from '../shared/log';
import type { SlotRow, TierRows } from '../shared/map';
import type { BegunAt, VolumeOrigin } from '../shared/one-moment';
import type { SnapshotLabel } from '../shared/snapshot-labels';
import type { Timer } from '../shared/timer';

/** A slot as the stack describes it. */
export interface SlotSpec {
  readonly slot: string;
  readonly networkInterfaceId: string;
  readonly address: string;
  readonly volumes: { readonly volumeId: string; readonly device: string }[];
  /** Its volumes come from an earlier stack and are never formatted. */
  readonly adopted: boolean;
  /** Its volumes make up one file system together, and come from an earlier stack. */
  readonly striped?: boolean;
  /** The set of snapshots that its volumes were made of; they are never formatted. */
  readonly backupSet?: string;
}

/** A row to be written when the slot has none. */
export type NewRow = Pick<
  SlotRow,
  'slot' | 'networkInterfaceId' | 'address' | 'volumes' | 'formatted' | 'formatOffered' | 'owner' | 'epoch'
>;

/**
 * Either seed and answer at once, before the group changes. Or seed if it is a creation, start the workflow, and let
 * that answer.
 */
export type Step = 'seed' | 'serve';

/** A request of CloudFormation. */
export interface SeedRequest {
  readonly stackId: string;
  readonly requestId: string;
  /** Which of the tier's two resources it is about. */
  readonly step: Step;
  /**
   * The physical id of that resource, another one each time that it is created. Undefined when it is not from here:
   * CloudFormation makes one up for a creation that was never answered.
   */
  readonly physicalId?: string;
  /** Whether it deletes that resource. */
  readonly deletes: boolean;
  /** When CloudFormation made it, milliseconds since 1970; undefined when it does not say. */
  readonly sentAt?: number;
}

/** A later request of CloudFormation has taken the tier's rows over: what this one would write is no longer wanted. */
export class Superseded extends Error {
  constructor() {
    super('a later request of CloudFormation has taken the rows of the tier over; nothing more is written');
    this.name = 'Superseded';
  }
}

/** The rows of one tier in the volume map, as one request of CloudFormation writes them. */
export interface SeedPort {
  /**
   * Takes the rows over and reads them: from then on no earlier request writes any. CloudFormation does not wait for a
   * request that is still at work when it begins to roll back.
   *
   * @returns undefined when the table itself is gone
   * @throws Superseded when a later request has taken them over already
   */
  takeOver(): Promise<TierRows | undefined>;
  /**
   * As `takeOver`, but leaves them to a later request, and to one of another stack.
   *
   * @returns undefined also when the stack has created the resource anew since, or has begun to: what this request
   * deletes is the one before
   */
  takeOverFromOwn(): Promise<TierRows | undefined>;
  /** False when there is a row. This and those below throw Superseded when a later request has taken the rows over. */
  add(row: NewRow, seededBy: string): Promise<boolean>;
  /** Describes a vacant slot anew; false when it has got an owner or another epoch since it was read. */
  describeAnew(spec: SlotSpec, epoch: number, formatted: boolean, seededBy: string): Promise<boolean>;
  /** Takes a row into the hands of this resource again, for example after a stack deletion that failed. */
  takeBack(slot: string, seededBy: string): Promise<boolean>;
  /** As `letGo`, but only while no server was told to format the slot's volumes. */
  retire(slot: string, seededBy: string): Promise<boolean>;
  /**
   * Stops all claims of the slot, whoever has the rows: a deletion is the last word. False when another resource has
   * seeded it since.
   */
  letGo(slot: string, seededBy: string): Promise<boolean>;
}

/** What EC2 knows about a volume. */
export interface VolumeFacts extends VolumeOrigin {
  /** It must never be formatted: it was served before, or comes from a snapshot. */
  readonly holdsData: boolean;
  /** Several instances can attach it at once, so that nothing of EC2 would keep two servers apart. */
  readonly multiAttach: boolean;
}

export interface VolumeFactsPort {
  /** The volumes that EC2 knows; one that was just made may be missing for a moment. */
  factsOf(volumeIds: string[]): Promise<VolumeFacts[]>;
  readonly begunAt: BegunAt;
  /** What snapshots say of themselves; without those that are gone. */
  labelsOf(snapshotIds: readonly string[]): Promise<SnapshotLabel[]>;
  /** All snapshots in a set of a deployment, those of other tiers, too. */
  ofSet(deployment: string, set: string): Promise<SnapshotLabel[]>;
}

/** The reconciler's workflow. */
export interface WorkflowPort {
  /** Starts an execution; one of the same name is not started twice. */
  start(name: string, input: unknown): Promise<void>;
}

export interface Ports {
  readonly log: Log;
  readonly timer: Timer;
  readonly volumes: VolumeFactsPort;
  readonly answers: AnswerPort;
  /** The map's rows of a tier in a table. */
  seeds(table: string, tier: string, request: SeedRequest): SeedPort;
  workflow(stateMachineArn: string): WorkflowPort;
}
