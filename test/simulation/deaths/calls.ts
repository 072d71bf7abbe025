import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What the functions call. The deaths have to be at these and no others. */
export const CALLS: {
  readonly [worker: string]: { readonly source: string; readonly operations: string[] };
} = {
  reconciler: {
    source: 'volume-reconciler',
    operations: [
      'AttachNetworkInterface',
      'AttachVolume',
      'CompleteLifecycleAction',
      'CreateSnapshot',
      'CreateTags',
      'DescribeAutoScalingGroups',
      'DescribeScalingActivities',
      'DescribeInstances',
      'DescribeNetworkInterfaces',
      'DescribeSnapshots',
      'DescribeVolumes',
      'DetachNetworkInterface',
      'DetachVolume',
      'GetCommandInvocation',
      'ListCommandInvocations',
      'ModifyInstanceAttribute',
      'ModifyNetworkInterfaceAttribute',
      'Query',
      'RecordLifecycleActionHeartbeat',
      'SendCommand',
      'SetInstanceHealth',
      'TransactWriteItems',
      'UpdateItem',
    ],
  },
  seed: {
    source: 'volume-map-resource',
    operations: [
      'DescribeVolumes',
      'PutAnswer',
      'Query',
      'StartExecution',
      'TransactWriteItems',
      'UpdateItem',
    ],
  },
  prober: {
    source: 'health-prober',
    operations: [
      'DescribeAutoScalingGroups',
      'DescribeInstanceInformation',
      'DescribeInstanceRefreshes',
      'DescribeStacks',
      'ListCommandInvocations',
      'Query',
      'SendCommand',
      'SetInstanceHealth',
      'TransactWriteItems',
      'UpdateItem',
    ],
  },
  'node-health': {
    source: 'node-health',
    operations: [
      'DescribeInstanceInformation',
      'DescribeInstances',
      'ListCommandInvocations',
      'ListCommands',
      'SendCommand',
    ],
  },
};

/**
 * What their sources name besides: reads in cases that no story has, on which nothing rests that is written. An agent
 * that is too old only changes words (aws.test.ts of the reconciler), and the seed compares snapshots of adopted
 * volumes before it writes anything (one-moment.test.ts).
 */
export const ONLY_READ: { readonly [worker: string]: readonly string[] } = {
  reconciler: ['DescribeInstanceInformation'],
  seed: ['DescribeSnapshots'],
};

/** Operations that the sources of a function name, by what they take from the SDK, and the answer to CloudFormation. */
export function operationsIn(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const found: string[] = [];
  for (const [, names, from] of text.matchAll(/^import\s[^;'"]*?\{([^}]*)\}\s*from\s*'([^']+)'/gm)) {
    if (from!.startsWith('@aws-sdk/')) {
      for (const [, command, pages] of names!.matchAll(/\b(?:(\w+)Command|paginate(\w+))\b/g))
        found.push(command ?? pages!);
    } else if (from!.startsWith('.')) {
      if (names!.includes('HttpAnswers')) found.push('PutAnswer');
      const next = join(dirname(file), `${from}.ts`);
      if (existsSync(next)) found.push(...operationsIn(next, seen));
    }
  }
  return found;
}
