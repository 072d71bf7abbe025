import { awsPorts } from './aws';
import { environmentOf } from './environment';
import { type Passed, pass } from './pass';

/** The Lambda function's entry point. Clients are made anew: nothing outlives a call. */
export async function handler(): Promise<Passed> {
  const environment = environmentOf(process.env);
  return pass(await awsPorts(environment), environment.settings);
}
