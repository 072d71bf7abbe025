export * from './grid-node';
export * from './props';
export * from './sas-grid-cluster';
export * from './scratch-options';
