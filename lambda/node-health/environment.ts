import { EnvironmentReader } from '../shared/environment';
import type { Settings } from './settings';

/** What the function's environment variables say, as the construct sets them. */
export interface Environment {
  readonly settings: Settings;
  readonly document: string;
  /** Empty where the scratch is not cleaned up. */
  readonly cleanUpDocument: string;
}

/** Reads the environment; an error names what is missing. */
export function environmentOf(env: { readonly [name: string]: string | undefined }): Environment {
  const read = new EnvironmentReader(env);
  const cleanUpDocument = env.CLEAN_UP_DOCUMENT ?? '';
  return {
    document: read.text('DOCUMENT'),
    cleanUpDocument,
    settings: {
      grid: read.text('GRID'),
      servers: { filter: read.text('SERVER_FILTER'), values: read.text('SERVERS').split(',') },
      intervalSeconds: read.count('INTERVAL_SECONDS'),
      ...(cleanUpDocument === '' ? {} : { cleanUpSeconds: read.count('CLEAN_UP_SECONDS') }),
    },
  };
}
