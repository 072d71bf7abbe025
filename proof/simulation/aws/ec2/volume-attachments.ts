import { ServiceError } from '../errors';
import type { Doer } from '../observer';
import type { VolumeAttachmentTruth, VolumeTruth } from '../state';
import type { SimulatedEc2 } from './ec2';
import { instanceOf, volumeOf } from './found';
import type { Sticking, Stuck } from './sticking';

/**
 * Volumes on instances.
 *
 * Which states attach and detach take, and the codes of refusals: Amazon EC2 API reference, AttachVolume, DetachVolume
 * and "Error codes for the Amazon EC2 API"
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html).
 */
export class VolumeAttachments {
  /** Whether a host has the volume mounted, so that an orderly detach waits ("busy"). Set by the hosts. */
  isMounted: (volumeId: string, instanceId: string) => boolean = () => false;

  constructor(
    private readonly ec2: SimulatedEc2,
    private readonly stuck: Stuck,
  ) {}

  /** AttachVolume. */
  attach(volumeId: string, instanceId: string, device: string, by: Doer): void {
    const volume = volumeOf(this.ec2, volumeId);
    const instance = instanceOf(this.ec2, instanceId);
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
  detach(volumeId: string, instanceId: string | undefined, force: boolean, by: Doer): void {
    const volume = volumeOf(this.ec2, volumeId);
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

  /** What a terminated instance held becomes free, a little later and one by one. */
  release(instanceId: string): void {
    for (const volume of this.ec2.volumes.values()) {
      const held = volume.attachments[0];
      if (held?.instanceId !== instanceId) continue;
      this.later(
        this.ec2.durations.of((timings) => timings.release),
        () =>
          this.afterSticking(volume, held, ['detaching', 'attached'], () => this.free(volume, held, 'ec2')),
      );
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
      () => this.afterSticking(volume, attachment, ['detaching'], () => this.free(volume, attachment, by)),
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

  private free(volume: VolumeTruth, attachment: VolumeAttachmentTruth, by: Doer): void {
    if (volume.attachments[0] !== attachment) return;
    volume.attachments = [];
    volume.state = 'available';
    this.ec2.noteVolume(volume);
    for (const listener of this.ec2.listeners) listener.onVolumeGone(volume.id, attachment.instanceId);
    this.ec2.context.observer.onDetach?.(volume.id, attachment.instanceId, by);
  }

  private later(ms: number, what: () => void): void {
    this.ec2.context.scheduler.after(ms, what, 'attachment');
  }
}
