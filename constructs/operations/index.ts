export * from './backup';
export * from './bundle';
export * from './operations';
export * from './sleep';
export * from './workflow';
