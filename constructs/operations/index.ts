export * from './backup';
export * from './backup-copies';
export * from './bundle';
export * from './operations';
export * from './sleep';
export * from './workflow';
