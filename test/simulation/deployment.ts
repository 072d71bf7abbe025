import type { TierDeployment } from '../../proof/simulation/aws/deployment';
import { synthesizeTier } from '../../proof/simulation/aws/synthesis';

let known: TierDeployment | undefined;

/** The tier as the construct synthesizes it, once per test file. */
export function deployment(): TierDeployment {
  known ??= synthesizeTier();
  return known;
}
