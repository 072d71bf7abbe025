import { EnvironmentReader } from '../shared/environment';
import type { Settings } from './settings';

/** What the function's environment variables say, as the construct sets them. */
export interface Environment {
  readonly settings: Settings;
  /** The table of the deployment's operations. */
  readonly table: string;
}

/** Reads the environment; an error names what is missing. */
export function environmentOf(env: { readonly [name: string]: string | undefined }): Environment {
  const read = new EnvironmentReader(env);
  const settings = JSON.parse(read.text('DEPLOYMENT')) as Settings;
  const { region, roleArn } = settings.destination;
  if (region === settings.region && roleArn === undefined) {
    throw new Error(
      `copyTo.region is ${region}, where the sets are; allowed: another region, or one with roleArn. A set that is ` +
        'there twice is none. Choose another region.',
    );
  }
  return { table: read.text('OPERATIONS_TABLE'), settings };
}
