/** Names the cluster that an instance, volume or network interface belongs to; IAM conditions rest on it. */
export const CLUSTER_TAG = 'cdk-sas-grid:cluster';

/** What the snapshots of a cluster's volumes say for a tier, and for its one slot: no volume map has them. */
export const SHARED_SLOT = { tier: 'gfs2', slot: 'gfs2-00' } as const;
