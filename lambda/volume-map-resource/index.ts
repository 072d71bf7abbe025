import { handler as keepFixed } from '../fixed-properties';
import { isFixedValues } from '../fixed-properties/handler';
import { awsPorts } from './aws';
import { type Handled, handle } from './handler';

/**
 * The Lambda function's entry point. Values of a tier that must not change are its second resource: a function of their
 * own would be three resources more in stacks that are nearly full.
 */
export async function handler(event: unknown): Promise<Handled> {
  return isFixedValues(event) ? keepFixed(event) : handle(event, awsPorts());
}
