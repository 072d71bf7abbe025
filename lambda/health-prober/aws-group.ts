import {
  type AutoScalingClient,
  DescribeAutoScalingGroupsCommand,
  DescribeInstanceRefreshesCommand,
  SetInstanceHealthCommand,
} from '@aws-sdk/client-auto-scaling';
import { type CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { memberOf, refreshGoesOn } from '../shared/group';
import { errorName } from '../shared/log';
import type { Group, ProbeGroupPort, StackPort } from './ports';

/** The newest come first; of those that have not ended there is one at most. */
const LOOKED_AT = 5;

/** The Auto Scaling group. */
export class AutoScalingProbeGroup implements ProbeGroupPort {
  constructor(
    private readonly client: AutoScalingClient,
    private readonly groupName: string,
  ) {}

  async describe(): Promise<Group | undefined> {
    const command = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [this.groupName] });
    const group = (await this.client.send(command)).AutoScalingGroups?.[0];
    if (group === undefined) return undefined;
    return {
      members: (group.Instances ?? []).map(memberOf),
      suspended: (group.SuspendedProcesses ?? []).map((process) => process.ProcessName ?? ''),
    };
  }

  async isRefreshing(): Promise<boolean> {
    const command = new DescribeInstanceRefreshesCommand({
      AutoScalingGroupName: this.groupName,
      MaxRecords: LOOKED_AT,
    });
    return ((await this.client.send(command)).InstanceRefreshes ?? []).some(refreshGoesOn);
  }

  async setUnhealthy(instanceId: string): Promise<boolean> {
    try {
      await this.client.send(
        new SetInstanceHealthCommand({
          InstanceId: instanceId,
          HealthStatus: 'Unhealthy',
          ShouldRespectGracePeriod: true,
        }),
      );
      return true;
    } catch (error) {
      // Auto Scaling answers this when the instance is in no group.
      if (errorName(error) === 'ValidationError') return false;
      throw error;
    }
  }
}

/** The stack that the tier belongs to. */
export class CloudFormationStack implements StackPort {
  constructor(
    private readonly client: CloudFormationClient,
    private readonly stackId: string,
  ) {}

  async status(): Promise<string> {
    const answer = await this.client.send(new DescribeStacksCommand({ StackName: this.stackId }));
    const status = answer.Stacks?.[0]?.StackStatus;
    if (status === undefined) throw new Error(`CloudFormation does not know the stack ${this.stackId}`);
    return status;
  }
}
