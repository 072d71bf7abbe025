export * from './ephemeral-scratch';
export * from './grid-network';
export * from './host';
export * from './intel-lustre';
export * from './io2-block-express-gfs2';
export * from './sas-grid-cluster';
export * from './shared-file-system';
export * from './volume-reattachment';
