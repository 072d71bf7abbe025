import type { StepResult } from '../shared/operation/step';
import { awsPorts } from './aws';
import { environmentOf } from './environment';
import { takeSleepStep } from './handler';

/** The Lambda function's entry point. Clients are made anew: nothing outlives a call. */
export async function handler(event: unknown): Promise<StepResult> {
  const environment = environmentOf(process.env);
  return takeSleepStep(event, awsPorts(environment), environment.settings);
}
