export * from './mount-target';
export * from './shared-file-system';
export * from './storage-description';
