import {
  SetInstanceHealthCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { StopInstancesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { Clients } from '../kit/clients';
import type { FaultDoor } from '../kit/fault-door';
import { readGroups, readMap } from '../kit/inventory';
import type { MapSlot, Tier } from '../kit/model';
import type { Reconciler } from './functions';
import type { Abuse } from './plan';

/** What an abuse needs. */
export interface Means {
  readonly clients: Clients;
  readonly door: FaultDoor;
  readonly table: string;
  readonly tiers: readonly Tier[];
  readonly reconcilers: readonly Reconciler[];
  /** Names of all functions, those of the reconcilers among them. */
  readonly functions: readonly string[];
}

const EVENT_SOURCE = 'aws.autoscaling';

/**
 * Does it. Servers are harmed by EC2's and Auto Scaling's own API or by a fault of the embedded AWS, never by the map.
 *
 * @returns what was done, for people; undefined when there was nothing to do it to, a slot without a server, say
 */
export async function carryOut(abuse: Abuse, means: Means): Promise<string | undefined> {
  const { door, clients } = means;
  const { seconds, count, call } = abuse;
  const tier = means.tiers.find(({ tier: name }) => name === abuse.tier)!;
  const reconciler = means.reconcilers.find(({ tier: name }) => name === abuse.tier)!.name;
  const forSeconds = `for ${seconds} s`;
  switch (abuse.kind) {
    case 'kill-reconciler': {
      const after = Math.round(seconds * 20) / 1000; // passes take tenths of a second
      await door.ask('kill-function', { function: reconciler, count, after });
      return `the next ${count} passes of ${abuse.tier} die ${after} s after their start`;
    }
    case 'kill-reconciler-at-call':
      await door.ask('kill-function', { function: reconciler, count: 1, on: call });
      return `a pass of ${abuse.tier} dies when it has made ${call}`;
    case 'restart-functions':
      for (const name of means.functions) await door.ask('restart-functions', { function: name });
      return `the processes of all ${means.functions.length} functions are killed`;
    case 'second-workflow':
      await clients.stepFunctions.send(new StartExecutionCommand({ stateMachineArn: tier.workflowArn }));
      return `one more workflow of ${abuse.tier}`;
    case 'throttle':
      await door.ask('throttle', { rules: abuse.throttle, seconds });
      return `${abuse.throttle} ${forSeconds}`;
    case 'lose-events':
      await door.ask('events', { mode: 'drop', source: EVENT_SOURCE, count });
      return `the next ${count} events of Auto Scaling`;
    case 'repeat-events':
      await door.ask('events', { mode: 'duplicate', source: EVENT_SOURCE, count, seconds });
      return `the next ${count} events of Auto Scaling come again after ${seconds} s`;
    case 'delay-events':
      await door.ask('events', { mode: 'delay', source: EVENT_SOURCE, count, seconds });
      return `the next ${count} events of Auto Scaling come ${seconds} s late`;
    default:
      return harmServer(abuse, tier, means);
  }
}

async function harmServer(abuse: Abuse, tier: Tier, means: Means): Promise<string | undefined> {
  const { door, clients } = means;
  const { seconds } = abuse;
  const rows = (await readMap(clients, means.table, tier.tier)).filter(
    (row): row is MapSlot => 'networkInterfaceId' in row,
  );
  const owner = rows.find(({ slot }) => slot === abuse.slot)?.owner;
  if (abuse.kind === 'terminate-tier') {
    const owners = rows.flatMap((row) => row.owner ?? []);
    if (owners.length === 0) return undefined;
    await clients.ec2.send(new TerminateInstancesCommand({ InstanceIds: owners }));
    return `all servers of ${tier.tier}: ${owners.join(', ')}`;
  }
  if (abuse.kind === 'freeze-launching-host') {
    const members = (await readGroups(clients, [tier]))[tier.group] ?? [];
    const launching = members.find(({ lifecycleState }) => lifecycleState.startsWith('Pending'))?.instanceId;
    if (!launching) return undefined;
    await door.ask('freeze-host', { instance: launching, seconds });
    return `${launching}, which is coming up, for ${seconds} s`;
  }
  return owner && harmOwner(abuse, owner, tier, means);
}

/** What is done to the server that has the slot. */
async function harmOwner(abuse: Abuse, owner: string, tier: Tier, { door, clients }: Means): Promise<string> {
  const { seconds } = abuse;
  const forSeconds = `for ${seconds} s`;
  const terminate = () => clients.ec2.send(new TerminateInstancesCommand({ InstanceIds: [owner] }));
  switch (abuse.kind) {
    case 'terminate':
      await terminate();
      return owner;
    case 'terminate-in-group':
      await clients.autoScaling.send(
        new TerminateInstanceInAutoScalingGroupCommand({
          InstanceId: owner,
          ShouldDecrementDesiredCapacity: false,
        }),
      );
      return `${owner}, by Auto Scaling`;
    case 'stop':
      await clients.ec2.send(new StopInstancesCommand({ InstanceIds: [owner] }));
      return owner;
    case 'hang-in-shutting-down':
      await door.ask('hang-shutdown', { instance: owner, seconds });
      await terminate();
      return `${owner} ${forSeconds}`;
    case 'hang-in-stopping':
      await door.ask('hang-shutdown', { instance: owner, seconds });
      await clients.ec2.send(new StopInstancesCommand({ InstanceIds: [owner] }));
      return `${owner} ${forSeconds}`;
    case 'call-unhealthy':
      await clients.autoScaling.send(
        new SetInstanceHealthCommand({ InstanceId: owner, HealthStatus: 'Unhealthy' }),
      );
      return `${owner}, to Auto Scaling`;
    case 'freeze-host':
      await door.ask('freeze-host', { instance: owner, seconds });
      return `${owner} ${forSeconds}`;
    case 'lose-agent':
      await door.ask('agent-gone', { instance: owner, seconds });
      return `${owner} ${forSeconds}`;
    case 'no-capacity':
      await door.ask('no-capacity', { group: tier.group, seconds });
      await terminate();
      return `${owner} is terminated, and ${tier.tier} gets no instance ${forSeconds}`;
    default:
      throw new Error(`there is no abuse '${abuse.kind}'`);
  }
}
