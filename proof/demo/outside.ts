import type { Terminal } from '../../cli/terminal';
import type { Clients } from '../kit/clients';
import type { Check } from '../kit/model';
import { launchClient } from './outside-client';
import { makeSurroundings, needsSurroundings, parametersOf, type Surroundings } from './surroundings';
import { endClient, removeSurroundings } from './surroundings-removal';
import { verifyZoneRefused } from './wrong-zone';

/**
 * What is outside of a deployment that goes into an existing network: that network, and a client in it. Otherwise
 * nothing.
 */
export class Outside {
  /** Whether the deployment has to find a network. */
  readonly needed: boolean;
  private surroundings?: Surroundings;
  private client?: string;

  constructor(
    private readonly clients: Clients,
    deployment: string,
    private readonly terminal: Terminal,
  ) {
    this.needed = needsSurroundings(deployment);
  }

  /** Makes the network with EC2's own API, as somebody else did before. */
  async make(): Promise<void> {
    this.surroundings = await makeSurroundings(this.clients);
    for (const [key, value] of Object.entries(this.parameters)) {
      this.terminal.line(`  ${key.padEnd(20)} ${value}`);
    }
  }

  /** The parameters that the deployment is given. */
  get parameters(): Record<string, string> {
    return this.surroundings ? parametersOf(this.surroundings) : {};
  }

  /** Launches a client that no app knows of. */
  async launchClient(mountSource: string): Promise<void> {
    if (!this.surroundings) return;
    this.client = await launchClient(this.clients, this.surroundings, mountSource);
    this.terminal.line(`  ${this.client} is launched outside of the app, to mount ${mountSource}`);
  }

  /** What the deployment has to refuse. */
  async verifyRefusals(stack: string): Promise<Check[]> {
    if (!this.surroundings) return [];
    const another = this.surroundings.availabilityZone.replace(/.$/, 'b');
    return [await verifyZoneRefused(this.clients, stack, another)];
  }

  async endClient(): Promise<void> {
    if (this.client) await endClient(this.clients, this.client);
  }

  /** Deletes the network; whether that went well is a check of the deployment, too. */
  async remove(): Promise<Check[]> {
    return this.surroundings ? [await removeSurroundings(this.clients, this.surroundings)] : [];
  }
}
