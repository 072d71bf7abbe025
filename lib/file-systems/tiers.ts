import { CfnOutput, type Stack } from 'aws-cdk-lib';
import type { VolumeMap, VolumeReattachment } from '../../constructs';

/** What an operator, and the demo, need to know of tiers to find their servers. */
export function addTierOutputs(
  stack: Stack,
  map: VolumeMap,
  tiers: Readonly<Record<string, VolumeReattachment>>,
  texts: { readonly map: string; readonly tiers: string },
): void {
  new CfnOutput(stack, 'VolumeMapTable', { value: map.table.tableName, description: texts.map });
  const described = Object.entries(tiers).map(([name, tier]) => ({
    tier: name,
    group: tier.autoScalingGroup.autoScalingGroupName,
    workflowArn: tier.workflow.stateMachineArn,
    slots: tier.slots.length,
  }));
  new CfnOutput(stack, 'Tiers', { value: stack.toJsonString(described), description: texts.tiers });
}

/** What a game day or an alarm in another stack needs of a map. */
export const exportsOfMap = (map?: VolumeMap): string[] =>
  map ? [map.table.tableArn, map.table.tableName, map.encryptionKey.keyArn] : [];
