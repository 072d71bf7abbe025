import type { Served, VolumeTruth } from '../../../proof/simulation/aws/state';
import { World } from '../../../proof/simulation/aws/world';
import type { Host } from '../../../proof/simulation/hosts/host';
import type { ServeOrder } from '../../../proof/simulation/hosts/program';
import { deployment } from '../deployment';

const MINUTE = 60_000;
const ZONE = 'us-east-1a';
const ADDRESS = '10.0.9.9';

/** One simulated host with a blank volume and an interface, whose software is installed. */
export class SimulatedHost {
  readonly world = new World({ deployment: deployment(), slots: 1, volumesPerSlot: 1, seed: 9 });
  readonly volume: VolumeTruth = this.world.ec2.createVolume('oss-00', ZONE, {});
  private readonly card = this.world.ec2.createInterface('oss-00', ZONE, ADDRESS, {});
  host!: Host;

  static async ready(): Promise<SimulatedHost> {
    const made = new SimulatedHost();
    made.host = await made.launch();
    await made.give(made.host);
    return made;
  }

  /** Another host, which has nothing. */
  async launch(ms = 3 * MINUTE): Promise<Host> {
    const instance = this.world.ec2.launch(ZONE, {})!;
    await this.world.run(ms, () => ms < MINUTE && instance.state === 'running');
    return this.world.hosts.all.get(instance.id)!;
  }

  /** The volume and the interface are attached to it. */
  async give({ instanceId }: Host): Promise<void> {
    const { attachments } = this.world.ec2;
    if (this.volume.attachments.length === 0)
      attachments.volumes.attach(this.volume.id, instanceId, '/dev/sdf', 'hand');
    if (this.card.attachment === undefined) attachments.interfaces.attach(this.card.id, instanceId, 'hand');
    await this.world.run(MINUTE / 2);
  }

  /** Tells a host to serve epoch 3 of oss-00; it may format. */
  async tell(change: Partial<ServeOrder> = {}, host = this.host): Promise<Served> {
    return (await this.world.finish(this.begin(change, host)))!;
  }

  begin(change: Partial<ServeOrder> = {}, host = this.host): Promise<Served | undefined> {
    const order = { slot: 'oss-00', epoch: 3, address: ADDRESS, volumes: [this.volume.id], mayFormat: true };
    return host.run({ ...order, ...change }, 20 * MINUTE);
  }

  async pass(ms: number): Promise<void> {
    await this.world.run(ms);
  }
}
