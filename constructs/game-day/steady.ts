import { TIER_TAG } from '../private/tags';
import type { DocumentParts, DocumentTier } from './document-parts';
import { unlockBefore } from './lock';
import { apiStep, orElse, RUNTIME, type Step } from './steps';

const OTHERWISE = unlockBefore('notSteady');

/**
 * Whether as many servers as there are slots are in service, healthy, running, and pass their status checks, and none
 * has a volume that EC2 would delete with it. The volume map does not know: a row says "served" until somebody has seen
 * that the server is lost.
 */
export function steady(parts: DocumentParts): Step[] {
  return [
    // First: EC2 tells the status of what runs only. A server that fails its check and is then ended by its group is
    // seen here, or as one that leaves there; the other way round it could be seen by neither.
    impaired('impairedInstances', 'instance-status.status'),
    impaired('impairedSystems', 'system-status.status'),
    ...parts.tiers.flatMap(lookSteps),
    orElse(OTHERWISE, {
      name: 'allSteady',
      action: 'aws:executeScript',
      timeoutSeconds: 60,
      inputs: {
        Runtime: RUNTIME,
        Handler: 'steady',
        InputPayload: {
          tiers: parts.tiers.map((tier) => ({
            tier: tier.name,
            slots: tier.slots,
            members: `{{ ${named('group', tier)}.Members }}`,
            lifecycles: `{{ ${named('group', tier)}.Lifecycles }}`,
            health: `{{ ${named('group', tier)}.Health }}`,
            running: `{{ ${named('running', tier)}.Servers }}`,
            doomed: `{{ ${named('doomed', tier)}.Volumes }}`,
          })),
          // Each by itself: what Automation makes of a list of lists is not written anywhere.
          impairedInstances: '{{ impairedInstances.Found }}',
          impairedSystems: '{{ impairedSystems.Found }}',
        },
        Script: parts.steadyScript,
      },
    }),
  ];
}

const named = (what: string, tier: DocumentTier): string => `${what}_${tier.name.replaceAll('-', '_')}`;

/**
 * Its volumes that would go with a server (`DeleteOnTermination`), its members and then, since one of them may end
 * meanwhile, which of them run.
 */
function lookSteps(tier: DocumentTier): Step[] {
  const all = (selector: string) => ({ selector, type: 'StringList' });
  const members = '$.AutoScalingGroups[0].Instances[*]';
  return [
    apiStep(
      named('doomed', tier),
      {
        Service: 'ec2',
        Api: 'DescribeVolumes',
        Filters: [
          { Name: `tag:${TIER_TAG}`, Values: [tier.tag] },
          { Name: 'attachment.delete-on-termination', Values: ['true'] },
        ],
      },
      OTHERWISE,
      // Of all of them: a selector of ids may find none.
      { Volumes: { selector: '$.Volumes', type: 'MapList' } },
    ),
    apiStep(
      named('group', tier),
      { Service: 'autoscaling', Api: 'DescribeAutoScalingGroups', AutoScalingGroupNames: [tier.group] },
      OTHERWISE,
      {
        Members: all(`${members}.InstanceId`),
        Lifecycles: all(`${members}.LifecycleState`),
        Health: all(`${members}.HealthStatus`),
      },
    ),
    apiStep(
      named('running', tier),
      {
        Service: 'ec2',
        Api: 'DescribeInstances',
        Filters: [
          { Name: `tag:${TIER_TAG}`, Values: [tier.tag] },
          { Name: 'instance-state-name', Values: ['running'] },
        ],
      },
      OTHERWISE,
      { Servers: all('$.Reservations[*].Instances[*].InstanceId') },
    ),
  ];
}

/** DescribeInstanceStatus knows no tags, and takes a hundred ids at most: those of the account are few. */
function impaired(name: string, status: string): Step {
  return apiStep(
    name,
    { Service: 'ec2', Api: 'DescribeInstanceStatus', Filters: [{ Name: status, Values: ['impaired'] }] },
    OTHERWISE,
    { Found: { selector: '$.InstanceStatuses', type: 'MapList' } },
  );
}
