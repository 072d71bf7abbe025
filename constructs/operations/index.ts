export * from './backup';
export * from './operations';
export * from './sleep';
export * from './workflow';
