export { BuiltImage } from './built-image';
export * from './grid-node-image';
export * from './lustre-server-image';
export type { PackageMirrorProps } from './package-mirror';
export { PackageMirror } from './package-mirror';
export * from './props';
export * from './storage-server-image';
