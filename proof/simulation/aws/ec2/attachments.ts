import { ServiceError } from '../errors';
import type { Doer } from '../observer';
import type { InstanceTruth, InterfaceTruth, VolumeAttachmentTruth, VolumeTruth } from '../state';
import type { SimulatedEc2 } from './ec2';
import { type Sticking, Stuck } from './sticking';

const NOTHING = (): void => undefined;

/**
 * Volumes and interfaces on instances.
 *
 * Which states attach and detach take, and the codes of refusals: Amazon EC2 API reference, AttachVolume, DetachVolume,
 * AttachNetworkInterface, DetachNetworkInterface and "Error codes for the Amazon EC2 API"
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html).
 */
export class Attachments {
  /** Whether a host has the volume mounted, so that an orderly detach waits ("busy"). Set by the hosts. */
  isMounted: (volumeId: string, instanceId: string) => boolean = () => false;
  private readonly stuck: Stuck;

  constructor(private readonly ec2: SimulatedEc2) {
    this.stuck = new Stuck(
      () => ec2.now(),
      (ms, what) => this.later(ms, what),
    );
  }

  /** AttachVolume. */
  attachVolume(volumeId: string, instanceId: string, device: string, by: Doer): void {
    const volume = this.volume(volumeId);
    const instance = this.instance(instanceId);
    if (!['running', 'stopped', 'stopping'].includes(instance.state)) {
      throw new ServiceError('IncorrectState', `Instance '${instanceId}' is not 'running'.`);
    }
    if (instance.zone !== volume.zone) {
      const message = `The volume '${volumeId}' is not in the same availability zone as instance '${instanceId}'`;
      throw new ServiceError('InvalidVolume.ZoneMismatch', message);
    }
    if (volume.attachments.length > 0) {
      throw new ServiceError('VolumeInUse', `${volumeId} is already attached to an instance`);
    }
    if (!/^\/dev\/(sd|xvd)[a-z][a-z]?\d*$/.test(device)) {
      throw new ServiceError(
        'InvalidParameterValue',
        `Value (${device}) for parameter device is invalid. ${device} is not a valid EBS device name.`,
      );
    }
    for (const other of this.ec2.volumes.values()) {
      if (other.attachments.some((each) => each.instanceId === instanceId && each.device === device)) {
        const message = `Invalid value '${device}' for unixDevice. Attachment point ${device} is already in use`;
        throw new ServiceError('InvalidParameterValue', message);
      }
    }
    const now = this.ec2.now();
    volume.attachments = [{ instanceId, device, state: 'attaching', since: now }];
    volume.state = 'in-use';
    this.ec2.noteVolume(volume);
    this.ec2.context.observer.onAttach?.(volumeId, instanceId, by);
    this.finishAttaching(volume, volume.attachments[0]!);
  }

  /** DetachVolume. Without force EC2 waits for the operating system to let go (EBS user guide, "Detach a volume"). */
  detachVolume(volumeId: string, instanceId: string | undefined, force: boolean, by: Doer): void {
    const volume = this.volume(volumeId);
    const attachment = volume.attachments.find(
      (each) => instanceId === undefined || each.instanceId === instanceId,
    );
    if (attachment === undefined) {
      if (volume.attachments.length === 0) {
        throw new ServiceError('IncorrectState', `Volume '${volumeId}' is in the 'available' state.`);
      }
      const message = `The volume '${volumeId}' is not attached to instance '${instanceId}'`;
      throw new ServiceError('InvalidAttachment.NotFound', message);
    }
    const holder = this.ec2.instances.get(attachment.instanceId);
    if (!force && holder !== undefined && ['pending', 'shutting-down'].includes(holder.state)) {
      throw new ServiceError(
        'IncorrectInstanceState',
        `Unable to detach volume '${volumeId}' from instance '${attachment.instanceId}'. ` +
          'The instance is not in a state in which volumes can be detached.',
      );
    }
    if (attachment.state === 'detaching' && !force) {
      throw new ServiceError('IncorrectState', `Volume '${volumeId}' is in the 'detaching' state.`);
    }
    const busy = !force && this.isMounted(volumeId, attachment.instanceId);
    attachment.state = busy ? 'busy' : 'detaching';
    attachment.since = this.ec2.now();
    this.ec2.noteVolume(volume);
    if (!busy) this.finishDetaching(volume, attachment, by);
  }

