import type { TierDeployment } from '../../simulation/aws/deployment';
import { synthesizeTier } from '../../simulation/aws/synthesis';

let known: TierDeployment | undefined;

/** The tier as the construct synthesizes it, once per test file. */
export function deployment(): TierDeployment {
  known ??= synthesizeTier();
  return known;
}
