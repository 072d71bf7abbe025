import { type FoundDeployment, resourcesOfType, stackOf } from './deployment';
import type { OperationOptions } from './operation/options';
import type { Output } from './output';
import { runOperation } from './run-operation';
import { count } from './terminal';

/** Puts a deployment to sleep. @returns the exit code */
export const runStop = (options: OperationOptions, output: Output): Promise<number> =>
  runOperation({ name: 'stop', plan: stopPlan }, options, output);

/** Wakes a deployment. @returns the exit code */
export const runStart = (options: OperationOptions, output: Output): Promise<number> =>
  runOperation({ name: 'start', plan: startPlan }, options, output);

function stopPlan(deployment: FoundDeployment): string[] {
  const { nodes, groups } = countsOf(deployment);
  return [
    ...(nodes > 0
      ? [`${count(nodes, 'server')} of the grid stop: what is on their instance store is lost`]
      : []),
    ...(groups > 0
      ? [`file systems are unmounted, and the servers of ${count(groups, 'group')} are let go`]
      : []),
    'volumes, snapshots, addresses and root disks of the grid stay, and are paid on',
  ];
}

function startPlan(deployment: FoundDeployment): string[] {
  const { nodes, groups } = countsOf(deployment);
  return [
    ...(groups > 0
      ? [`the servers of ${count(groups, 'group')} come back with their volumes and addresses`]
      : []),
    ...(nodes > 0 ? ['the servers of the grid that ran when it was stopped are started, and mount'] : []),
  ];
}

function countsOf(deployment: FoundDeployment): { readonly nodes: number; readonly groups: number } {
  const groups = resourcesOfType(deployment, 'AWS::AutoScaling::AutoScalingGroup', 'storage').length;
  const nodes = stackOf(deployment, 'grid')
    ? resourcesOfType(deployment, 'AWS::EC2::Instance', 'grid').length
    : 0;
  return { nodes, groups };
}
