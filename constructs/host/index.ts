export * from './host-bundle';
export * from './host-role';
export type { IHostImage, ImageSoftware } from './in-image';
export * from './overflow';
export type { HostSoftware } from './own-software';
