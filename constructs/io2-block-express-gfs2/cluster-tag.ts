/** Names the cluster that an instance, volume or network interface belongs to; IAM conditions rest on it. */
export const CLUSTER_TAG = 'cdk-sas-grid:cluster';
