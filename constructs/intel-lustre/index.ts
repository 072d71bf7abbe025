export * from './backend';
export * from './intel-lustre';
export * from './preset';
export * from './props';
export * from './software';
export * from './tuning';
