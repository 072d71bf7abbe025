import { environmentOf } from '../shared/operation/environment';
import type { StepResult } from '../shared/operation/step';
import { awsPorts } from './aws';
import { takeSleepStep } from './handler';
import type { Settings } from './settings';

/** The Lambda function's entry point. Clients are made anew: nothing outlives a call. */
export async function handler(event: unknown): Promise<StepResult> {
  const environment = environmentOf<Settings>(process.env);
  return takeSleepStep(event, awsPorts(environment), environment.settings);
}
