import { type Context, Durations, Ids } from '../context';
import type { InstanceState, InstanceTruth, InterfaceTruth, VolumeTruth } from '../state';
import type { Timings } from '../timings';
import { Versions } from '../versions';
import { Attachments } from './attachments';
import { detachByHand, detachInterfaceByHand, holdsSomething } from './by-hand';
import { Capacity } from './capacity';
import { Snapshots } from './snapshots';
import type { Sticking } from './sticking';
import {
  type InstanceView,
  type InterfaceView,
  instanceView,
  interfaceView,
  userInitiated,
  type VolumeView,
  volumeView,
} from './views';

/** How often it is looked whether a terminated instance that is to be shown no more holds something yet. */
const FORGET_LOOK_MS = 60_000;

const BOOT = ({ boot }: Timings) => boot;

/** Told of changes by EC2; the other services and the hosts learn from it what happens to instances. */
export interface Ec2Listener {
  onInstance(instance: InstanceTruth): void;
  /** The volume is free, or not attached any more. */
  onVolumeGone(volumeId: string, instanceId: string): void;
  /** The same of an interface. */
  onInterfaceGone?(address: string, instanceId: string): void;
}

/**
 * EC2 and EBS as far as a tier of servers needs them.
 *
 * States of an instance: EC2 user guide, "Instance lifecycle"
 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-lifecycle.html).
 */
export class SimulatedEc2 {
  readonly instances = new Map<string, InstanceTruth>();
  readonly volumes = new Map<string, VolumeTruth>();
  readonly interfaces = new Map<string, InterfaceTruth>();
  readonly attachments: Attachments;
  readonly snapshots: Snapshots;
  readonly durations: Durations;
  private readonly ends: Durations;
  readonly ids = new Ids();
  readonly instanceViews: Versions<InstanceView>;
  readonly volumeViews: Versions<VolumeView>;
  readonly interfaceViews: Versions<InterfaceView>;
  readonly listeners: Ec2Listener[] = [];
  readonly capacity = new Capacity();
  /** How much longer an instance takes to shut down. */
  private readonly hanging = new Map<string, number>();
  /** Ends what an instance is about to become, when something else comes first. */
  private readonly transitions = new Map<string, { readonly due: number; readonly cancel: () => void }>();

  constructor(readonly context: Context) {
    const now = () => context.scheduler.now();
    this.instanceViews = new Versions(now);
    this.volumeViews = new Versions(now);
    this.interfaceViews = new Versions(now);
    this.durations = new Durations(context, 'ec2');
    this.ends = new Durations(context, 'ends');
    this.attachments = new Attachments(this);
    this.snapshots = new Snapshots(this);
  }

  now(): number {
    return this.context.scheduler.now();
  }

  /** A blank volume; `snapshotId` makes it one that holds data. */
  createVolume(slot: string, zone: string, tags: { [key: string]: string }, snapshotId = ''): VolumeTruth {
    const volume: VolumeTruth = {
      id: this.ids.next('vol'),
      slot,
      zone,
      state: 'available',
      attachments: [],
      tags,
      snapshotId,
      content: snapshotId === '' ? 'blank' : 'target',
      contentOf: snapshotId === '' ? undefined : slot,
      formats: 0,
      formatsBegun: 0,
      mounts: 0,
      repairMs: 0,
      orphansMs: 0,
      failingSnapshots: 0,
      slowProtectionMs: 0,
    };
    this.volumes.set(volume.id, volume);
    this.noteVolume(volume);
    return volume;
  }

  createInterface(
    slot: string,
    zone: string,
    address: string,
    tags: { [key: string]: string },
  ): InterfaceTruth {
    const id = this.ids.next('eni');
    const networkInterface: InterfaceTruth = { id, slot, zone, address, status: 'available' };
    this.interfaces.set(id, networkInterface);
    this.interfaceTags.set(id, tags);
    this.noteInterface(networkInterface);
    return networkInterface;
  }

  /** Interfaces go with the stack that made them; one that is in use is refused. */
  deleteInterface(id: string): boolean {
    const networkInterface = this.interfaces.get(id);
    if (networkInterface === undefined || networkInterface.attachment !== undefined) return false;
    networkInterface.status = 'deleted';
    this.interfaces.delete(id);
    this.interfaceViews.note(id, undefined);
    return true;
  }

  /**
   * Starts an instance; undefined when there is no capacity (EC2 user guide, "Insufficient instance capacity").
   *
   * @param choice which of those it is that the launch tries
   */
  launch(
    zone: string,
    tags: { [key: string]: string },
    type = 'm6in.2xlarge',
    choice = 0,
  ): InstanceTruth | undefined {
    if (!this.capacity.has(this.now(), choice)) return undefined;
    const id = this.ids.next('i');
    const now = this.now();
    const instance: InstanceTruth = {
      id,
      zone,
      type,
      launchedAt: now,
      state: 'pending',
      stateSince: now,
      transitionReason: '',
      tags,
      impaired: false,
    };
    this.instances.set(id, instance);
    this.enter(instance, 'pending');
    this.later(instance, 'running', this.durations.of(BOOT));
    return instance;
  }

  /** All instances were launched so much earlier (milliseconds). */
  growOld(ms: number): void {
    for (const instance of this.instances.values()) {
      instance.launchedAt -= ms;
      this.instanceViews.note(instance.id, instanceView(instance));
    }
  }

