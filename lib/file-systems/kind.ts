import type { Stack, StackProps } from 'aws-cdk-lib';
import type { IHostImage } from '../../constructs';
import type { DeploymentConfig } from '../config-types';
import type { ProductParameter } from '../service-catalog/parameter';
import type { MadeFileSystem, Surroundings } from './made';

/**
 * A kind of shared file system: all that a deployment or a product has to know of it. Another kind is a construct, one
 * of these, its line in keys.ts, and its definition in config.schema.json.
 */
export interface FileSystemKind {
  /** What its stack is made with, beside what all are. */
  readonly stackProps?: (config: DeploymentConfig) => Pick<StackProps, 'suppressTemplateIndentation'>;

  /**
   * Puts it, with its outputs, into a stack. `built` is the image of its servers, where one is built.
   */
  readonly add: (
    stack: Stack,
    config: DeploymentConfig,
    surroundings: Surroundings,
    built?: IHostImage,
  ) => MadeFileSystem;

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
