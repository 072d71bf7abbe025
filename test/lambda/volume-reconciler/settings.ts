import type { Log } from '../../../lambda/shared/log';
import type { SlotRow } from '../../../lambda/shared/map';
import type { Settings } from '../../../lambda/volume-reconciler/settings';

export const SETTINGS: Settings = {
  tier: 'oss',
  tierTag: 'stack/Oss',
  groupName: 'stack-oss',
  launchHook: 'serve-slot',
  terminateHook: 'let-go',
  slots: ['oss-00', 'oss-01'],
  spareServers: 0,
  recoveryTimeoutSeconds: 3600,
};

export const SILENT: Log = { info: () => undefined, error: () => undefined, metrics: () => undefined };

/** A slot that nobody has had yet, as the reconciler reads it. */
export function row(slot: string, networkInterfaceId: string, volumes: SlotRow['volumes']): SlotRow {
  return {
    slot,
    networkInterfaceId,
    address: '10.0.0.1',
    volumes,
    epoch: 0,
    servedEpoch: 0,
    formatted: false,
    formatOffered: false,
    phase: 'vacant',
    timeline: {},
    servings: [],
    released: false,
  };
}
