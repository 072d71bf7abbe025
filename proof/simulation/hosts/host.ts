import type { HostTruth } from '../aws/state';
import { Agent } from './agent';
import type { Ailment, Probed } from './health';
import { HostSoftware } from './software';

/** How long a server takes to unmount. */
const UNMOUNT_MS = 3_000;

/** One server: a machine with the host software and the agent of Systems Manager. */
export class Host extends HostSoftware implements HostTruth {
  private readonly agent = new Agent(() => this.now());
  private everInstalled = false;
  private readonly interrupted: (() => void)[] = [];

  /** The operating system came up. */
  boot(): void {
    this.life += 1;
    const now = this.now();
    this.health.boot();
    this.agent.registeredAt = now + this.at.durations.of((timings) => timings.agent);
    // User data runs at the first boot only; what it installed stays.
    this.installedAt = this.everInstalled ? now : now + this.at.durations.of((timings) => timings.install);
    this.everInstalled = true;
    if (this.slot !== undefined) void this.serveStored(this.life);
    for (const resume of this.interrupted.splice(0)) resume();
  }

  /** What the agent does when it comes back: it goes on with the commands that it had not ended. */
  onReturn(resume: () => void): void {
    this.interrupted.push(resume);
  }

  override powerOff(): void {
    this.agent.powerOff();
    super.powerOff();
  }

  /** Its software and what its agent had noted are gone, too. */
  override replaceDisk(): void {
    super.replaceDisk();
    this.everInstalled = false;
    this.interrupted.length = 0;
  }

  /**
   * A volume was taken away. What was mounted is dead from now on, also when it comes back (serve-lustre.sh,
   * require_health).
   */
  loseVolume(volumeId: string): void {
    if (!this.mounted.delete(volumeId)) return;
    this.deadMounts.add(volumeId);
    this.serving = false;
    this.health.ailment = undefined;
  }

  /**
   * The slot's interface was taken away. One that comes back is another device, which is configured when the host is
   * told again.
   */
  loseInterface(address: string): void {
    if (address !== this.address) return;
    this.serving = false;
    this.way.loseInterface();
  }

  /** Whether clients get what it serves: the host's word, and the way from it. */
  get reachesClients(): boolean {
    return this.serving && this.way.stands;
  }

  /** Whether Systems Manager knows the agent. */
  get registered(): boolean {
    return this.agent.registered;
  }

  /** Whether the agent takes commands now. */
  get reachable(): boolean {
    return this.agent.reachable;
  }

  /** Whether Systems Manager shows the agent as one that it has heard of lately. */
  get heardOf(): boolean {
    return this.agent.heardOf;
  }

  /** When Systems Manager knows the agent, and when the software is there; infinite while the machine is off. */
  get ready(): { readonly registeredAt: number; readonly installedAt: number } {
    return { registeredAt: this.agent.registeredAt, installedAt: this.installedAt };
  }

  hang(ms: number): void {
    this.hangsUntil = Math.max(this.hangsUntil, this.now() + ms);
  }

  /**
   * Its service stops by itself, and nobody is told; a start of the operating system mends it. False when it serves
   * nothing.
   */
  fallIll(ailment: Ailment): boolean {
    if (!this.serving) return false;
    this.serving = false;
    this.health.ailment = ailment;
    return true;
  }

  /** What kept its service from serving is over. */
  getWell(): void {
    if (this.health.ailment === undefined) return;
    this.health.ailment = undefined;
    this.serving = true;
  }

  /** What constructs/host/documents/sleep.sh does on a server: it serves no more, and all that was mounted is clean. */
  unmount(): Probed {
    this.serving = false;
    this.mounted.clear();
    return { said: 'unmounted all targets', exitCode: 0, ms: UNMOUNT_MS };
  }

  probe(): Probed {
    const { slot, epoch = 0, serving, isBringingUp } = this;
    return this.health.probe(slot, epoch, { serving, repairing: isBringingUp, way: this.way.probed });
  }

  recover(): void {
    this.health.tellTheTruth();
    this.failures.length = 0;
    this.hangsUntil = 0;
    this.agent.comesBack();
  }

  agentGone(ms: number): void {
    this.agent.isGoneFor(ms);
  }
}
