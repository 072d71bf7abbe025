import type { Stack, StackProps } from 'aws-cdk-lib';
import type { DeploymentConfig } from '../config-types';
import type { ProductParameter } from '../service-catalog/parameter';
import type { MadeFileSystem, Surroundings } from './made';

/** The keys of a configuration that name a shared file system. */
export type FileSystemKey = 'storage' | 'fsxLustre' | 'nfs' | 'io2';

/**
 * A kind of shared file system: all that a deployment or a product has to know of it. Another kind is a construct, one
 * of these, and its part of config.schema.json.
 */
export interface FileSystemKind {
  /** What names it in a configuration. */
  readonly key: FileSystemKey;

  /** Of these keys of its configuration exactly one is there. A schema's 'oneOf' cannot say what to do. */
  readonly oneOf?: readonly string[];

  /** Whether the hosts that have its volumes are the grid: then there is no `grid` beside it. */
  readonly hostsAreGrid?: boolean;

  /** Whether it can stand in an existing network, without hosts of the deployment. */
  readonly standsAlone?: boolean;

  /** Whether `lustre-server` of the benchmark can measure it. */
  readonly hasLustreServers?: boolean;

  /** Whether servers are replaced with their volumes: what a game day is for. */
  readonly failsOver: (config: DeploymentConfig) => boolean;

  /** What its stack is made with, beside what all are. */
  readonly stackProps?: (config: DeploymentConfig) => Pick<StackProps, 'suppressTemplateIndentation'>;

  /** Puts it, with its outputs, into a stack. */
  readonly add: (stack: Stack, config: DeploymentConfig, surroundings: Surroundings) => MadeFileSystem;

  /** What a product of Service Catalog lets be chosen. */
  readonly product: ProductChoices;
}

/** What a product of Service Catalog does of its own with a kind. */
export interface ProductChoices {
  /** What is asked, and has to be known before the file system is made. */
  readonly before: (config: DeploymentConfig) => ProductParameter[];

  /** What is asked besides the size and the speed of `sizable`: it changes what was made. */
  readonly after?: (config: DeploymentConfig) => ProductParameter[];

  /** What else is done with what was made. */
  readonly finish?: (product: Stack, surroundings: Surroundings) => void;
}
