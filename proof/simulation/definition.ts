import type { TierDeployment } from './aws/deployment';

/** The values of `recoveryTimeout` that scenarios have, seconds. */
export const RECOVERY_TIMEOUTS = [900, 1800, 3600] as const;

/** What a launch of the synthesized tier may try: its own type in the placement group, and others outside of it. */
export const ALLOWED_LAUNCHES = 3;

/** What the construct synthesizes, by `recoveryTimeout`: plain data, so that a worker needs no CDK. */
export type Definition = { readonly [recoveryTimeoutSeconds: number]: TierDeployment };

let used: Definition | undefined;

/** What runs of this process use. */
export function useDefinition(definition: Definition): void {
  used = definition;
}

/** @throws when `useDefinition` was not called, or not with this time-out */
export function definitionFor(recoveryTimeoutSeconds: number): TierDeployment {
  const deployment = used?.[recoveryTimeoutSeconds];
  if (deployment === undefined) throw new Error(`no tier was synthesized with ${recoveryTimeoutSeconds} s`);
  return deployment;
}