  /** AttachNetworkInterface: hot (running) or warm (stopped), EC2 user guide, "Attach a network interface". */
  attachInterface(interfaceId: string, instanceId: string, by: Doer): string {
    const networkInterface = this.networkInterface(interfaceId);
    const instance = this.instance(instanceId);
    if (networkInterface.attachment !== undefined) {
      throw new ServiceError('InvalidNetworkInterface.InUse', `Interface: [${interfaceId}] in use.`);
    }
    if (instance.state !== 'running' && instance.state !== 'stopped') {
      throw new ServiceError('IncorrectState', `Instance '${instanceId}' is not 'running' or 'stopped'.`);
    }
    if (networkInterface.zone !== instance.zone) {
      throw new ServiceError(
        'InvalidParameterCombination',
        'You may not attach a network interface to an instance if they are not in the same availability zone',
      );
    }
    for (const other of this.ec2.interfaces.values()) {
      if (other.attachment?.instanceId === instanceId) {
        const message = `Instance '${instanceId}' already has an interface attached at device index '1'.`;
        throw new ServiceError('InvalidParameterValue', message);
      }
    }
    const id = this.ec2.ids.next('eni-attach');
    networkInterface.attachment = { id, instanceId, state: 'attaching', since: this.ec2.now() };
    networkInterface.status = 'in-use';
    this.ec2.noteInterface(networkInterface);
    this.ec2.context.observer.onAttach?.(interfaceId, instanceId, by);
    this.later(
      this.ec2.durations.of((timings) => timings.attach),
      () =>
        this.stuck.after(interfaceId, ['attaching'], NOTHING, () => {
          const { attachment } = networkInterface;
          if (attachment?.id !== id || attachment.state !== 'attaching') return;
          attachment.state = 'attached';
          this.ec2.noteInterface(networkInterface);
        }),
    );
    return id;
  }

  /** DetachNetworkInterface. */
  detachInterface(attachmentId: string, by: Doer): void {
    for (const networkInterface of this.ec2.interfaces.values()) {
      const { attachment } = networkInterface;
      if (attachment?.id !== attachmentId) continue;
      if (attachment.state === 'detaching') {
        throw new ServiceError('IncorrectState', `The attachment '${attachmentId}' is detaching.`);
      }
      attachment.state = 'detaching';
      attachment.since = this.ec2.now();
      this.ec2.noteInterface(networkInterface);
      const ms = this.ec2.durations.of((timings) => timings.detach);
      this.freeInterfaceAfter(ms, networkInterface, attachment, ['detaching'], by);
      return;
    }
    throw new ServiceError(
      'InvalidAttachmentID.NotFound',
      `The interface attachment '${attachmentId}' does not exist.`,
    );
  }

  /** CreateTags on volumes; all or none. */
  tag(volumeIds: readonly string[], tags: { [key: string]: string }): void {
    const volumes = volumeIds.map((id) => this.volume(id));
    for (const volume of volumes) {
      volume.tags = { ...volume.tags, ...tags };
      this.ec2.noteVolume(volume);
    }
  }

  /** What a terminated instance held becomes free, a little later and one by one. */
  release(instanceId: string): void {
    for (const volume of this.ec2.volumes.values()) {
      const held = volume.attachments[0];
      if (held?.instanceId !== instanceId) continue;
      this.later(
        this.ec2.durations.of((timings) => timings.release),
        () =>
          this.afterSticking(volume, held, ['detaching', 'attached'], () =>
            this.freeVolume(volume, held, 'ec2'),
          ),
      );
    }
    for (const networkInterface of this.ec2.interfaces.values()) {
      const { attachment } = networkInterface;
      if (attachment?.instanceId !== instanceId) continue;
      const ms = this.ec2.durations.of((timings) => timings.release);
      this.freeInterfaceAfter(ms, networkInterface, attachment, ['detaching', 'attached'], 'ec2');
    }
  }

