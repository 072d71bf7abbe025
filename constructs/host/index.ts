export * from './host-bundle';
export * from './host-role';
export * from './overflow';
export type { HostSoftware } from './own-software';
