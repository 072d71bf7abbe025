import type { Instance, NetworkInterface, Volume } from '@aws-sdk/client-ec2';
import {
  DescribeInstancesCommand,
  DescribeNetworkInterfacesCommand,
  DescribeVolumesCommand,
} from '@aws-sdk/client-ec2';
import type { Clients } from '../../../proof/simulation/aws/transport/transport';

/** An AWS on which a sequence of calls runs: the simulated one or the embedded one. Both are called through the SDK. */
export interface Side {
  readonly clients: Clients;
  readonly groupName: string;
  readonly tableName: string;
  readonly documentName: string;
  readonly stateMachineArn: string;
  /** Waits for calls; time passes. */
  perform<T>(call: Promise<T>): Promise<T>;
  /** Lets time pass until it is so. */
  until(what: string, isSo: () => Promise<boolean>): Promise<void>;
  newVolume(zone: string): Promise<string>;
  newInterface(): Promise<string>;
  /** Runs when it is returned. */
  newInstance(): Promise<string>;
  change(what: 'terminate' | 'stop' | 'start', instanceId: string): Promise<void>;
  /** Makes the group with this many members wanted. */
  newGroup(desired: number): Promise<void>;
}

/** What a sequence of calls came to: one line for each, without ids and times. */
export class Transcript {
  readonly lines: string[] = [];

  constructor(readonly side: Side) {}

  /** Calls, and notes `ok` or the code of the refusal. */
  async call(label: string, call: () => Promise<unknown>): Promise<void> {
    try {
      await this.side.perform(call());
      this.note(label, 'ok');
    } catch (error) {
      this.note(label, (error as Error).name);
    }
  }

  note(label: string, what: string): void {
    this.lines.push(`${label}: ${what}`);
  }

  async instance(id: string): Promise<Instance | undefined> {
    const Filters = [{ Name: 'instance-id', Values: [id] }];
    const answer = await this.side.perform(
      this.side.clients.ec2.send(new DescribeInstancesCommand({ Filters })),
    );
    return answer.Reservations?.[0]?.Instances?.[0];
  }

  /** Why it stops or ends, with zeros for the time. */
  async reason(id: string): Promise<string> {
    return `"${(await this.instance(id))?.StateTransitionReason?.replace(/\d/g, '0')}"`;
  }

  async volume(id: string): Promise<Volume | undefined> {
    const Filters = [{ Name: 'volume-id', Values: [id] }];
    return (await this.side.perform(this.side.clients.ec2.send(new DescribeVolumesCommand({ Filters }))))
      .Volumes?.[0];
  }

  async networkInterface(id: string): Promise<NetworkInterface | undefined> {
    const Filters = [{ Name: 'network-interface-id', Values: [id] }];
    const command = new DescribeNetworkInterfacesCommand({ Filters });
    return (await this.side.perform(this.side.clients.ec2.send(command))).NetworkInterfaces?.[0];
  }

  /** State of a volume and of its attachment, with the names of instances. */
  async volumeState(id: string, names: { [instanceId: string]: string }): Promise<string> {
    const volume = await this.volume(id);
    const attachment = volume?.Attachments?.[0];
    const holder = attachment ? ` ${attachment.State} ${names[attachment.InstanceId ?? '']}` : '';
    return `${volume?.State}${holder}`;
  }

  async interfaceState(id: string, names: { [instanceId: string]: string }): Promise<string> {
    const found = await this.networkInterface(id);
    const attachment = found?.Attachment;
    return `${found?.Status}${attachment ? ` ${attachment.Status} ${names[attachment.InstanceId ?? '']}` : ''}`;
  }
}
