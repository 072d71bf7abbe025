import { ServiceError } from '../errors';
import type { Doer } from '../observer';
import type { InterfaceTruth } from '../state';
import type { SimulatedEc2 } from './ec2';
import { instanceOf, interfaceOf } from './found';
import type { Sticking, Stuck } from './sticking';

const NOTHING = (): void => undefined;

/**
 * Network interfaces on instances.
 *
 * Which states attach and detach take, and the codes of refusals: Amazon EC2 API reference, AttachNetworkInterface,
 * DetachNetworkInterface and "Error codes for the Amazon EC2 API"
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html).
 */
export class InterfaceAttachments {
  constructor(
    private readonly ec2: SimulatedEc2,
    private readonly stuck: Stuck,
  ) {}

  /** AttachNetworkInterface: hot (running) or warm (stopped), EC2 user guide, "Attach a network interface". */
  attach(interfaceId: string, instanceId: string, by: Doer): string {
    const networkInterface = interfaceOf(this.ec2, interfaceId);
    const instance = instanceOf(this.ec2, instanceId);
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
  detach(attachmentId: string, by: Doer): void {
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
      this.freeAfter(ms, networkInterface, attachment, ['detaching'], by);
      return;
    }
    throw new ServiceError(
      'InvalidAttachmentID.NotFound',
      `The interface attachment '${attachmentId}' does not exist.`,
    );
  }

  /** What a terminated instance held becomes free, a little later and one by one. */
  release(instanceId: string): void {
    for (const networkInterface of this.ec2.interfaces.values()) {
      const { attachment } = networkInterface;
      if (attachment?.instanceId !== instanceId) continue;
      const ms = this.ec2.durations.of((timings) => timings.release);
      this.freeAfter(ms, networkInterface, attachment, ['detaching', 'attached'], 'ec2');
    }
  }

  private freeAfter(
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
      this.stuck.after(networkInterface.id, states, enter, () => this.free(networkInterface, id, by)),
    );
  }

  private free(networkInterface: InterfaceTruth, attachmentId: string, by: Doer): void {
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
}
