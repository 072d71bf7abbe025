import { EnvironmentReader } from '../shared/environment';
import type { Settings } from './settings';

/** What the function's environment variables say, as the construct sets them. */
export interface Environment {
  readonly settings: Settings;
  readonly table: string;
  readonly document: string;
  readonly stackId: string;
}

/** Reads the environment; an error names what is missing. */
export function settingsOf(env: { [name: string]: string | undefined }): Environment {
  const read = new EnvironmentReader(env);
  return {
    table: read.text('TABLE'),
    document: read.text('DOCUMENT'),
    stackId: read.text('STACK_ID'),
    settings: {
      tier: read.text('TIER'),
      tierTag: read.text('TIER_TAG'),
      groupName: read.text('GROUP'),
      program: read.text('PROGRAM'),
      slotCount: read.count('SLOT_COUNT'),
      intervalSeconds: read.count('INTERVAL_SECONDS'),
      misses: read.count('MISSES'),
    },
  };
}
