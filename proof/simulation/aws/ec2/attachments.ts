import type { SimulatedEc2 } from './ec2';
import { InterfaceAttachments } from './interface-attachments';
import { type Sticking, Stuck } from './sticking';
import { VolumeAttachments } from './volume-attachments';

/** Volumes and interfaces on instances. */
export class Attachments {
  readonly volumes: VolumeAttachments;
  readonly interfaces: InterfaceAttachments;
  private readonly stuck: Stuck;

  constructor(ec2: SimulatedEc2) {
    this.stuck = new Stuck(
      () => ec2.now(),
      (ms, what) => ec2.context.scheduler.after(ms, what, 'attachment'),
    );
    this.volumes = new VolumeAttachments(ec2, this.stuck);
    this.interfaces = new InterfaceAttachments(ec2, this.stuck);
  }

  /** What a terminated instance held becomes free, a little later and one by one. */
  release(instanceId: string): void {
    this.volumes.release(instanceId);
    this.interfaces.release(instanceId);
  }

  /** The next change of the volume or interface, or the one under way, takes so long. */
  stick(id: string, state: Sticking, ms: number): void {
    this.stuck.stick(id, state, ms);
  }
}
