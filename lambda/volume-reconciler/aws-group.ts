import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import {
  CompleteLifecycleActionCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeScalingActivitiesCommand,
  RecordLifecycleActionHeartbeatCommand,
  SetInstanceHealthCommand,
} from '@aws-sdk/client-auto-scaling';
import { type Member, memberOf } from '../shared/group';
import { outcomeOf } from './aws-errors';
import type { GroupPort, LastLaunch, Outcome } from './ports';

/** Auto Scaling answers this when the lifecycle action was completed before: nothing is left to do. */
const NO_SUCH_ACTION = ['ValidationError'];

/** The last ones come first. Terminations are among them. */
const ACTIVITIES = 20;

/** How Auto Scaling describes a launch, whatever becomes of it: `Launching a new EC2 instance`. */
const LAUNCHING = 'Launching';

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
    return (group.Instances ?? []).map(memberOf);
  }

  async lastLaunch(): Promise<LastLaunch> {
    const command = new DescribeScalingActivitiesCommand({
      AutoScalingGroupName: this.groupName,
      MaxRecords: ACTIVITIES,
    });
    const { Activities = [] } = await this.client.send(command);
    const launches = Activities.filter(({ Description }) => Description?.startsWith(LAUNCHING));
    const began = ({ StartTime }: { StartTime?: Date }): number => StartTime?.getTime() ?? 0;
    const last = launches.sort((a, b) => began(b) - began(a))[0];
    if (last?.StatusCode !== 'Failed') return {};
    const at = last.StartTime?.toISOString() ?? 'an unknown time';
    return { failed: { at, why: last.StatusMessage ?? 'Auto Scaling does not say why' } };
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
