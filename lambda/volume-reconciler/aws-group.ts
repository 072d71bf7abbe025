import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import {
  CompleteLifecycleActionCommand,
  DescribeAutoScalingGroupsCommand,
  RecordLifecycleActionHeartbeatCommand,
  SetInstanceHealthCommand,
} from '@aws-sdk/client-auto-scaling';
import { outcomeOf } from './aws-errors';
import type { GroupPort, Member, Outcome } from './ports';

/** Auto Scaling answers this when the lifecycle action was completed before: nothing is left to do. */
const NO_SUCH_ACTION = ['ValidationError'];

/** The Auto Scaling group. */
export class AutoScalingTier implements GroupPort {
  constructor(
    private readonly client: AutoScalingClient,
    private readonly groupName: string,
  ) {}

  async members(): Promise<Member[] | undefined> {
    const command = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [this.groupName] });
    const group = (await this.client.send(command)).AutoScalingGroups?.[0];
    if (group === undefined) return undefined;
    return (group.Instances ?? []).map((instance) => ({
      instanceId: instance.InstanceId ?? '',
      lifecycle: instance.LifecycleState ?? 'unknown',
      healthy: instance.HealthStatus?.toLowerCase() === 'healthy',
    }));
  }

  complete(instanceId: string, hook: string, result: 'CONTINUE' | 'ABANDON'): Promise<Outcome> {
    const command = new CompleteLifecycleActionCommand({
      AutoScalingGroupName: this.groupName,
      LifecycleHookName: hook,
      InstanceId: instanceId,
      LifecycleActionResult: result,
    });
    return outcomeOf(this.client.send(command), NO_SUCH_ACTION);
  }

  heartbeat(instanceId: string, hook: string): Promise<Outcome> {
    const command = new RecordLifecycleActionHeartbeatCommand({
      AutoScalingGroupName: this.groupName,
      LifecycleHookName: hook,
      InstanceId: instanceId,
    });
    return outcomeOf(this.client.send(command), NO_SUCH_ACTION);
  }

  markUnhealthy(instanceId: string): Promise<Outcome> {
    const command = new SetInstanceHealthCommand({
      InstanceId: instanceId,
      HealthStatus: 'Unhealthy',
      ShouldRespectGracePeriod: false,
    });
    // The answer to an instance that has left the group since.
    return outcomeOf(this.client.send(command), NO_SUCH_ACTION);
  }
}
