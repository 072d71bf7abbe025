import * as autoScaling from '@aws-sdk/client-auto-scaling';
import * as cloudFormation from '@aws-sdk/client-cloudformation';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as ec2 from '@aws-sdk/client-ec2';
import * as sfn from '@aws-sdk/client-sfn';
import * as ssm from '@aws-sdk/client-ssm';
import { SimulationError } from '../errors';

/** A command of the SDK. */
export interface Command {
  readonly input: object;
}

// By class and not by the class's name, which a bundler may change.
const OPERATIONS = new Map<unknown, string>([
  [autoScaling.CompleteLifecycleActionCommand, 'CompleteLifecycleAction'],
  [autoScaling.DescribeAutoScalingGroupsCommand, 'DescribeAutoScalingGroups'],
  [autoScaling.DescribeScalingActivitiesCommand, 'DescribeScalingActivities'],
  [autoScaling.DescribeInstanceRefreshesCommand, 'DescribeInstanceRefreshes'],
  [autoScaling.RecordLifecycleActionHeartbeatCommand, 'RecordLifecycleActionHeartbeat'],
  [autoScaling.SetInstanceHealthCommand, 'SetInstanceHealth'],
  [autoScaling.UpdateAutoScalingGroupCommand, 'UpdateAutoScalingGroup'],
  [cloudFormation.DescribeStacksCommand, 'DescribeStacks'],
  [dynamodb.DeleteItemCommand, 'DeleteItem'],
  [dynamodb.PutItemCommand, 'PutItem'],
  [dynamodb.QueryCommand, 'Query'],
  [dynamodb.TransactWriteItemsCommand, 'TransactWriteItems'],
  [dynamodb.UpdateItemCommand, 'UpdateItem'],
  [ec2.AttachNetworkInterfaceCommand, 'AttachNetworkInterface'],
  [ec2.AttachVolumeCommand, 'AttachVolume'],
  [ec2.CreateTagsCommand, 'CreateTags'],
  [ec2.DescribeInstancesCommand, 'DescribeInstances'],
  [ec2.DescribeNetworkInterfacesCommand, 'DescribeNetworkInterfaces'],
  [ec2.DescribeSnapshotsCommand, 'DescribeSnapshots'],
  [ec2.CreateSnapshotCommand, 'CreateSnapshot'],
  [ec2.DescribeVolumesCommand, 'DescribeVolumes'],
  [ec2.DetachNetworkInterfaceCommand, 'DetachNetworkInterface'],
  [ec2.DetachVolumeCommand, 'DetachVolume'],
  [ec2.ModifyInstanceAttributeCommand, 'ModifyInstanceAttribute'],
  [ec2.ModifyNetworkInterfaceAttributeCommand, 'ModifyNetworkInterfaceAttribute'],
  [ec2.TerminateInstancesCommand, 'TerminateInstances'],
  [sfn.StartExecutionCommand, 'StartExecution'],
  [ssm.DescribeInstanceInformationCommand, 'DescribeInstanceInformation'],
  [ssm.GetCommandInvocationCommand, 'GetCommandInvocation'],
  [ssm.ListCommandInvocationsCommand, 'ListCommandInvocations'],
  [ssm.ListCommandsCommand, 'ListCommands'],
  [ssm.SendCommandCommand, 'SendCommand'],
]);

/**
 * The operation of a command.
 *
 * @throws SimulationError for one that no simulated service knows
 */
export function operationOf(command: Command): string {
  const operation = OPERATIONS.get(command.constructor);
  if (operation === undefined) throw new SimulationError(`${command.constructor.name} is not simulated`);
  return operation;
}
