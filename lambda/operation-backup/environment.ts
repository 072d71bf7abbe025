import { EnvironmentReader } from '../shared/environment';
import type { Settings } from './settings';

/** What the function's environment variables say, as the construct sets them. */
export interface Environment {
  readonly settings: Settings;
  /** The table with the lock of the deployment. */
  readonly table: string;
  readonly document: string;
}

/** Reads the environment; an error names what is missing. */
export function environmentOf(env: { readonly [name: string]: string | undefined }): Environment {
  const read = new EnvironmentReader(env);
  return {
    table: read.text('OPERATIONS_TABLE'),
    document: read.text('DOCUMENT'),
    settings: {
      ...(JSON.parse(read.text('DEPLOYMENT')) as Omit<Settings, 'deadlineSeconds'>),
      deadlineSeconds: read.count('DEADLINE_SECONDS'),
    },
  };
}
