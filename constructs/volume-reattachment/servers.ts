import { Aws, Size, Tags } from 'aws-cdk-lib';
import * as autoscaling from 'aws-cdk-lib/aws-autoscaling';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { systemsManagerAgentRole } from '../private/agent-role';
import { allowNotifications } from '../private/auto-scaling-key';
import { fallBackOutside } from '../private/fallback';
import { addOwnTag } from '../private/last-word';
import { requireFit } from '../private/launch-fit';
import { zoneOf } from '../private/subnet-zone';
import { TIER_TAG } from '../private/tags';
import { type Launched, tagAtLaunch } from '../private/tags-at-launch';
import { instanceTypeFacts } from '../sizing';
import { acknowledge } from './acknowledge';
import type { VolumeReattachmentProps } from './props';

/** Names of the lifecycle hooks. */
export const LAUNCH_HOOK = 'serve-slot';
export const TERMINATE_HOOK = 'let-go';

/**
 * How long a hook waits without a sign of life. The workflow sends one every minute while it runs, and ends every
 * lifecycle action itself; this is for the case that the workflow is gone. Longer than two intervals of the schedule,
 * which starts it again. A hundred times this, or 48 hours, is the longest that a hook can be kept waiting at all (Auto
 * Scaling user guide, "Lifecycle hooks").
 */
const HEARTBEAT_SECONDS = 900;

/** What each launch makes. */
const LAUNCHED: Launched[] = ['instance', 'volume', 'network-interface'];

const NOBODY_TO_NOTIFY = 'Scaling events notify the alarm topic; none was given for this tier.';

/** The servers of a tier: their role, launch template and group. */
export class Servers extends Construct {
  readonly group: autoscaling.AutoScalingGroup;
  readonly role: iam.Role;

  constructor(
    scope: Construct,
    id: string,
    props: VolumeReattachmentProps,
    groupName: string,
    tierTag: string,
    key: kms.IKey,
  ) {
    super(scope, id);
    this.role = systemsManagerAgentRole(this, 'Role', 'Servers of a tier: the Systems Manager agent only');
    const spares = props.standby?.count ?? 0;
    const launchTemplate = this.newTemplate(props, key);
    const template = launchTemplate.node.defaultChild as ec2.CfnLaunchTemplate;
    tagAtLaunch(template, LAUNCHED);
    const fallback = props.fallbackInstanceTypes ?? [];
    requireAllFit(scope, props, launchTemplate);
    props.capacityReservation?._startIn(template);
    const reserved = props.capacityReservation?._make(this, 'CapacityReservation', {
      ...props,
      count: props.slotCount + spares,
      zone: zoneOf(props.subnet),
    });
    allowNotifications(this, props.alarmTopic);
    this.group = new autoscaling.AutoScalingGroup(this, 'Group', {
      autoScalingGroupName: groupName,
      vpc: props.vpc,
      vpcSubnets: { subnets: [props.subnet] },
      launchTemplate,
      minCapacity: props.slotCount,
      maxCapacity: props.slotCount + spares,
      healthChecks: autoscaling.HealthChecks.ec2(),
      // Counts only when a deployment that added a slot is undone: the server that came last goes.
      terminationPolicies: [autoscaling.TerminationPolicy.NEWEST_INSTANCE],
      groupMetrics: [autoscaling.GroupMetrics.all()],
      notifications: props.alarmTopic
        ? [{ topic: props.alarmTopic, scalingEvents: autoscaling.ScalingEvents.ALL }]
        : undefined,
      // No update policy: a changed template takes effect when a server is replaced, never by a deployment terminating
      // servers.
    });
    // With its policies: an agent that starts before it may call Systems Manager backs off, and the first servers come
    // late.
    this.group.node.addDependency(this.role, ...(reserved ? [reserved] : []));
    // The instances only, not their root disks: the reconciler may attach and detach what carries this tag.
    addOwnTag(this.group, TIER_TAG, tierTag, { applyToLaunchedInstances: true });
    Tags.of(this.group).add('Name', `${Aws.STACK_NAME}-${props.tier}`, { applyToLaunchedInstances: true });
    const resource = this.group.node.defaultChild as autoscaling.CfnAutoScalingGroup;
    // The least is the number of slots all the same: a spare can be taken away by name before a deployment without it.
    // Here and not in the group's own properties, where the CDK warns of a size that a deployment resets, which this
    // one is to be.
    if (spares > 0) resource.desiredCapacity = String(props.slotCount + spares);
    if (fallback.length > 0)
      fallBackOutside(this, resource, { ...props, template, fallback, launched: LAUNCHED });
    // In the group itself, not as resources of their own, which would come too late for the first servers.
    resource.lifecycleHookSpecificationList = hooks(props);
    if (!props.alarmTopic) acknowledge(this.group, 'AwsSolutions-AS3', NOBODY_TO_NOTIFY);
  }

  private newTemplate(props: VolumeReattachmentProps, key: kms.IKey): ec2.LaunchTemplate {
    const facts = instanceTypeFacts(props.instanceType.toString());
    return new ec2.LaunchTemplate(this, 'Template', {
      instanceType: props.instanceType,
      machineImage: props.machineImage,
      userData: props.hostBundle.userData({ scope: this, grantee: this.role }, props.machineImage),
      role: this.role,
      securityGroup: props.securityGroup,
      associatePublicIpAddress: false,
      requireImdsv2: true,
      httpPutResponseHopLimit: 1,
      detailedMonitoring: true,
      // Types that share one interface between volumes and clients (c3.8xlarge, for one) have no such option.
      ebsOptimized: facts === undefined || facts.ebs !== undefined,
      placementGroup: props.placementGroup,
      blockDevices: [
        {
          deviceName: props.rootDeviceName ?? '/dev/xvda',
          volume: ec2.BlockDeviceVolume.ebs((props.rootVolumeSize ?? Size.gibibytes(30)).toGibibytes(), {
            encrypted: true,
            kmsKey: key,
            volumeType: ec2.EbsDeviceVolumeType.GP3,
            deleteOnTermination: true,
          }),
        },
      ],
    });
  }
}

/** The reconciler decides when a launch and a termination go on. */
function hooks({
  schedule,
}: VolumeReattachmentProps): autoscaling.CfnAutoScalingGroup.LifecycleHookSpecificationProperty[] {
  const heartbeatTimeout = Math.max(HEARTBEAT_SECONDS, 2 * (schedule?.toSeconds() ?? 0));
  return [
    {
      lifecycleHookName: LAUNCH_HOOK,
      lifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING',
      defaultResult: 'ABANDON',
      heartbeatTimeout,
    },
    {
      lifecycleHookName: TERMINATE_HOOK,
      lifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
      defaultResult: 'CONTINUE',
      heartbeatTimeout,
    },
  ];
}

/** The type of the tier in its placement group, and those that take its place outside of it. */
function requireAllFit(
  scope: Construct,
  props: VolumeReattachmentProps,
  { osType }: ec2.LaunchTemplate,
): void {
  for (const instanceType of [props.instanceType, ...(props.fallbackInstanceTypes ?? [])]) {
    const placementGroup = instanceType === props.instanceType ? props.placementGroup : undefined;
    requireFit(scope, { ...props, instanceType, placementGroup, osType });
  }
}
