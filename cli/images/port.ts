import type { ImageUse } from '../../lib/image-record';

/** A build of an image, as Image Builder tells it. */
export interface Build {
  readonly arn: string;
  /** Its name and version, by which its log is found. */
  readonly name: string;
  readonly version: string;
  /** PENDING, CREATING, BUILDING, TESTING, DISTRIBUTING, INTEGRATING, AVAILABLE, FAILED, CANCELLED and others. */
  readonly state: string;
  /** Why it failed. */
  readonly reason?: string;
  /** When it was begun, as AWS writes it. */
  readonly created: string;
  /** Of one that is available. */
  readonly imageId?: string;
}

/** The stack with the pipelines. */
export interface Pipelines {
  readonly arns: { readonly [use in ImageUse]?: string };
  readonly mirrorBucket: string;
}

/** What is asked of AWS. */
export interface ImagesAws {
  /** @returns undefined when there is no such stack */
  pipelines(stack: string): Promise<Pipelines | undefined>;
  /** The builds of a pipeline, the newest first. */
  builds(pipeline: string): Promise<Build[]>;
  build(arn: string): Promise<Build>;
  /** Starts one; the same token starts one only. @returns its ARN */
  start(pipeline: string, token: string): Promise<string>;
  /** What the build does at the moment, where that can be told. */
  step(arn: string): Promise<string | undefined>;
  /** The last lines of its log; none where nobody may read it. */
  log(build: Build): Promise<readonly string[]>;
  /** The tags of an image; undefined when there is no such image any more. */
  imageTags(imageId: string): Promise<{ readonly [key: string]: string } | undefined>;
  /** The mirror's records, by the image they are for. */
  records(bucket: string): Promise<{ readonly [set: string]: string }>;
}

/** The group of the log of a build. */
export const logGroup = ({ name }: Pick<Build, 'name'>): string => `/aws/imagebuilder/${name}`;

export const ENDED: readonly string[] = [
  'AVAILABLE',
  'FAILED',
  'CANCELLED',
  'DEPRECATED',
  'DELETED',
  'DISABLED',
];
