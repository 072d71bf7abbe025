import type { Context, Durations } from '../aws/context';
import type { SimulatedEc2 } from '../aws/ec2/ec2';

/** Exit codes of sas-grid-serve (constructs/host/bin/sas-grid-serve, "Exit codes"). */
export const EXIT = {
  SERVED: 0,
  ERROR: 1,
  OLD_EPOCH: 3,
  REFUSED: 4,
  /** Of the document's program (constructs/host/documents/serve.sh). */
  AFTER_SNAPSHOT: 5,
  USAGE: 64,
  NOT_YET: 75,
} as const;

/** What sas-grid-serve is told. */
export interface ServeOrder {
  readonly slot: string;
  readonly epoch: number;
  readonly address: string;
  readonly volumes: readonly string[];
  readonly mayFormat: boolean;
  /** The damage that may be repaired, and the snapshots that were made since it was found. */
  readonly repair?: { readonly finding: string; readonly snapshotIds: readonly string[] };
}

/** The way out of a program: its exit code and what it says. */
export class Exit extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** The machine went down while a program ran on it: nobody hears how it ended. */
export class PowerLost extends Error {}

/** What all hosts share. */
export interface Surroundings {
  readonly context: Context;
  readonly ec2: SimulatedEc2;
  readonly durations: Durations;
  /** VOLUMES_PER_SLOT of their role. */
  readonly volumesPerSlot: number;
  /** Exit codes with which the next calls end, on whichever host. */
  readonly failures: number[];
  /** Whether another running host has the volume mounted (multiple-mount protection looks). */
  mountedElsewhere(volumeId: string, instanceId: string): boolean;
}
