export * from './interface';
export * from './props';
export * from './standby-servers';
export * from './volume-map';
export * from './volume-reattachment';
