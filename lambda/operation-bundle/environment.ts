import { EnvironmentReader } from '../shared/environment';
import type { Settings } from './settings';

/** What the function's environment variables say, as the construct sets them. */
export interface Environment {
  readonly settings: Settings;
  readonly bucket: string;
  readonly document: string;
  readonly tag: string;
}

/** Reads the environment; an error names what is missing. */
export function environmentOf(env: { readonly [name: string]: string | undefined }): Environment {
  const read = new EnvironmentReader(env);
  return {
    bucket: read.text('BUCKET'),
    document: read.text('DOCUMENT'),
    tag: read.text('TAG'),
    settings: {
      deployment: read.text('DEPLOYMENT'),
      stacks: read.text('STACKS').split(','),
      // Empty where no servers have volumes of their own.
      tables: (env.TABLES ?? '').split(',').filter(Boolean),
    },
  };
}
