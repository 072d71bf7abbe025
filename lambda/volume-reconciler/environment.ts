import type { Settings } from './settings';

/** The names of the function's environment variables, as the construct sets them. */
export interface Environment {
  readonly settings: Settings;
  readonly table: string;
  readonly document: string;
}

/** Reads the environment; an error names what is missing. */
export function settingsOf(env: { [name: string]: string | undefined }): Environment {
  const text = (name: string): string => {
    const value = env[name];
    if (!value) throw new Error(`environment variable ${name} is missing; the construct sets it`);
    return value;
  };
  const count = (name: string, least = 1): number => {
    const value = Number(text(name));
    if (!Number.isInteger(value) || value < least)
      throw new Error(`environment variable ${name} is not a whole number from ${least} up`);
    return value;
  };
  const tier = text('TIER');
  return {
    table: text('TABLE'),
    document: text('DOCUMENT'),
    settings: {
      tier,
      tierTag: text('TIER_TAG'),
      groupName: text('GROUP'),
      launchHook: text('LAUNCH_HOOK'),
      terminateHook: text('TERMINATE_HOOK'),
      slots: slotNames(tier, count('SLOT_COUNT')),
      spareServers: count('SPARE_SERVERS', 0),
      recoveryTimeoutSeconds: count('RECOVERY_TIMEOUT_SECONDS'),
    },
  };
}

/** The names of a tier's slots: oss-00, oss-01 and so on, three digits from the 101st. */
export function slotNames(tier: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${tier}-${String(index).padStart(2, '0')}`);
}
