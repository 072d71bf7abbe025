export * from './interface';
export * from './nfs-storage-server';
export * from './presets';
export * from './props';
export * from './storage';
