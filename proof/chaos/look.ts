import type { Clients } from '../kit/clients';
import type { Estate, MapSlot } from '../kit/model';
import { startClient } from './client-data';

/** Whether the map says that the slot is served. */
export const isServed = ({ owner, epoch, servedEpoch }: MapSlot) =>
  owner !== undefined && epoch > 0 && servedEpoch === epoch;

/**
 * The slots that are served in truth: the map says so, and the server runs. A server that has just ended is still in
 * the map.
 */
export function servedSlots({ slots, instances }: Estate): MapSlot[] {
  const running = new Set(instances.filter(({ state }) => state === 'running').map(({ id }) => id));
  return slots.filter((slot) => isServed(slot) && running.has(slot.owner!));
}

/** Sees to it that a client writes through every server that serves a slot. */
export class ClientsOfSlots {
  private readonly started = new Set<string>();

  constructor(private readonly clients: Clients) {}

  /** @param served the slots that are served now */
  async follow(served: readonly MapSlot[]): Promise<void> {
    const fresh = served.filter((slot) => !this.started.has(key(slot)));
    await Promise.all(
      fresh.map(async (slot) => {
        try {
          await startClient(this.clients, slot.owner!);
          this.started.add(key(slot));
        } catch {
          // Its agent is gone, or there are too many calls: the next look tries again.
        }
      }),
    );
  }
}

const key = ({ slot, owner, epoch }: MapSlot) => `${slot} ${owner} ${epoch}`;
