import type { aws_sns as sns } from 'aws-cdk-lib';
import type {
  BenchmarkHosts,
  GridNetwork,
  Io2BlockExpressGfs2,
  ISharedFileSystem,
  MeasuredPath,
  MeasuredPathProps,
  VolumeReattachment,
} from '../../constructs';
import type { BackupDescription, SleepDescription } from '../../constructs/operations';

/** What a file system stands on and tells, in whichever stack it is. */
export interface Surroundings {
  readonly network: GridNetwork;
  readonly alarmTopic?: sns.ITopic;
}

/** A file system in a stack, and what the rest of the deployment needs of it. */
export interface MadeFileSystem {
  readonly fileSystem: ISharedFileSystem;

  /** What other stacks import with some key of the configuration, whether or not they do now. */
  readonly exports: readonly string[];

  /** The servers that have the data; none where AWS runs them, and where hosts have the volumes themselves. */
  readonly servers?: () => BenchmarkHosts;

  /** The hosts that have the volumes themselves, and are the grid. */
  readonly ownHosts?: OwnHosts;

  /** How its servers go to sleep; undefined where AWS runs them. */
  readonly sleep?: SleepDescription;

  /** How its data is backed up, or what else to do. */
  readonly backup: BackupDescription;

  /** The servers of which a product lets size and speed be chosen; none without volumes of their own. */
  readonly sizable?: SizableServers;
}

/** Hosts that have the volumes of a file system themselves. */
export interface OwnHosts {
  readonly count: number;
  readonly benchmark: () => BenchmarkHosts;
  readonly path: (wanted: MeasuredPathProps) => MeasuredPath;
}

/** Servers whose volumes can be sized: a tier, or the nodes of a cluster with the volumes that they share. */
export type SizableServers = {
  /** What the console calls them. */
  readonly servers: string;
} & ({ readonly tier: VolumeReattachment } | { readonly cluster: Io2BlockExpressGfs2 });

/** Of a file system that has no backups by this library. */
export const noBackup = (refusal: string): BackupDescription => ({
  kind: '',
  tiers: [],
  holder: '',
  refusal,
});
