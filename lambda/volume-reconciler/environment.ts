import { EnvironmentReader } from '../shared/environment';
import { slotNames } from '../shared/slot-names';
import type { Settings } from './settings';

/** The names of the function's environment variables, as the construct sets them. */
export interface Environment {
  readonly settings: Settings;
  readonly table: string;
  readonly document: string;
}

/** Reads the environment; an error names what is missing. */
export function settingsOf(env: { [name: string]: string | undefined }): Environment {
  const read = new EnvironmentReader(env);
  const tier = read.text('TIER');
  return {
    table: read.text('TABLE'),
    document: read.text('DOCUMENT'),
    settings: {
      tier,
      tierTag: read.text('TIER_TAG'),
      groupName: read.text('GROUP'),
      launchHook: read.text('LAUNCH_HOOK'),
      terminateHook: read.text('TERMINATE_HOOK'),
      slots: slotNames(tier, read.count('SLOT_COUNT')),
      spareServers: read.count('SPARE_SERVERS', 0),
      serverType: env.SERVER_TYPE,
      fallbackTypes: env.FALLBACK_TYPES?.split(','),
      recoveryTimeoutSeconds: read.count('RECOVERY_TIMEOUT_SECONDS'),
    },
  };
}
