// Pure functions and dated tables. Nothing here imports aws-cdk-lib, and nothing here is part of the public API.
export * from './attachments';
export * from './benchmark-estimate';
export { INSTANCE_TYPE_SOURCES } from './data/sources';
export * from './ebs-volumes';
export * from './facts';
export * from './instance-types';
export * from './interchangeable-types';
export * from './io2-block-express';
export * from './managed-file-systems';
export * from './nfs-server';
export * from './plan';
export * from './service-limits';
