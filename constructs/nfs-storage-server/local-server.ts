import { Aws, Fn, RemovalPolicy, Tags, Validations } from 'aws-cdk-lib';
import * as autoscaling from 'aws-cdk-lib/aws-autoscaling';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct, type IDependable } from 'constructs';
import type { CapacityReservation } from '../grid-network';
import type { HostBundle } from '../host';
import { systemsManagerAgentRole } from '../private/agent-role';
import { tellTopic } from '../private/alarm-topic';
import { allowAutoScaling, allowNotifications } from '../private/auto-scaling-key';
import { requireFit } from '../private/launch-fit';
import { zoneOf } from '../private/subnet-zone';
import { tagAtLaunch } from '../private/tags-at-launch';
import { type InstanceStore, instanceTypeFacts } from '../sizing';
import type { NfsSpotOptions } from './storage';

/** What the server is. */
export interface LocalNfsServerProps {
  readonly instanceType: ec2.InstanceType;
  readonly store: InstanceStore;
  readonly machineImage: ec2.IMachineImage;
  readonly hostBundle: HostBundle;
  readonly subnet: ec2.ISubnet;
  readonly securityGroup: ec2.ISecurityGroup;
  readonly address?: string;
  readonly after: IDependable;
  readonly placementGroup?: ec2.IPlacementGroup;
  readonly capacityReservation?: CapacityReservation;
  readonly encryptionKey: kms.IKey;
  readonly rootDeviceName: string;
  readonly rootVolumeGiB: number;
  readonly hostName: string;
  /** Why the loss of all data is acceptable. */
  readonly reason: string;
  readonly spot?: NfsSpotOptions;
  readonly alarmTopic?: sns.ITopic;
}

/**
 * A server with its data on its own disks, in an Auto Scaling group of one. The address lives on: it is that of a
 * network interface of the stack, which the launch template names as the primary one of whatever server the group
 * launches. Such a group is told its Availability Zone and no subnet (Auto Scaling API Reference,
 * CreateAutoScalingGroup, AvailabilityZones). While the server before still holds the interface a launch fails, and
 * Auto Scaling tries again.
 */
export class LocalNfsServer extends Construct {
  readonly address: string;
  readonly networkInterfaceId: string;
  readonly group: autoscaling.CfnAutoScalingGroup;
  readonly role: iam.IRole;

  constructor(scope: Construct, id: string, props: LocalNfsServerProps) {
    super(scope, id);
    allowAutoScaling(this, props.encryptionKey);
    allowNotifications(this, props.alarmTopic);
    const networkInterface = new ec2.CfnNetworkInterface(this, 'Interface', {
      subnetId: props.subnet.subnetId,
      groupSet: [props.securityGroup.securityGroupId],
      privateIpAddress: props.address,
      description: `Fixed address of NFS server ${props.hostName}`,
    });
    networkInterface.node.addDependency(props.after);
    Tags.of(networkInterface).add('Name', props.hostName);
    this.networkInterfaceId = networkInterface.ref;
    this.address = props.address ?? networkInterface.attrPrimaryPrivateIpAddress;

    this.role = systemsManagerAgentRole(this, 'Role', 'NFS server: the Systems Manager agent only');
    const profile = new iam.InstanceProfile(this, 'Profile', { role: this.role });
    const template = this.template(props, networkInterface, profile);
    this.group = new autoscaling.CfnAutoScalingGroup(this, 'Group', {
      minSize: '1',
      maxSize: '1',
      availabilityZones: [zoneOf(props.subnet)],
      launchTemplate: { launchTemplateId: template.ref, version: template.attrLatestVersionNumber },
      healthCheckType: 'EC2',
      metricsCollection: [{ granularity: '1Minute' }],
      tags: [{ key: 'Name', value: `${Aws.STACK_NAME}-${props.hostName}`, propagateAtLaunch: true }],
      ...(props.alarmTopic && {
        notificationConfigurations: [
          {
            topicArn: props.alarmTopic.topicArn,
            notificationTypes: ['LAUNCH', 'LAUNCH_ERROR', 'TERMINATE', 'TERMINATE_ERROR'].map(
              (what) => `autoscaling:EC2_INSTANCE_${what}`,
            ),
          },
        ],
      }),
    });
    const reserved = props.capacityReservation?._make(this, 'CapacityReservation', {
      ...props,
      count: 1,
      zone: zoneOf(props.subnet),
    });
    if (reserved) this.group.node.addDependency(reserved);
    // Whoever reads the template sees that it was meant so.
    this.group.addMetadata('DataLossOnFailure', props.reason);
    // With its policies, and with its way to Systems Manager and to the packages.
    this.group.node.addDependency(this.role, props.subnet.internetConnectivityEstablished);
    if (!props.alarmTopic) {
      Validations.of(this.group).acknowledge({
        id: 'AwsSolutions-AS3',
        reason: 'Scaling events notify the alarm topic; none was given for this server.',
      });
    }
    this.watch(props.alarmTopic);
  }

