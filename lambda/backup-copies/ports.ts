import type { DescribedSnapshot } from '../shared/backup-set';
import type { Log } from '../shared/log';

/** The region that a deployment's own sets are in. */
export interface SourcePort {
  /** Its snapshots that are of a set. */
  list(): Promise<DescribedSnapshot[]>;
  /** Lets another account copy it, where copies go to one. */
  share(snapshotId: string): Promise<void>;
}

/** The region, and perhaps another account, that the copies are in. */
export interface DestinationPort {
  /** Snapshots of the deployment's sets there, whoever has copied them. */
  list(): Promise<DescribedSnapshot[]>;
  /** @throws Refused when no copy was begun for certain */
  copy(snapshot: DescribedSnapshot): Promise<string>;
  delete(snapshotId: string): Promise<void>;
}

/** EC2 has said no: nothing was begun. */
export class Refused extends Error {
  constructor(
    message: string,
    /** No more copies can be begun now. */
    readonly full: boolean,
  ) {
    super(message);
    this.name = 'Refused';
  }
}

/** The set that is being copied, and which of its snapshots somebody has begun to copy. */
export interface Work {
  readonly set: string;
  /** By snapshot: when it was claimed, ISO 8601. */
  readonly claims: { readonly [snapshotId: string]: string };
}

/** What is remembered from pass to pass. Each change is refused when another pass was first. */
export interface WorkPort {
  read(): Promise<Work | undefined>;
  /** Goes over from one set to the next. */
  begin(set: string, before: Work | undefined): Promise<boolean>;
  /** Before a copy is begun. @param before the claim that it takes the place of */
  claim(set: string, snapshotId: string, now: string, before: string | undefined): Promise<boolean>;
  /** Nothing was begun, or what was begun is gone. */
  release(set: string, snapshotId: string, claimed: string): Promise<void>;
  /** From when on there could have been a copy, milliseconds since 1970. */
  watchedSince(now: string): Promise<number>;
}

/** All that the function reaches. */
export interface Ports {
  readonly source: SourcePort;
  readonly destination: DestinationPort;
  readonly work: WorkPort;
  readonly log: Log;
  /** Milliseconds since 1970. */
  now(): number;
}
