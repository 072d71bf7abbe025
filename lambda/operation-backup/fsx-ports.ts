import type { StepPorts } from '../shared/operation/step';
import type { CataloguePort, Label, Ports, SetsPort } from './ports';

/** A backup of a set, as FSx has it. */
export interface FsxBackup {
  readonly backupId: string;
  /** The file system, or the volume. */
  readonly of: string;
  /** CREATING, TRANSFERRING, AVAILABLE, FAILED, and what else FSx calls it. */
  readonly lifecycle: string;
  readonly percent?: number;
  /** Why there is none. */
  readonly failure?: string;
}

/** What came of asking for a backup. */
export interface Asked {
  /** `busy`: FSx makes another one of it, and one at a time. */
  readonly state: 'begun' | 'busy' | 'refused';
  readonly message: string;
}

export interface FsxBackupsPort extends SetsPort {
  /** Said again for the same set, it begins nothing anew. */
  begin(id: string, label: Label): Promise<Asked>;
  ofSet(set: string): Promise<FsxBackup[]>;
  judge(backupIds: readonly string[], state: 'complete' | 'torn'): Promise<void>;
}

/** All that is reached of file systems that AWS runs. */
export interface FsxPorts extends StepPorts, Pick<Ports, 'stacksUnderWay'> {
  readonly backups: FsxBackupsPort;
  readonly catalogue: CataloguePort;
}
