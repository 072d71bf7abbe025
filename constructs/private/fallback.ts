import { Tags } from 'aws-cdk-lib';
import type { CfnAutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import { CfnLaunchTemplate, type InstanceType } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { type Launched, tagAtLaunch } from './tags-at-launch';

/** How a group launches its servers. */
export interface Launches {
  readonly template: CfnLaunchTemplate;
  readonly instanceType: InstanceType;
  /** What else its replacements may be, in order, outside of the placement group. */
  readonly fallback: readonly InstanceType[];
  /** What each launch makes and tags. */
  readonly launched: Launched[];
}

/**
 * Lets a group launch another type, outside of its placement group, when EC2 has no capacity for its own type inside.
 * Each launch begins with the type and the group as before: nothing is remembered, and nothing has to be put back (EC2
 * Auto Scaling API reference, InstancesDistribution: `prioritized`, read 2026-11-25). It has to be another type: of one
 * type there can be one override only (terraform-aws-modules/ terraform-aws-eks#368, "Cannot add same instance type
 * override more than once", 2019-05).
 *
 * CloudFormation changes a deployed group in place from its template to such a policy
 * (cloudformation-coverage-roadmap#1551, 2023-03); no server is touched.
 */
export function fallBackOutside(scope: IConstruct, group: CfnAutoScalingGroup, launches: Launches): void {
  const { template, instanceType, fallback, launched } = launches;
  const data = template.launchTemplateData as CfnLaunchTemplate.LaunchTemplateDataProperty;
  const outside = new CfnLaunchTemplate(scope, 'TemplateOutsidePlacementGroup', {
    launchTemplateData: { ...data, placement: undefined, instanceType: fallback[0]!.toString() },
  });
  // As the CDK names what the other template launches.
  Tags.of(outside).add('Name', template.node.scope!.node.path);
  tagAtLaunch(outside, launched);
  group.launchTemplate = undefined;
  group.mixedInstancesPolicy = {
    launchTemplate: {
      launchTemplateSpecification: specification(template),
      overrides: [
        { instanceType: instanceType.toString() },
        ...fallback.map((type) => ({
          instanceType: type.toString(),
          launchTemplateSpecification: specification(outside),
        })),
      ],
    },
    instancesDistribution: {
      onDemandAllocationStrategy: 'prioritized',
      onDemandPercentageAboveBaseCapacity: 100,
    },
  };
}

const specification = (template: CfnLaunchTemplate) => ({
  launchTemplateId: template.ref,
  version: template.attrLatestVersionNumber,
});