  /** An instance stopped: its operating system has let go of what somebody wants to have off. */
  letGo(instanceId: string): void {
    for (const volume of this.ec2.volumes.values()) {
      const attachment = volume.attachments[0];
      if (attachment?.instanceId !== instanceId || attachment.state !== 'busy') continue;
      attachment.state = 'detaching';
      this.ec2.noteVolume(volume);
      this.finishDetaching(volume, attachment, 'ec2');
    }
  }

  /** The next change of the volume or interface, or the one under way, takes so long. */
  stick(id: string, state: Sticking, ms: number): void {
    this.stuck.stick(id, state, ms);
  }

  private finishAttaching(volume: VolumeTruth, attachment: VolumeAttachmentTruth): void {
    this.later(
      this.ec2.durations.of((timings) => timings.attach),
      () =>
        this.afterSticking(volume, attachment, ['attaching'], () => {
          if (volume.attachments[0] !== attachment || attachment.state !== 'attaching') return;
          attachment.state = 'attached';
          this.ec2.noteVolume(volume);
        }),
    );
  }

  private finishDetaching(volume: VolumeTruth, attachment: VolumeAttachmentTruth, by: Doer): void {
    this.later(
      this.ec2.durations.of((timings) => timings.detach),
      () =>
        this.afterSticking(volume, attachment, ['detaching'], () => this.freeVolume(volume, attachment, by)),
    );
  }

  /** A volume that sticks shows it. */
  private afterSticking(
    volume: VolumeTruth,
    attachment: VolumeAttachmentTruth,
    states: readonly Sticking[],
    what: () => void,
  ): void {
    if (volume.attachments[0] !== attachment) {
      what();
      return;
    }
    const enter = (state: Sticking): void => {
      if (attachment.state === state) return;
      attachment.state = state;
      this.ec2.noteVolume(volume);
    };
    this.stuck.after(volume.id, states, enter, what);
  }

  private freeInterfaceAfter(
    ms: number,
    networkInterface: InterfaceTruth,
    { id }: { readonly id: string },
    states: readonly Sticking[],
    by: Doer,
  ): void {
    const enter = (state: Sticking): void => {
      const { attachment } = networkInterface;
      if (attachment?.id !== id || attachment.state === state) return;
      attachment.state = state;
      this.ec2.noteInterface(networkInterface);
    };
    this.later(ms, () =>
      this.stuck.after(networkInterface.id, states, enter, () =>
        this.freeInterface(networkInterface, id, by),
      ),
    );
  }

  private freeVolume(volume: VolumeTruth, attachment: VolumeAttachmentTruth, by: Doer): void {
    if (volume.attachments[0] !== attachment) return;
    volume.attachments = [];
    volume.state = 'available';
    this.ec2.noteVolume(volume);
    for (const listener of this.ec2.listeners) listener.onVolumeGone(volume.id, attachment.instanceId);
    this.ec2.context.observer.onDetach?.(volume.id, attachment.instanceId, by);
  }

  private freeInterface(networkInterface: InterfaceTruth, attachmentId: string, by: Doer): void {
    const { attachment } = networkInterface;
    if (attachment?.id !== attachmentId) return;
    networkInterface.attachment = undefined;
    networkInterface.status = 'available';
    this.ec2.noteInterface(networkInterface);
    for (const listener of this.ec2.listeners)
      listener.onInterfaceGone?.(networkInterface.address, attachment.instanceId);
    this.ec2.context.observer.onDetach?.(networkInterface.id, attachment.instanceId, by);
  }

  private later(ms: number, what: () => void): void {
    this.ec2.context.scheduler.after(ms, what, 'attachment');
  }

  private volume(id: string): VolumeTruth {
    const volume = this.ec2.volumes.get(id);
    if (volume === undefined)
      throw new ServiceError('InvalidVolume.NotFound', `The volume '${id}' does not exist.`);
    return volume;
  }

  private networkInterface(id: string): InterfaceTruth {
    const found = this.ec2.interfaces.get(id);
    if (found !== undefined) return found;
    throw new ServiceError(
      'InvalidNetworkInterfaceID.NotFound',
      `The networkInterface ID '${id}' does not exist`,
    );
  }

  private instance(id: string): InstanceTruth {
    const instance = this.ec2.instances.get(id);
    if (instance !== undefined) return instance;
    throw new ServiceError('InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`);
  }
}
