import type { DeploymentConfig } from '../config-types';

/** What a configuration says beside its shared file system. A key at the top that is not here is a kind of these. */
type OtherKey =
  | 'description'
  | 'region'
  | 'account'
  | 'tags'
  | 'alarmEmail'
  | 'benchmark'
  | 'gameDay'
  | 'operations'
  | 'network'
  | 'existingNetwork'
  | 'grid';

/** The keys of a configuration that name a shared file system. */
export type FileSystemKey = Exclude<keyof DeploymentConfig, OtherKey>;

/** What the check of a configuration has to know of a kind. Nothing of the AWS CDK: the planner needs it, too. */
export interface KeyOfKind {
  /** What names it in a configuration. */
  readonly key: FileSystemKey;

  /** Of these keys of its configuration exactly one is there. A schema's 'oneOf' cannot say what to do. */
  readonly oneOf?: readonly string[];

  /** Whether the hosts that have its volumes are the grid: then there is no `grid` beside it. */
  readonly hostsAreGrid?: boolean;

  /** Whether it can stand in an existing network, without hosts of the deployment. */
  readonly standsAlone?: boolean;

  /** Whether `lustre-server` of the benchmark can measure it. */
  readonly hasLustreServers?: boolean;

  /** Where its configuration names the tiers of a set of snapshots, by the set's kind and the tier. */
  readonly tiersOfSet?: { readonly [kind: string]: { readonly [tier: string]: readonly string[] } };

  /** Whether servers are replaced with their volumes: what a game day is for. */
  readonly failsOver: (config: DeploymentConfig) => boolean;
}

const KINDS: Readonly<Record<FileSystemKey, Omit<KeyOfKind, 'key'>>> = {
  storage: {
    hasLustreServers: true,
    tiersOfSet: {
      lustre: { mgs: ['storage', 'mgs'], mds: ['storage', 'mds'], oss: ['storage', 'oss'] },
    },
    failsOver: () => true,
  },
  fsxLustre: { oneOf: ['ssd', 'intelligentTiering'], failsOver: () => false },
  nfs: {
    oneOf: ['ebs', 'instanceStore'],
    standsAlone: true,
    tiersOfSet: { nfs: { nfs: ['nfs', 'ebs'] } },
    failsOver: ({ nfs }) => nfs?.ebs !== undefined,
  },
  io2: {
    hostsAreGrid: true,
    tiersOfSet: { io2: { io2: ['io2'] }, gfs2: { gfs2: ['io2'] } },
    failsOver: () => false,
  },
};

/** The kinds in the order in which messages name their keys. */
export const KEYS: readonly KeyOfKind[] = Object.entries(KINDS).map(([key, kind]) => ({
  key: key as FileSystemKey,
  ...kind,
}));

/** Which kind a configuration with exactly one of the keys names. */
export const keyOf = (config: DeploymentConfig): KeyOfKind =>
  KEYS.find(({ key }) => config[key] !== undefined)!;
