export * from './props';
export * from './volume-map';
export * from './volume-reattachment';
