export * from './grid-network';
export * from './props';
