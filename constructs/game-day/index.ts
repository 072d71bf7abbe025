export * from './clients';
export * from './game-day';
export * from './props';
