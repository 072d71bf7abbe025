import { awsPorts } from './aws';
import { environmentOf } from './environment';
import { handle } from './handler';

/** The Lambda function's entry point. Clients are made anew: nothing outlives a call. */
export async function handler(event: unknown): Promise<object> {
  const environment = environmentOf(process.env);
  return handle(event, awsPorts(environment), environment.settings);
}
