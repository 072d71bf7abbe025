import { Aws, Duration, Fn, Tags, Validations } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct, type IDependable } from 'constructs';
import type { IEphemeralScratch } from '../ephemeral-scratch';
import { HostBundle, HostRole } from '../host';
import { tellTopic } from '../private/alarm-topic';
import { checkArguments } from '../private/inputs/check';
import type { IMountTarget } from '../shared-file-system';
import type { GridLaunch } from './launch';

/** Properties of `GridNode`. `SasGridCluster` makes the nodes; there is no need to make one yourself. */
export interface GridNodeProps {
  /** Short name, for example `node1`. */
  readonly hostName: string;

  /** Name in DNS. */
  readonly fullName: string;

  /** The subnet of its network interface. */
  readonly subnet: ec2.ISubnet;

  /**
   * Its private address.
   *
   * @default - EC2 picks one when the network interface is made
   */
  readonly address?: string;

  /** Its security group. */
  readonly securityGroup: ec2.ISecurityGroup;

  /**
   * What has to be there before it takes an address.
   *
   * @default - nothing
   */
  readonly after?: IDependable;

  /**
   * Its scratch.
   *
   * @default - none
   */
  readonly scratch?: IEphemeralScratch;
}

/**
 * A server of the grid: the control server or a node. Its name and its address belong to its network interface, which
 * stays when the server is stopped or replaced.
 */
export class GridNode extends Construct implements IMountTarget {
  /** Its short name, for example `node1`. LSF knows it by this name. */
  readonly hostName: string;

  /** Its name in DNS, for example `node1.sas-grid.internal`. */
  readonly fullName: string;

  /** Its private address. A token unless the cluster was given addresses. */
  readonly address: string;

  /** Its scratch; undefined when it has none. */
  readonly scratch?: IEphemeralScratch;

  /** Its software. */
  readonly hostBundle: HostBundle;

  /** Its security group. */
  readonly connections: ec2.Connections;

  private readonly networkInterface: ec2.CfnNetworkInterface;
  private instance?: ec2.CfnInstance;

  constructor(scope: Construct, id: string, props: GridNodeProps) {
    ({ props } = checkArguments('GridNode', { scope, id, props }));
    super(scope, id);
    this.hostName = props.hostName;
    this.fullName = props.fullName;
    this.hostBundle = new HostBundle();
    this.scratch = props.scratch;
    this.connections = new ec2.Connections({ securityGroups: [props.securityGroup] });
    this.networkInterface = new ec2.CfnNetworkInterface(this, 'Interface', {
      description: `SAS grid: ${props.hostName}`,
      subnetId: props.subnet.subnetId,
      groupSet: [props.securityGroup.securityGroupId],
      privateIpAddress: props.address,
    });
    if (props.after) this.networkInterface.node.addDependency(props.after);
    Tags.of(this).add('Name', props.hostName);
    this.address = props.address ?? this.networkInterface.attrPrimaryPrivateIpAddress;
  }

  /** Id of the EC2 instance. */
  get instanceId(): string {
    return this.instance!.ref;
  }

  /** @internal */
  _launch(options: GridLaunch): void {
    this.instance = new ec2.CfnInstance(this, 'Server', {
      instanceType: options.instanceType.toString(),
      imageId: options.image.imageId,
      iamInstanceProfile: options.instanceProfileName,
      networkInterfaces: [{ deviceIndex: '0', networkInterfaceId: this.networkInterface.ref }],
      placementGroupName: options.placementGroupName,
      launchTemplate: options.launchTemplate && {
        launchTemplateId: options.launchTemplate.ref,
        version: options.launchTemplate.attrLatestVersionNumber,
      },
      metadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 1 },
      monitoring: true,
      disableApiTermination: options.terminationProtection,
      // A shutdown from within, for the night or by mistake, must never mean the end of the server.
      instanceInitiatedShutdownBehavior: 'stop',
      propagateTagsToVolumeOnCreation: true,
      blockDeviceMappings: [
        {
          deviceName: options.rootDeviceName,
          ebs: {
            volumeType: 'gp3',
            volumeSize: options.rootVolumeGiB,
            encrypted: true,
            kmsKeyId: options.kmsKeyArn,
            deleteOnTermination: true,
          },
        },
        ...(this.scratch?.blockDevices ?? []).map(({ deviceName, volume }) => ({
          deviceName,
          virtualName: volume.virtualName,
        })),
      ],
      userData: Fn.base64(
        this.hostBundle.userData({ scope: this, grantee: options.role }, options.machineImage).render(),
      ),
    });
    this.instance.cfnOptions.creationPolicy = options.creationPolicy;
    if (options.creationPolicy) {
      this.hostBundle.addRole(HostRole.GRID_NODE, {
        SIGNAL_STACK: Aws.STACK_ID,
        SIGNAL_RESOURCE: this.instance.logicalId,
      });
    }
    this.instance.node.addDependency(options.after);
    Validations.of(this.instance).acknowledge({
      id: 'AwsSolutions-EC26',
      reason:
        'The one EBS disk of the server is encrypted. The rule fails to read an instance with mapped instance-store ' +
        'disks, and an instance without launch template in a stack that has launch templates.',
    });
  }

  /** @internal */
  _watch(topic?: sns.ITopic): void {
    const alarm = new cloudwatch.Alarm(this, 'StatusCheckFailed', {
      alarmDescription: `SAS grid server ${this.hostName} fails EC2's status checks`,
      metric: new cloudwatch.Metric({
        namespace: 'AWS/EC2',
        metricName: 'StatusCheckFailed',
        dimensionsMap: { InstanceId: this.instanceId },
        statistic: cloudwatch.Stats.MAXIMUM,
        period: Duration.minutes(1),
      }),
      threshold: 1,
      comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 5,
      // A server stopped for the night reports nothing, and that is all right.
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
    });
    tellTopic([alarm], topic);
  }
}
