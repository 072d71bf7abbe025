export * from './hosts';
export * from './measured-path';
export * from './props';
export * from './storage-benchmark';
export * from './storage-test';
export * from './test-props';