  private template(
    props: LocalNfsServerProps,
    networkInterface: ec2.CfnNetworkInterface,
    profile: iam.InstanceProfile,
  ): ec2.CfnLaunchTemplate {
    const facts = instanceTypeFacts(props.instanceType.toString());
    const { imageId, osType } = props.machineImage.getImage(this);
    requireFit(this, { ...props, osType });
    const template = new ec2.CfnLaunchTemplate(this, 'Template', {
      launchTemplateData: {
        instanceType: props.instanceType.toString(),
        imageId,
        iamInstanceProfile: { arn: profile.instanceProfileArn },
        networkInterfaces: [{ deviceIndex: 0, networkInterfaceId: networkInterface.ref }],
        metadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 1 },
        monitoring: { enabled: true },
        ebsOptimized: facts === undefined || facts.ebs !== undefined,
        ...(props.placementGroup && { placement: { groupName: props.placementGroup.placementGroupName } }),
        ...(props.spot && {
          instanceMarketOptions: {
            marketType: 'spot',
            spotOptions: {
              spotInstanceType: 'one-time',
              ...(props.spot.maxPriceUsd !== undefined && { maxPrice: String(props.spot.maxPriceUsd) }),
            },
          },
        }),
        blockDeviceMappings: [
          {
            deviceName: props.rootDeviceName,
            ebs: {
              volumeType: 'gp3',
              volumeSize: props.rootVolumeGiB,
              encrypted: true,
              kmsKeyId: props.encryptionKey.keyArn,
              deleteOnTermination: true,
            },
          },
          ...mappedDisks(props.store).map(({ name, virtualName }) => ({ deviceName: name, virtualName })),
        ],
        userData: Fn.base64(
          props.hostBundle.userData({ scope: this, grantee: this.role }, props.machineImage).render(),
        ),
      },
    });
    // The interface is there before.
    props.capacityReservation?._startIn(template);
    tagAtLaunch(template, ['instance', 'volume']);
    template.applyRemovalPolicy(RemovalPolicy.DESTROY);
    return template;
  }

  private watch(topic: sns.ITopic | undefined): void {
    const alarm = new cloudwatch.Metric({
      namespace: 'AWS/AutoScaling',
      metricName: 'GroupInServiceInstances',
      dimensionsMap: { AutoScalingGroupName: this.group.ref },
      statistic: cloudwatch.Stats.MINIMUM,
    }).createAlarm(this, 'NoServer', {
      alarmDescription: 'NFS server with instance store: there has been none for 15 minutes.',
      threshold: 1,
      evaluationPeriods: 3,
      comparisonOperator: cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: cloudwatch.TreatMissingData.BREACHING,
    });
    tellTopic([alarm], topic);
  }
}

/** Disks older than NVMe: they are missing unless they are mapped, and the host knows them by these names only. */
export function mappedDisks({
  kind,
  disks,
}: InstanceStore): { name: string; device: string; virtualName: string }[] {
  if (kind === 'nvme-ssd') return [];
  return Array.from({ length: disks }, (_, index) => {
    // The first letter is the root volume's. Xen shows what was mapped as sdb as xvdb.
    const letter = String.fromCharCode('b'.charCodeAt(0) + index);
    return { name: `/dev/sd${letter}`, device: `/dev/xvd${letter}`, virtualName: `ephemeral${index}` };
  });
}
