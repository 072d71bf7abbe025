import { DEVICE_NAMES, deviceName } from '../../constructs/private/device-name';
import type { Outcome } from './ports';

/**
 * With which EC2 says that something else is where it is to attach: a volume of the image, or what another program of
 * the account has put there (kopeio/etcd-manager#323, lstoll/k8s-vpcnet#71 have the messages).
 */
const TAKEN = /is already in use|already has an interface attached/;

/** So many other places are tried at most. */
const OTHERS = 3;

/** Attaches at the first place that is free. A host looks for what it has by its id, and never sees the place. */
export async function atFreePlace<P>(
  places: readonly P[],
  attach: (place: P) => Promise<Outcome>,
): Promise<Outcome> {
  let outcome: Outcome = { done: false };
  for (const place of places) {
    outcome = await attach(place);
    if (outcome.code !== 'InvalidParameterValue' || !TAKEN.test(outcome.message ?? '')) break;
  }
  return outcome;
}

/** Device names for a volume: its own, then some that slots do not use, other ones for each volume. */
export function devicesFor(volumeId: string, own: string): string[] {
  const start = Number.parseInt(volumeId.slice(-4), 16) || 0;
  const half = Math.floor(DEVICE_NAMES / 2);
  const others = Array.from({ length: OTHERS }, (_, index) =>
    deviceName(DEVICE_NAMES - 1 - ((start + index) % half)),
  );
  return [own, ...others];
}

/** Device indexes for the slot's interface: the second, then the ones after it. The first is the instance's own. */
export const INTERFACE_PLACES: readonly number[] = Array.from(
  { length: 1 + OTHERS },
  (_, index) => 1 + index,
);
