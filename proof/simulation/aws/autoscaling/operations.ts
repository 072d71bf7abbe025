import type {
  CompleteLifecycleActionCommandInput,
  DescribeAutoScalingGroupsCommandInput,
  DescribeScalingActivitiesCommandInput,
  RecordLifecycleActionHeartbeatCommandInput,
  SetInstanceHealthCommandInput,
  UpdateAutoScalingGroupCommandInput,
} from '@aws-sdk/client-auto-scaling';
import type { Call } from '../call';
import { onlyKnows, ServiceError, SimulationError } from '../errors';
import type { SimulatedAutoScaling } from './group';

const ACTION = ['AutoScalingGroupName', 'LifecycleHookName', 'InstanceId', 'LifecycleActionToken'];

interface Which {
  readonly AutoScalingGroupName?: string;
  readonly LifecycleHookName?: string;
  readonly InstanceId?: string;
  readonly LifecycleActionToken?: string;
}

/** The operations of Auto Scaling that the functions call. `age` is how old a describe's answer is, in milliseconds. */
export function autoScalingOperation(
  group: SimulatedAutoScaling,
  operation: string,
  input: object,
  call: Call,
  age: number,
): object {
  switch (operation) {
    case 'DescribeAutoScalingGroups': {
      onlyKnows(operation, input, ['AutoScalingGroupNames']);
      const { AutoScalingGroupNames: names = [] } = input as DescribeAutoScalingGroupsCommandInput;
      if (!group.exists || !names.includes(group.name)) return { AutoScalingGroups: [] };
      const { name: AutoScalingGroupName, least: MinSize, desired: DesiredCapacity } = group;
      const shown = { AutoScalingGroupName, MinSize, DesiredCapacity };
      return {
        AutoScalingGroups: [
          { ...shown, Instances: group.views.seen(age, () => group.context.faults.apart?.(call)) },
        ],
      };
    }
    case 'DescribeScalingActivities': {
      onlyKnows(operation, input, ['AutoScalingGroupName', 'MaxRecords']);
      const { MaxRecords } = input as DescribeScalingActivitiesCommandInput;
      return { Activities: group.launches.activities.slice(0, MaxRecords) };
    }
    case 'DescribeInstanceRefreshes': {
      onlyKnows(operation, input, ['AutoScalingGroupName', 'MaxRecords']);
      return { InstanceRefreshes: group.isRefreshing ? [{ Status: 'InProgress' }] : [] };
    }
    case 'CompleteLifecycleAction': {
      const { LifecycleActionResult: result } = input as CompleteLifecycleActionCommandInput;
      onlyKnows(operation, input, [...ACTION, 'LifecycleActionResult']);
      if (result !== 'CONTINUE' && result !== 'ABANDON') {
        throw new ServiceError('ValidationError', `LifecycleActionResult is ${result}`);
      }
      group.hooks.complete(actionOf(group, input), result, call.worker);
      return {};
    }
    case 'RecordLifecycleActionHeartbeat':
      onlyKnows(operation, input as RecordLifecycleActionHeartbeatCommandInput, ACTION);
      group.hooks.heartbeat(actionOf(group, input));
      return {};
    case 'SetInstanceHealth':
      onlyKnows(operation, input, ['InstanceId', 'HealthStatus', 'ShouldRespectGracePeriod']);
      return setHealth(group, input as SetInstanceHealthCommandInput);
    case 'UpdateAutoScalingGroup':
      onlyKnows(operation, input, ['AutoScalingGroupName', 'MinSize', 'DesiredCapacity']);
      return resize(group, input as UpdateAutoScalingGroupCommandInput);
    default:
      throw new SimulationError(`Auto Scaling's ${operation} is not simulated`);
  }
}

function setHealth(
  group: SimulatedAutoScaling,
  { InstanceId, HealthStatus }: SetInstanceHealthCommandInput,
): object {
  const member = group.members.get(InstanceId ?? '');
  if (member === undefined)
    throw new ServiceError('ValidationError', `Instance Id not found - ${InstanceId}`);
  if (HealthStatus !== 'Healthy' && HealthStatus !== 'Unhealthy') {
    throw new ServiceError('ValidationError', 'Valid instance health states are: [Healthy, Unhealthy].');
  }
  group.setHealth(member, HealthStatus);
  return {};
}

function resize(
  group: SimulatedAutoScaling,
  { AutoScalingGroupName, MinSize = 0, DesiredCapacity = 0 }: UpdateAutoScalingGroupCommandInput,
): object {
  if (AutoScalingGroupName !== group.name || !group.exists)
    throw new ServiceError('ValidationError', `AutoScalingGroup name not found - ${AutoScalingGroupName}`);
  group.resize(DesiredCapacity, MinSize);
  return {};
}

function actionOf(
  group: SimulatedAutoScaling,
  input: Which,
): { token?: string; instanceId?: string; hook: string } {
  if (input.AutoScalingGroupName !== group.name || !group.exists) {
    throw new ServiceError(
      'ValidationError',
      `AutoScalingGroup name not found - ${input.AutoScalingGroupName}`,
    );
  }
  return {
    token: input.LifecycleActionToken,
    instanceId: input.InstanceId,
    hook: input.LifecycleHookName ?? '',
  };
}
