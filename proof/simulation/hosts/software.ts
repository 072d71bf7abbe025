import { createHash } from 'node:crypto';
import type { Served, VolumeTruth } from '../aws/state';
import { BringUp } from './bring-up';
import { Health } from './health';
import { EXIT, Exit, PowerLost, type ServeOrder, type Surroundings } from './program';
import { Targets } from './targets';
import { requireUsage, requireVolumes } from './usage';
import { Way } from './way';

/**
 * How long sas-grid-serve waits for the installation (SAS_GRID_INSTALL_WAIT), its devices (SAS_GRID_WAIT) and another
 * call (flock).
 */
const INSTALLATION_WAIT_MS = 120_000;
const DEVICES_WAIT_MS = 45_000;
const LOCK_WAIT_MS = 5_000;
const LOOK_MS = 1_000;

/** How long a call waits for a repair that it has begun (SAS_GRID_REPAIR_SECONDS). */
const REPAIR_WAIT_MS = 30_000;

/** How long a call waits that finds a repair or a mount at work (SAS_GRID_SERVE_SECONDS). */
const WORK_WAIT_MS = 400_000;

/** How often a host that came up again tries to serve what it was told last (SAS_GRID_POLL), and how long. */
const STORED_POLL_MS = 10_000;
const STORED_WAIT_MS = 86_400_000;

/**
 * The host software on a server: what constructs/host/bin/sas-grid-serve, lib/slot.sh and lib/serve-lustre.sh do with a
 * slot. What lies under /etc/sas-grid (slot.env, formatting/) survives a reboot, but not a new root volume; mounts
 * survive neither.
 */
export class HostSoftware {
  slot?: string;
  epoch?: number;
  readonly mounted = new Set<string>();
  readonly deadMounts = new Set<string>();
  serving = false;
  /** Exit codes with which the next calls end. */
  readonly failures: number[] = [];
  readonly health: Health;
  readonly way: Way;
  protected address = '';
  protected volumes: readonly string[] = [];
  protected hangsUntil = 0;
  /** When the software is there; infinite until the machine comes up. */
  protected installedAt = Number.POSITIVE_INFINITY;
  /** Counts the times it came up: what an earlier life waited for does not go on. */
  protected life = 0;
  protected readonly bringUp: BringUp;
  private readonly targets: Targets;
  /** Volumes whose damage e2fsck -p left to a person, and when; /run forgets it when the machine goes down. */
  private readonly left = new Map<string, number>();
  private locked = false;
  /** Told what ends programs before their time. */
  private readonly killers = new Set<() => void>();

  constructor(
    readonly instanceId: string,
    protected readonly at: Surroundings,
  ) {
    this.health = new Health(() => this.now());
    this.way = new Way(() => this.now());
    this.targets = new Targets({ instanceId, surroundings: at, holds: (volume) => this.holds(volume) });
    this.bringUp = new BringUp({
      instanceId,
      surroundings: at,
      holds: (volume) => this.holds(volume),
      isLeft: (volume) => this.left.has(volume.id),
      onLeft: (volume) => {
        this.left.set(volume.id, this.now());
        at.context.observer.onDamage?.(volume.id, instanceId);
      },
      onMounted: (volume) => this.noteMounted(volume),
    });
  }

  /** The machine is off: what ran is gone, what lies on disks stays. */
  powerOff(): void {
    this.life += 1;
    this.mounted.clear();
    this.deadMounts.clear();
    this.serving = false;
    this.health.ailment = undefined;
    this.way.powerOff();
    this.locked = false;
    this.bringUp.powerOff();
    this.left.clear();
    for (const kill of [...this.killers]) kill();
    this.killers.clear();
  }

  /** Its disk is another one, as the image has it: what it was told and its marks are gone. */
  replaceDisk(): void {
    this.slot = undefined;
    this.epoch = undefined;
    this.address = '';
    this.volumes = [];
    this.targets.replaceDisk();
    this.way.replaceDisk();
  }

  /** Whether e2fsck is at work. */
  get isRepairing(): boolean {
    return this.bringUp.isRepairing;
  }

