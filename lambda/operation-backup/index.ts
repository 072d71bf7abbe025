import { environmentOf } from '../shared/operation/environment';
import { awsPorts } from './aws';
import { handle } from './handler';
import type { Settings } from './settings';

/** The Lambda function's entry point. Clients are made anew: nothing outlives a call. */
export async function handler(event: unknown): Promise<object> {
  const environment = environmentOf<Settings>(process.env);
  return handle(event, awsPorts(environment), environment.settings);
}
