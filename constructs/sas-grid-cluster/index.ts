export * from './grid-node';
export * from './interface';
export * from './props';
export * from './sas-grid-cluster';
