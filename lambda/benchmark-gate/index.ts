import { awsPorts } from './aws';
import { type Handled, handle } from './handler';

/** The Lambda function's entry point. */
export async function handler(event: unknown): Promise<Handled> {
  return handle(event, awsPorts());
}