  /** Whether e2fsck or a mount is at work. */
  get isBringingUp(): boolean {
    return this.bringUp.atWork;
  }

  /**
   * Runs the program.
   *
   * @param limitMs after this it is killed, and the answer is undefined
   * @returns never, when the machine goes down first
   */
  run(order: ServeOrder, limitMs: number): Promise<Served | undefined> {
    const life = this.life;
    return new Promise((resolve) => {
      let over = false;
      const end = (served: Served | undefined): void => {
        if (over) return;
        over = true;
        cancel();
        this.killers.delete(kill);
        resolve(served);
      };
      const kill = (): void => {
        over = true;
        cancel();
      };
      const program = { killed: false, holds: false };
      const cancel = this.at.context.scheduler.after(
        limitMs,
        () => {
          program.killed = true;
          if (program.holds) this.locked = false;
          end(undefined);
        },
        'command time-out',
      );
      this.killers.add(kill);
      this.serveLocked(order, life, program).then(end, (error) => {
        if (!(error instanceof PowerLost)) this.at.context.scheduler.fail(error as Error);
      });
    });
  }

  private async serveLocked(
    order: ServeOrder,
    life: number,
    program: { killed: boolean; holds: boolean },
  ): Promise<Served> {
    const pause = async (ms: number): Promise<void> => {
      await this.at.context.scheduler.sleep(ms);
      if (life !== this.life || program.killed) throw new PowerLost();
    };
    try {
      requireUsage(order);
      const begun = this.now();
      // What goes on without its call keeps the lock.
      while (this.locked || this.isBringingUp) {
        const waited = this.now() - begun;
        if (waited >= LOCK_WAIT_MS && !this.isBringingUp)
          throw new Exit(EXIT.NOT_YET, 'another call is still at work');
        if (waited >= LOCK_WAIT_MS + WORK_WAIT_MS) throw new Exit(EXIT.NOT_YET, this.bringUp.told);
        await pause(LOOK_MS);
      }
      this.locked = true;
      program.holds = true;
      try {
        await this.serve(order, pause);
      } catch (error) {
        if (!(error instanceof Exit) || error.code !== EXIT.ERROR || this.left.size === 0) throw error;
        await this.repairLeft(order, pause);
        await this.serve(order, pause);
      }
      return { exitCode: EXIT.SERVED, said: `served: ${order.slot}, epoch ${order.epoch}` };
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
      return { exitCode: error.code, said: error.message };
    } finally {
      if (program.holds && !program.killed && life === this.life) this.locked = false;
    }
  }

  /** serve() of sas-grid-serve. */
  private async serve(order: ServeOrder, pause: (ms: number) => Promise<void>): Promise<void> {
    if (this.slot !== undefined && this.slot !== order.slot) {
      throw new Exit(EXIT.OLD_EPOCH, `refused: this host serves slot ${this.slot}, not ${order.slot}`);
    }
    if ((this.epoch ?? 0) > order.epoch) {
      throw new Exit(EXIT.OLD_EPOCH, `refused: epoch ${order.epoch} is older than ${this.epoch}`);
    }
    this.slot = order.slot;
    this.epoch = order.epoch;
    this.address = order.address;
    this.volumes = order.volumes;
    while (this.now() < this.hangsUntil) await pause(Math.min(LOOK_MS * 10, this.hangsUntil - this.now()));
    const failure = this.failures.shift() ?? this.at.failures.shift();
    if (failure !== undefined) throw new Exit(failure, 'as told by the simulation');
    const installed = this.now() + INSTALLATION_WAIT_MS;
    while (this.now() < this.installedAt) {
      if (this.now() >= installed) throw new Exit(EXIT.NOT_YET, 'the software is still being installed');
      await pause(LOOK_MS);
    }
    requireVolumes(order, this.at.volumesPerSlot);
    const patience = this.now() + DEVICES_WAIT_MS;
    while (!this.allThere(order)) {
      if (this.now() >= patience) throw new Exit(EXIT.NOT_YET, 'a volume or the interface is not there yet');
      await pause(LOOK_MS);
    }
    if (!this.way.setUp(order.address)) throw new Exit(EXIT.NOT_YET, 'answers do not leave by eth1 yet');
    const begun = [];
    for (const volumeId of order.volumes) {
      if (this.deadMounts.has(volumeId)) {
        throw new Exit(
          EXIT.ERROR,
          `${volumeId} is mounted, but dead: this server has to be replaced, terminate it`,
        );
      }
      if (this.mounted.has(volumeId)) continue;
      const volume = this.at.ec2.volumes.get(volumeId)!;
      await this.targets.prepare(order, volume, pause);
      begun.push(this.bringUp.begin(volume));
    }
    await this.bringUp.attend(begun, pause);
    if (this.health.ailment !== undefined) throw new Exit(EXIT.ERROR, 'the service does not come up');
    this.serving = true;
    this.at.context.observer.onServe?.(this);
  }

