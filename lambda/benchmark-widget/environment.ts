import { EnvironmentReader } from '../shared/environment';
import type { Settings } from './settings';

/** What the function's environment variables say, as the construct sets them. */
export interface Environment {
  readonly settings: Settings;
  /** Table of the runs. */
  readonly table: string;
}

/** Reads the environment; an error names what is missing. */
export function environmentOf(env: { [name: string]: string | undefined }): Environment {
  const read = new EnvironmentReader(env);
  return {
    table: read.text('TABLE'),
    settings: {
      benchmark: read.text('BENCHMARK'),
      bucket: read.text('BUCKET'),
      region: read.text('AWS_REGION'),
    },
  };
}
