import { aws_ec2 as ec2, aws_logs as logs, RemovalPolicy, Size } from 'aws-cdk-lib';
import { Construct, Dependable, type IConstruct } from 'constructs';
import { type Misfit, misfitOfImage } from './machine-image';

/** A class or an interface of the CDK that an input may have. */
export interface ForeignType {
  /** What it is, with a way to make one. */
  readonly allowed: string;

  /**
   * Whether a value is one. By its members, never by `instanceof`: there may be two copies of a library in one tree,
   * and objects from other languages are proxies.
   */
  is(value: object): boolean;

  /** Why one cannot be used; undefined when it can. */
  misfit?(value: object, scope: IConstruct | undefined): Misfit | undefined;

  /** One that stands in for what is not known before a look-up is done. */
  standIn?(scope: IConstruct | undefined, id: string): unknown;
}

const members =
  (...names: string[]) =>
  (value: object) =>
    names.every((name) => name in value);

// In the table of instance types, with local disks, accepted in cluster placement groups and by io2 Block Express.
const STAND_IN_TYPE = 'i4i.8xlarge';

function isDependable(value: object): boolean {
  try {
    Dependable.get(value as Parameters<typeof Dependable.get>[0]);
    return true;
  } catch {
    return false;
  }
}

/** By its name without the module. A type that is not here must not be the type of an input. */
export const FOREIGN_TYPES: { readonly [name: string]: ForeignType } = {
  Construct: { allowed: 'a construct, such as the stack (`this`)', is: Construct.isConstruct },
  Duration: { allowed: 'a Duration, such as Duration.minutes(15)', is: members('toSeconds', 'toMinutes') },
  IAutoScalingGroup: {
    allowed: 'an Auto Scaling group, such as new autoscaling.AutoScalingGroup(...)',
    is: members('autoScalingGroupName'),
  },
  IBucket: {
    allowed: 'a bucket, such as s3.Bucket.fromBucketName(...)',
    is: members('bucketArn', 'bucketName', 'grantRead'),
  },
  ICertificate: {
    allowed: 'a certificate, such as acm.Certificate.fromCertificateArn(...)',
    is: members('certificateArn'),
  },
  IConnectable: {
    allowed: 'what has connections, such as an instance or a security group',
    is: members('connections'),
  },
  IConstruct: { allowed: 'a construct', is: Construct.isConstruct },
  IDependable: { allowed: 'what can be depended on, such as a construct', is: isDependable },
  IGrantable: { allowed: 'what gets rights, such as a role', is: members('grantPrincipal') },
  IHostedZone: {
    allowed: 'a hosted zone, such as route53.HostedZone.fromHostedZoneAttributes(...)',
    is: members('hostedZoneId', 'zoneName'),
  },
  IKey: { allowed: 'a key, such as kms.Key.fromKeyArn(...)', is: members('keyArn', 'keyId', 'grant') },
  IMachineImage: {
    allowed: "a machine image, such as ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-...' })",
    is: members('getImage'),
    misfit: misfitOfImage,
  },
  InstanceType: {
    allowed: "an instance type, such as new ec2.InstanceType('m6in.8xlarge')",
    is: members('architecture', 'isBurstable'),
    standIn: () => new ec2.InstanceType(STAND_IN_TYPE),
  },
  InterfaceVpcEndpointAwsService: {
    allowed: 'a service, such as ec2.InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS',
    is: members('shortName', 'name', 'port'),
  },
  IPlacementGroup: {
    allowed: 'a placement group, such as ec2.PlacementGroup.fromPlacementGroupName(...)',
    is: members('placementGroupName'),
  },
  IRole: {
    allowed: 'a role, such as iam.Role.fromRoleArn(...)',
    is: members('roleArn', 'addToPrincipalPolicy', 'grantPrincipal'),
  },
  ISecret: {
    allowed: 'a secret, such as secretsmanager.Secret.fromSecretCompleteArn(...)',
    is: members('secretArn', 'grantRead'),
  },
  ISecurityGroup: {
    allowed: 'a security group, such as ec2.SecurityGroup.fromSecurityGroupId(...)',
    is: members('securityGroupId', 'addIngressRule', 'connections'),
  },
  ISubnet: {
    allowed: 'a subnet, such as vpc.privateSubnets[0] or ec2.Subnet.fromSubnetAttributes(...)',
    is: members('subnetId', 'availabilityZone', 'node'),
    standIn: (scope, id) =>
      scope &&
      ec2.Subnet.fromSubnetAttributes(scope, id, {
        subnetId: 'subnet-awaits-context',
        availabilityZone: 'dummy1a',
        routeTableId: 'rtb-awaits-context',
      }),
  },
  ITopic: {
    allowed: 'a topic, such as sns.Topic.fromTopicArn(...)',
    is: members('topicArn', 'topicName', 'grantPublish'),
  },
  IVpc: {
    allowed: 'a VPC, such as ec2.Vpc.fromLookup(...) or fromVpcAttributes(...)',
    is: members('vpcId', 'privateSubnets', 'selectSubnets'),
  },
  Schedule: {
    allowed: "a schedule, such as events.Schedule.cron({ hour: '3', minute: '0' })",
    is: members('expressionString'),
  },
  Size: {
    allowed: 'a Size, such as Size.gibibytes(100)',
    is: members('toGibibytes', 'toMebibytes'),
    standIn: () => Size.gibibytes(1200),
  },
};

/** Enumerations of the CDK, as they are in the version that is installed. */
export const FOREIGN_ENUMS: {
  readonly [name: string]: () => { readonly [member: string]: string | number };
} = {
  EbsDeviceVolumeType: () => ec2.EbsDeviceVolumeType,
  RemovalPolicy: () => RemovalPolicy,
  // A number: jsii gives its members by name and back.
  RetentionDays: () => logs.RetentionDays as unknown as { readonly [member: string]: string | number },
};
