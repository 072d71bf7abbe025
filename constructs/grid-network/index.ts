export * from './capacity-reservation';
export * from './grid-network';
export * from './interface';
export * from './props';
