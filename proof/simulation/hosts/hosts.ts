import { mayWrite } from '../../kit/invariants/instance-states';
import { type Context, Durations } from '../aws/context';
import type { Ec2Listener, SimulatedEc2 } from '../aws/ec2/ec2';
import type { InstanceTruth } from '../aws/state';
import { Host } from './host';
import type { Surroundings } from './program';

/** The servers of a tier. A host comes with its instance and follows its state. */
export class Hosts implements Ec2Listener {
  /** Every host there ever was, by instance. */
  readonly all = new Map<string, Host>();
  private readonly surroundings: Surroundings;

  constructor(
    context: Context,
    private readonly ec2: SimulatedEc2,
    volumesPerSlot: number,
  ) {
    this.surroundings = {
      context,
      ec2,
      durations: new Durations(context, 'hosts'),
      volumesPerSlot,
      failures: [],
      mountedElsewhere: (volumeId, instanceId) =>
        this.writersOf(volumeId).some((writer) => writer !== instanceId),
    };
    ec2.listeners.push(this);
    ec2.attachments.volumes.isMounted = (volumeId, instanceId) =>
      this.all.get(instanceId)?.mounted.has(volumeId) === true;
  }

  onInstance(instance: InstanceTruth): void {
    let host = this.all.get(instance.id);
    if (host === undefined) {
      host = new Host(instance.id, this.surroundings);
      this.all.set(instance.id, host);
    }
    // A failed status check is no change of state.
    if (instance.stateSince !== this.ec2.now()) return;
    if (instance.state === 'running' && !this.up.has(instance.id)) {
      this.up.add(instance.id);
      host.boot();
    }
    if (!mayWrite(instance.state)) {
      this.up.delete(instance.id);
      host.powerOff();
      this.ec2.attachments.volumes.letGo(instance.id);
    }
  }

  onVolumeGone(volumeId: string, instanceId: string): void {
    this.all.get(instanceId)?.loseVolume(volumeId);
  }

  onInterfaceGone(address: string, instanceId: string): void {
    this.all.get(instanceId)?.loseInterface(address);
  }

  /**
   * The instances that can write to the volume: it is mounted there, and nothing is on a machine that is off.
   */
  writersOf(volumeId: string): string[] {
    const writers: string[] = [];
    for (const host of this.all.values()) if (host.mounted.has(volumeId)) writers.push(host.instanceId);
    return writers;
  }

  /** The program's next calls end with this code: on this host, or on whichever hosts are told next. */
  fail(instanceId: string | undefined, exitCode: number, times: number): void {
    const failures =
      instanceId === undefined ? this.surroundings.failures : this.all.get(instanceId)?.failures;
    for (let count = 0; count < times; count++) failures?.push(exitCode);
  }

  /** Drops all failures that are still to come, and wakes what hangs or is silent. */
  noMoreFailures(): void {
    this.surroundings.failures.length = 0;
    for (const host of this.all.values()) host.recover();
  }

  /** The program's calls on this host do not get anywhere for so long. */
  hang(instanceId: string, ms: number): void {
    this.all.get(instanceId)?.hang(ms);
  }

  /** The agent takes no commands for so long. */
  agentGone(instanceId: string, ms: number): void {
    this.all.get(instanceId)?.agentGone(ms);
  }

  /** All hosts came up long ago: their probes are in no doubt. */
  growOld(): void {
    for (const host of this.all.values()) host.health.growOld();
  }

  /** The operating system restarts; the instance goes on running (EC2 user guide, "Reboot your instance"). */
  reboot(instanceId: string): boolean {
    return this.startAnew(instanceId, () => undefined);
  }

  /**
   * The instance goes on running with all that is attached to it, and starts from a root volume as its image has it
   * (EC2 user guide, "Replace the root volume").
   */
  replaceRootVolume(instanceId: string): boolean {
    return this.startAnew(instanceId, (host) => host.replaceDisk());
  }

  private startAnew(instanceId: string, whileOff: (host: Host) => void): boolean {
    const host = this.all.get(instanceId);
    if (host === undefined || this.ec2.instances.get(instanceId)?.state !== 'running') return false;
    host.powerOff();
    whileOff(host);
    host.boot();
    return true;
  }

  private readonly up = new Set<string>();
}
