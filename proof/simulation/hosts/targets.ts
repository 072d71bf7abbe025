import type { VolumeTruth } from '../aws/state';
import { EXIT, Exit, type ServeOrder, type Surroundings } from './program';

/** The host on which it happens. */
interface At {
  readonly instanceId: string;
  readonly surroundings: Surroundings;
  holds(volume: VolumeTruth): boolean;
}

/** What lies on the volumes of a host before they are mounted: looked at, and formatted where that is allowed. */
export class Targets {
  /** Volumes that it began to format, with the epoch; the mark goes when the formatting has ended. */
  private readonly formatting = new Map<string, number>();

  constructor(private readonly at: At) {}

  /** Its marks are gone. */
  replaceDisk(): void {
    this.formatting.clear();
  }

  /** serve_target() of serve-lustre.sh, until it begins to bring the target up. */
  async prepare(order: ServeOrder, volume: VolumeTruth, pause: (ms: number) => Promise<void>): Promise<void> {
    if (volume.content === 'blank') {
      if (!order.mayFormat)
        throw new Exit(EXIT.REFUSED, `refused: ${volume.id} is blank, and was formatted before`);
      await this.format(order, volume, pause);
    } else if (volume.content === 'half-formatted') {
      if (!order.mayFormat || this.formatting.get(volume.id) !== order.epoch) {
        throw new Exit(EXIT.REFUSED, `refused: ${volume.id} carries data that is no Lustre target`);
      }
      await this.format(order, volume, pause);
    } else if (volume.contentOf !== order.slot) {
      throw new Exit(EXIT.REFUSED, `refused: ${volume.id} carries the target of ${volume.contentOf}`);
    }
  }

  private async format(
    order: ServeOrder,
    volume: VolumeTruth,
    pause: (ms: number) => Promise<void>,
  ): Promise<void> {
    const { mayFormat, slot, epoch } = order;
    this.formatting.set(volume.id, epoch);
    this.at.surroundings.context.observer.onFormat?.(volume.id, this.at.instanceId, {
      mayFormat,
      slot,
      epoch,
      before: volume.content,
    });
    volume.content = 'half-formatted';
    volume.formatsBegun += 1;
    await pause(this.at.surroundings.durations.of((timings) => timings.format));
    this.requireDevice(volume);
    volume.content = 'target';
    volume.contentOf = slot;
    volume.formats += 1;
    this.formatting.delete(volume.id);
  }

  /** The device may have gone while a program worked on it. */
  private requireDevice(volume: VolumeTruth): void {
    if (!this.at.holds(volume)) throw new Exit(EXIT.ERROR, `${volume.id} is gone`);
  }
}
