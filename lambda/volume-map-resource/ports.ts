import type { AnswerPort } from '../shared/answer';
import type { Log } from '../shared/log';
import type { SlotRow, TierRows } from '../shared/map';

/** A slot as the stack describes it. */
export interface SlotSpec {
  readonly slot: string;
  readonly networkInterfaceId: string;
  readonly address: string;
  readonly volumes: { readonly volumeId: string; readonly device: string }[];
  /** Its volumes come from an earlier stack and are never formatted. */
  readonly adopted: boolean;
}

/** A row to be written when the slot has none. */
export type NewRow = Pick<
  SlotRow,
  | 'slot'
  | 'networkInterfaceId'
  | 'address'
  | 'volumes'
  | 'formatted'
  | 'formatOffered'
  | 'owner'
  | 'epoch'
  | 'claimedAt'
>;

/** The rows of one tier in the volume map. */
export interface SeedPort {
  /** Undefined when the table itself is gone. */
  read(): Promise<TierRows | undefined>;
  /** False when there is a row already. */
  add(row: NewRow, seededBy: string): Promise<boolean>;
  /** Describes a vacant slot anew; false when it has got an owner or another epoch since it was read. */
  describeAnew(spec: SlotSpec, epoch: number, formatted: boolean, seededBy: string): Promise<boolean>;
  /** Takes a row into the hands of this resource again, for example after a stack deletion that failed. */
  takeBack(slot: string, seededBy: string): Promise<boolean>;
  /** As `letGo`, but only while no server was told to format the slot's volumes. */
  retire(slot: string, seededBy: string): Promise<boolean>;
  /** Stops all claims of the slot; false when another resource has seeded it since. */
  letGo(slot: string, seededBy: string): Promise<boolean>;
}

/** What EC2 knows about a volume. */
export interface VolumeFacts {
  readonly volumeId: string;
  /** It must never be formatted: it was served before, or comes from a snapshot. */
  readonly holdsData: boolean;
  /** Several instances can attach it at once, so that nothing of EC2 would keep two servers apart. */
  readonly multiAttach: boolean;
}

export interface VolumeFactsPort {
  /** The volumes that EC2 knows; one that was just made may be missing for a moment. */
  factsOf(volumeIds: string[]): Promise<VolumeFacts[]>;
}

/** The reconciler's workflow. */
export interface WorkflowPort {
  /** Starts an execution; one of the same name is not started twice. */
  start(name: string, input: unknown): Promise<void>;
}

export interface Ports {
  readonly log: Log;
  readonly volumes: VolumeFactsPort;
  readonly answers: AnswerPort;
  /** The map's rows of a tier in a table. */
  seeds(table: string, tier: string): SeedPort;
  workflow(stateMachineArn: string): WorkflowPort;
}
