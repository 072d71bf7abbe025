import { Aws, type CfnWaitCondition, Size, Tags, Validations } from 'aws-cdk-lib';
import * as autoscaling from 'aws-cdk-lib/aws-autoscaling';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as iam from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { HostBundle, HostRole } from '../host';
import { allowNotifications } from '../private/auto-scaling-key';
import { requireFit } from '../private/launch-fit';
import { tagAtLaunch } from '../private/tags-at-launch';
import type { IIo2Host } from './host';
import { type CheckedProps, placementGroup } from './single-host';

/** What is known of a node before it is launched. */
export interface ClusterNodeProps {
  readonly name: string;
  readonly address?: string;
  readonly subnet: ec2.ISubnet;
  readonly securityGroup: ec2.ISecurityGroup;
}

/** A node of a cluster: an address that outlives its instances, and an Auto Scaling group that keeps one instance. */
export class ClusterNode extends Construct implements IIo2Host {
  readonly name: string;
  readonly address: string;
  readonly hostBundle = new HostBundle();
  readonly connections: ec2.Connections;
  readonly networkInterface: ec2.CfnNetworkInterface;
  private group?: autoscaling.AutoScalingGroup;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ClusterNodeProps,
  ) {
    super(scope, id);
    this.name = props.name;
    this.connections = props.securityGroup.connections;
    this.networkInterface = new ec2.CfnNetworkInterface(this, 'Interface', {
      description: `Fixed address of cluster node ${props.name}`,
      subnetId: props.subnet.subnetId,
      groupSet: [props.securityGroup.securityGroupId],
      privateIpAddress: props.address,
    });
    Tags.of(this).add('Name', `${Aws.STACK_NAME}-${props.name}`);
    this.address = props.address ?? this.networkInterface.attrPrimaryPrivateIpAddress;
  }

  get networkInterfaceId(): string {
    return this.networkInterface.ref;
  }

  get autoScalingGroup(): autoscaling.AutoScalingGroup {
    return this.group!;
  }

  launch(
    props: CheckedProps,
    role: iam.IRole,
    cluster: { [key: string]: string },
    mounted?: CfnWaitCondition,
  ): autoscaling.AutoScalingGroup {
    this.hostBundle.addRole(HostRole.GFS2_NODE, cluster);
    this.hostBundle.addRole(HostRole.SHARED_VOLUMES, {
      REGION: cluster.REGION!,
      VOLUMES: cluster.VOLUMES!,
      INTERFACE: this.networkInterfaceId,
      NODE: this.name,
      ...(mounted && { SIGNAL_STACK: Aws.STACK_ID, SIGNAL_RESOURCE: mounted.logicalId }),
    });
    const launchTemplate = this.newTemplate(props, role);
    props.capacityReservation?._startIn(launchTemplate.node.defaultChild as ec2.CfnLaunchTemplate);
    tagAtLaunch(launchTemplate.node.defaultChild as ec2.CfnLaunchTemplate, [
      'instance',
      'volume',
      'network-interface',
    ]);
    requireFit(this, { ...props, instanceType: props.plan.instanceType, osType: launchTemplate.osType });
    allowNotifications(this, props.alarmTopic);
    const group = new autoscaling.AutoScalingGroup(this, 'Group', {
      vpc: props.network.vpc,
      vpcSubnets: { subnets: [this.props.subnet] },
      launchTemplate,
      minCapacity: 1,
      maxCapacity: 1,
      // A node that was fenced is stopped, which counts as unhealthy: its group terminates it and starts another.
      healthChecks: autoscaling.HealthChecks.ec2(),
      groupMetrics: [autoscaling.GroupMetrics.all()],
      notifications: props.alarmTopic
        ? [{ topic: props.alarmTopic, scalingEvents: autoscaling.ScalingEvents.ALL }]
        : undefined,
      // No update policy: a changed template takes effect when a node is replaced, never by a deployment terminating
      // nodes.
    });
    if (!props.alarmTopic) {
      Validations.of(group).acknowledge({
        id: 'AwsSolutions-AS3',
        reason: 'Scaling events notify the alarm topic; none was given for this cluster.',
      });
    }
    this.group = group;
    return group;
  }

  private newTemplate(props: CheckedProps, role: iam.IRole): ec2.LaunchTemplate {
    return new ec2.LaunchTemplate(this, 'Template', {
      instanceType: props.plan.instanceType,
      machineImage: props.machineImage,
      userData: this.hostBundle.userData({ scope: this, grantee: role }, props.machineImage),
      role,
      securityGroup: this.props.securityGroup,
      associatePublicIpAddress: false,
      requireImdsv2: true,
      httpPutResponseHopLimit: 1,
      detailedMonitoring: true,
      ebsOptimized: true,
      placementGroup: placementGroup(props),
      blockDevices: [
        {
          deviceName: props.rootDeviceName ?? '/dev/sda1',
          volume: ec2.BlockDeviceVolume.ebs((props.rootVolumeSize ?? Size.gibibytes(100)).toGibibytes(), {
            encrypted: true,
            kmsKey: props.encryptionKey,
            volumeType: ec2.EbsDeviceVolumeType.GP3,
            deleteOnTermination: true,
          }),
        },
      ],
    });
  }
}
