import type { IVolumeReattachment } from '../volume-reattachment';

/**
 * Ids of volumes that tiers have adopted from an earlier deployment: they are no resources of the stack. Undefined when
 * there are none.
 */
export function adoptedVolumes(...tiers: (IVolumeReattachment | undefined)[]): string[] | undefined {
  const ids = tiers.flatMap((tier) => tier?.slots.flatMap(({ volumeIds }) => volumeIds) ?? []);
  const named = ids.filter((id) => id.startsWith('vol-'));
  return named.length > 0 ? named : undefined;
}
