import { checkArguments } from '../private/inputs/check';

/**
 * Servers of a tier that wait for a slot, so that a lost server is not first replaced and booted before its slot is
 * served again.
 */
export class StandbyServers {
  /**
   * Servers in service that own no slot. When a slot becomes vacant, a spare takes it at once, and the server that Auto
   * Scaling launches for the lost one becomes the next spare. What is left of a recovery is to see that the server is
   * gone, to move its volumes and its address, and to serve. A spare costs what any server of the tier costs, without
   * volumes of a slot.
   *
   * With spares the tier also listens to EC2's own events of instances that end, of which every one in the account and
   * Region starts an execution of the tier's workflow (about 0.0002 USD).
   *
   * @param count how many wait, from 1 to the number of slots: as many servers can be lost at once without waiting for
   * a launch. 1 unless named
   */
  static hotSpare(count = 1): StandbyServers {
    ({ count } = checkArguments('StandbyServers.hotSpare', { count }));
    return new StandbyServers('hot-spare', count);
  }

  /** No server waits: a lost one is replaced by a launch. */
  static none(): StandbyServers {
    return new StandbyServers('none', 0);
  }

  private constructor(
    /** `none` or `hot-spare`. */
    readonly kind: string,
    /** How many servers the group has beyond its slots. */
    readonly count: number,
  ) {}
}
