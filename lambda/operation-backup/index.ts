import { environmentOf } from '../shared/operation/environment';
import { awsPorts } from './aws';
import { fsxPorts } from './aws-fsx';
import { handleFsx } from './fsx';
import { handle } from './handler';
import type { Settings } from './settings';

/** The Lambda function's entry point. Clients are made anew: nothing outlives a call. */
export async function handler(event: unknown): Promise<object> {
  const environment = environmentOf<Settings>(process.env);
  const { settings } = environment;
  return settings.managed
    ? handleFsx(event, fsxPorts(environment), settings)
    : handle(event, awsPorts(environment), settings);
}
