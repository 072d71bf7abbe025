export * from './predicted-throughput';
export * from './throughput-per-core';