  /** What the document's program does after sas-grid-serve (serve.sh): it ends, or has repaired. */
  private async repairLeft(order: ServeOrder, pause: (ms: number) => Promise<void>): Promise<void> {
    if (this.isBringingUp) throw new Exit(EXIT.NOT_YET, this.bringUp.told);
    const words = [this.instanceId, this.life, order.slot, order.epoch, ...[...this.left].flat()].join();
    const finding = createHash('sha256').update(words).digest('hex').slice(0, 16);
    const { finding: permitted, snapshotIds = [] } = order.repair ?? {};
    if (permitted !== finding || snapshotIds.length !== order.volumes.length)
      throw new Exit(
        EXIT.AFTER_SNAPSHOT,
        `it may be repaired once a snapshot is completed; finding ${finding}`,
      );
    for (const id of this.left.keys()) {
      const volume = this.at.ec2.volumes.get(id)!;
      const { slot, epoch, volumes } = order;
      this.at.context.observer.onRepair?.(id, this.instanceId, { slot, epoch, volumes, snapshotIds });
      this.bringUp.beside(volume, volume.orphansMs, () => {
        if (!this.holds(volume)) return;
        volume.orphansMs = 0;
        this.left.delete(id);
      });
    }
    const patience = this.now() + REPAIR_WAIT_MS;
    while (this.isBringingUp && this.now() < patience) await pause(LOOK_MS);
    if (this.isBringingUp) throw new Exit(EXIT.NOT_YET, this.bringUp.told);
  }

  private noteMounted(volume: VolumeTruth): void {
    this.mounted.add(volume.id);
    volume.mounts += 1;
    volume.lastMountedBy = this.instanceId;
    this.at.context.observer.onMount?.(volume.id, this.instanceId);
  }

  private holds(volume: VolumeTruth | undefined): boolean {
    const attachment = volume?.attachments[0];
    return attachment?.instanceId === this.instanceId && attachment.state !== 'attaching';
  }

  private allThere(order: ServeOrder): boolean {
    const { ec2 } = this.at;
    if (!order.volumes.every((id) => this.holds(ec2.volumes.get(id)))) return false;
    for (const { address, attachment } of ec2.interfaces.values()) {
      if (address === order.address) {
        return attachment?.instanceId === this.instanceId && attachment.state === 'attached';
      }
    }
    return false;
  }

  /** serve_stored(): after a reboot it serves what it was told last, and never formats. */
  protected async serveStored(life: number): Promise<void> {
    const end = this.now() + STORED_WAIT_MS;
    while (this.life === life && this.now() < end) {
      const order = { slot: this.slot!, epoch: this.epoch!, address: this.address, volumes: this.volumes };
      const served = await this.run({ ...order, mayFormat: false }, Number.MAX_SAFE_INTEGER / 4);
      if (served?.exitCode !== EXIT.NOT_YET && served?.exitCode !== EXIT.ERROR) return;
      await this.at.context.scheduler.sleep(STORED_POLL_MS);
    }
  }

  protected now(): number {
    return this.at.context.scheduler.now();
  }
}
