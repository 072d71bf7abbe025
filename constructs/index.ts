export * from './ephemeral-scratch';
export * from './grid-network';
export * from './host';
export * from './intel-lustre';
export * from './nfs-storage-server';
export * from './sas-grid-cluster';
export * from './shared-file-system';
export * from './volume-reattachment';
