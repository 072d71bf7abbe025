import type { VolumeTruth } from '../aws/state';
import { EXIT, Exit, PowerLost, type Surroundings } from './program';

const LOOK_MS = 1_000;

/** How long a call waits for what it has begun, until it tells what goes on (lib/background.sh, attend). */
const ATTEND_MS = 60_000;

/** What happens to a volume on its way to being mounted. */
interface Work {
  what: 'repaired' | 'mounted';
  failed?: Exit;
}

/** The host on which it happens. */
interface At {
  /** Whether e2fsck -p has left the volume's damage to a person, since the machine came up. */
  isLeft(volume: VolumeTruth): boolean;
  onLeft(volume: VolumeTruth): void;
  readonly instanceId: string;
  readonly surroundings: Surroundings;
  holds(volume: VolumeTruth): boolean;
  onMounted(volume: VolumeTruth): void;
}

/**
 * The repairs and the mounts of a host: what lib/background.sh, lib/repair.sh and bring_up() do. They go on without the
 * call that began them; mounts wait side by side, repairs are done one after the other.
 */
export class BringUp {
  private readonly work = new Map<string, Work>();
  /** Counts the times that the machine was switched off: nothing goes on then. */
  private life = 0;

  constructor(private readonly at: At) {}

  /** Whether anything is at work. */
  get atWork(): boolean {
    return this.work.size > 0;
  }

  /** Whether e2fsck is. */
  get isRepairing(): boolean {
    return [...this.work.values()].some(({ what }) => what === 'repaired');
  }

  /** What is at work, as a call says it that leaves it behind. */
  get told(): string {
    const each = [...this.work].map(([volumeId, { what }]) => `${volumeId} is still being ${what}`);
    return `${each.join('; ')}; call again`;
  }

  powerOff(): void {
    this.life += 1;
    this.work.clear();
  }

  begin(volume: VolumeTruth): Work {
    const work: Work = { what: 'mounted' };
    this.work.set(volume.id, work);
    this.bringUp(volume, work, this.life).catch((error) => {
      if (!(error instanceof PowerLost)) this.at.surroundings.context.scheduler.fail(error as Error);
    });
    return work;
  }

  /** Does something with a volume for so long, without the call that began it. */
  beside(volume: VolumeTruth, ms: number, then: () => void): void {
    const { life } = this;
    this.work.set(volume.id, { what: 'repaired' });
    this.at.surroundings.context.scheduler.after(
      ms,
      () => {
        if (life !== this.life) return;
        then();
        this.work.delete(volume.id);
      },
      'e2fsck',
    );
  }

  /** Waits for what a call has begun, for as long as a call does. */
  async attend(begun: readonly Work[], pause: (ms: number) => Promise<void>): Promise<void> {
    const { scheduler } = this.at.surroundings.context;
    const patience = scheduler.now() + ATTEND_MS;
    while (this.atWork && scheduler.now() < patience) await pause(LOOK_MS);
    const failures = begun.flatMap(({ failed }) => failed ?? []);
    const worst = failures.find(({ code }) => code !== EXIT.NOT_YET) ?? failures[0];
    if (worst !== undefined) throw worst;
    if (this.atWork) throw new Exit(EXIT.NOT_YET, this.told);
  }

  private async bringUp(volume: VolumeTruth, work: Work, life: number): Promise<void> {
    try {
      await this.repairAndMount(volume, work, async (ms) => {
        await this.at.surroundings.context.scheduler.sleep(ms);
        if (life !== this.life) throw new PowerLost();
      });
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
      work.failed = error;
    }
    if (life === this.life) this.work.delete(volume.id);
  }

  private async repairAndMount(
    volume: VolumeTruth,
    work: Work,
    pause: (ms: number) => Promise<void>,
  ): Promise<void> {
    const { surroundings, instanceId } = this.at;
    if (volume.orphansMs > 0) {
      if (!this.at.isLeft(volume)) {
        while (this.isRepairing) await pause(LOOK_MS);
        work.what = 'repaired';
        await pause(volume.orphansMs);
        if (!this.at.holds(volume)) throw new Exit(EXIT.ERROR, `the repair of ${volume.id} was cut off`);
        this.at.onLeft(volume);
      }
      throw new Exit(EXIT.ERROR, `${volume.id} is damaged beyond automatic repair`);
    }
    if (volume.repairMs > 0) {
      while (this.isRepairing) await pause(LOOK_MS);
      work.what = 'repaired';
      await pause(volume.repairMs);
      // The device went while e2fsck worked on it.
      if (!this.at.holds(volume)) throw new Exit(EXIT.ERROR, `the repair of ${volume.id} was cut off`);
      volume.repairMs = 0;
      work.what = 'mounted';
    }
    // Nobody unmounts what a server has mounted before it is lost.
    if (volume.mounts > 0)
      await pause(volume.slowProtectionMs || surroundings.durations.of((timings) => timings.protection));
    await pause(surroundings.durations.of((timings) => timings.mount));
    if (!this.at.holds(volume)) throw new Exit(EXIT.ERROR, `${volume.id} is gone`);
    if (surroundings.mountedElsewhere(volume.id, instanceId)) {
      throw new Exit(EXIT.NOT_YET, `${volume.id} is mounted elsewhere: it has to be unmounted there first`);
    }
    volume.slowProtectionMs = 0;
    this.at.onMounted(volume);
  }
}