  /** TerminateInstances, by whomever; `reason` when EC2 does it for a cause of its own, of which it names no time. */
  terminate(id: string, reason = userInitiated(this.now())): void {
    const instance = this.known(id);
    if (instance.state === 'terminated' || instance.state === 'shutting-down') return;
    instance.transitionReason = reason;
    // What hangs while it is stopped goes on hanging.
    const stopped = instance.state === 'stopping' ? (this.transitions.get(id)?.due ?? 0) - this.now() : 0;
    this.enter(instance, 'shutting-down');
    const ms = this.durations.of((timings) => timings.shutdown) + this.hangs(id);
    this.later(instance, 'terminated', Math.max(ms, stopped));
  }

  /** StopInstances, by hand: nothing of the project stops instances. */
  stop(id: string): boolean {
    const instance = this.known(id);
    if (instance.state !== 'running') return false;
    instance.transitionReason = userInitiated(this.now());
    this.enter(instance, 'stopping');
    const ms = this.durations.of((timings) => timings.shutdown) + this.hangs(id);
    this.later(instance, 'stopped', ms);
    return true;
  }

  /** StartInstances, by hand. */
  start(id: string): boolean {
    const instance = this.known(id);
    if (instance.state !== 'stopped') return false;
    instance.transitionReason = '';
    this.enter(instance, 'pending');
    this.later(instance, 'running', this.durations.of(BOOT));
    return true;
  }

  /**
   * The instance takes longer to shut down or to stop, also when it is shutting down already. It may write until it has
   * ended.
   */
  hangGoingDown(id: string, ms: number): void {
    const instance = this.known(id);
    const under = this.transitions.get(id);
    if (instance.state === 'shutting-down' && under !== undefined)
      this.later(instance, 'terminated', under.due - this.now() + ms);
    else this.hanging.set(id, (this.hanging.get(id) ?? 0) + ms);
  }

  /** How much longer it takes to go down, this once. */
  private hangs(id: string): number {
    const ms = this.hanging.get(id) ?? 0;
    this.hanging.delete(id);
    return ms;
  }

  /** Its status checks fail from now on: Auto Scaling will see that it is unhealthy. It goes on writing. */
  failStatusCheck(id: string): void {
    const instance = this.known(id);
    if (instance.impaired) return;
    instance.impaired = true;
    for (const listener of this.listeners) listener.onInstance(instance);
  }

  /**
   * AWS has mended what its checks complained of: the instance is the same, with its id, volumes and addresses. False
   * when it has gone.
   */
  mend(id: string): boolean {
    const instance = this.known(id);
    if (!instance.impaired || instance.state !== 'running') return false;
    instance.impaired = false;
    return true;
  }

  /** No instance can be launched for so long. */
  noCapacity(ms: number): void {
    this.capacity.gone(this.now() + ms);
  }

  /** The next attachment of the volume or interface, or the one under way, stays in this state so long. */
  stickAttachment(id: string, state: Sticking, ms: number): void {
    this.attachments.stick(id, state, ms);
  }

  /** A volume is taken away by hand, by force unless said otherwise. */
  detachByHand(volumeId: string, force = true): boolean {
    return detachByHand(this, volumeId, force);
  }

  /** An interface is taken away by hand. */
  detachInterfaceByHand(interfaceId: string): boolean {
    return detachInterfaceByHand(this, interfaceId);
  }

  /** Shows the volume as it is now. */
  noteVolume(volume: VolumeTruth): void {
    this.volumeViews.note(volume.id, volumeView(volume));
  }

  noteInterface(networkInterface: InterfaceTruth): void {
    const tags = this.interfaceTags.get(networkInterface.id)!;
    this.interfaceViews.note(networkInterface.id, interfaceView(networkInterface, tags));
  }

  /** Tags "are gradually disassociated from the instance": from now on no filter finds it by them. */
  private loseTags(instance: InstanceTruth): void {
    this.instanceViews.note(instance.id, instanceView({ ...instance, tags: {} }));
  }

  private forget(id: string): void {
    if (holdsSomething(this, id))
      this.context.scheduler.after(FORGET_LOOK_MS, () => this.forget(id), 'forget');
    else this.instanceViews.forget(id);
  }

  private readonly interfaceTags = new Map<string, { [key: string]: string }>();

  private known(id: string): InstanceTruth {
    const instance = this.instances.get(id);
    if (instance === undefined) throw new Error(`there is no instance ${id}`);
    return instance;
  }

  /** The instance becomes this after a while, and nothing else that it was about to become. */
  private later(instance: InstanceTruth, state: InstanceState, ms: number): void {
    const due = this.now() + ms;
    const cancel = this.context.scheduler.after(
      ms,
      () => this.enter(instance, state),
      `${instance.id} ${state}`,
    );
    this.transitions.get(instance.id)?.cancel();
    this.transitions.set(instance.id, { due, cancel });
  }

  private enter(instance: InstanceTruth, state: InstanceState): void {
    this.transitions.get(instance.id)?.cancel();
    this.transitions.delete(instance.id);
    instance.state = state;
    instance.stateSince = this.now();
    this.instanceViews.note(instance.id, instanceView(instance));
    if (state === 'terminated') {
      this.attachments.release(instance.id);
      const tags = this.ends.of((timings) => timings.tagsKept);
      const shown = this.ends.of((timings) => timings.terminatedShown);
      this.context.scheduler.after(Math.min(tags, shown), () => this.loseTags(instance), 'tags');
      this.context.scheduler.after(shown, () => this.forget(instance.id), 'forget');
    }
    this.context.observer.onInstance?.(instance.id, state);
    for (const listener of this.listeners) listener.onInstance(instance);
  }
}
