import { synthesizeTier } from './aws/synthesis';
import { type Definition, RECOVERY_TIMEOUTS } from './definition';

/** Synthesizes the tier with the real construct, once for each time-out. Takes seconds, and loads the CDK. */
export function synthesizeDefinition(): Definition {
  return Object.fromEntries(RECOVERY_TIMEOUTS.map((seconds) => [seconds, synthesizeTier(seconds)]));
}
