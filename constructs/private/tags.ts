/** Names the tier that an instance, volume or network interface belongs to; IAM conditions rest on it. */
export const TIER_TAG = 'cdk-sas-grid:tier';

/** Names the slot that a volume or network interface belongs to, for people and for adoption of kept volumes. */
export const SLOT_TAG = 'cdk-sas-grid:slot';

/** A volume's place within its slot in serving order, from 0, for people and for adoption of kept volumes. */
export const POSITION_TAG = 'cdk-sas-grid:position';

/**
 * A person's word that volumes which were made of snapshots of different times hold one moment all the same: those of a
 * slot have the tag with the id of their first one.
 */
export const SAME_MOMENT_TAG = 'cdk-sas-grid:same-moment';

/** Set on a volume, and never removed, once a server has served it: such a volume is never formatted again. */
export const FORMATTED_TAG = 'cdk-sas-grid:formatted';

/** Names, on a snapshot, the damage before whose repair it was made. */
export const FINDING_TAG = 'cdk-sas-grid:finding';

/** The deployment that something belongs to. */
export const DEPLOYMENT_TAG = 'cdk-sas-grid:deployment';

/**
 * What snapshots say of the backup that they belong to. `restore` and retention rest on it, also when the deployment
 * and its tables are gone, and in another region.
 */
export const BACKUP_TAGS = {
  /** The set of one moment. */
  set: 'cdk-sas-grid:backup-set',
  /** `taking`; then `complete`, which is said when all was judged, or `torn`. */
  state: 'cdk-sas-grid:backup-state',
  /** How many snapshots the set has. */
  size: 'cdk-sas-grid:backup-size',
  /** `nfs`, `io2`, `gfs2`, `lustre` or `fsx-lustre`. */
  kind: 'cdk-sas-grid:backup-kind',
  /** The tier's name, such as `oss`. */
  tier: 'cdk-sas-grid:backup-tier',
  /** The slot's address, which Lustre's targets know; empty where hosts share the volumes. */
  address: 'cdk-sas-grid:backup-address',
  /** Of the owner that the volume map had then; 0 where hosts share the volumes, which no map has. */
  epoch: 'cdk-sas-grid:backup-epoch',
  /** Never deleted by retention. */
  protect: 'cdk-sas-grid:backup-protected',
  /** Of a copy in another region or account: the snapshot that it is of. */
  copyOf: 'cdk-sas-grid:backup-copy-of',
  /** Of a copy: the account and the region that it comes from. Two deployments of one name may copy to one place. */
  copyFrom: 'cdk-sas-grid:backup-copy-from',
} as const;
