import type { Template } from '../upgrade/differences';

type Properties = Readonly<Record<string, unknown>>;

/**
 * What only one resource can have at a time, by type: the properties that are it, from the documentation of each type.
 * Where a resource does not have the first of them, AWS chooses one that is free.
 */
const UNIQUE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'AWS::AutoScaling::AutoScalingGroup': [['AutoScalingGroupName']],
  'AWS::AutoScaling::LifecycleHook': [['LifecycleHookName', 'AutoScalingGroupName']],
  'AWS::CloudWatch::Alarm': [['AlarmName']],
  'AWS::CloudWatch::Dashboard': [['DashboardName']],
  'AWS::DynamoDB::Table': [['TableName']],
  'AWS::EC2::EIPAssociation': [['AllocationId']],
  'AWS::EC2::LaunchTemplate': [['LaunchTemplateName']],
  'AWS::EC2::NetworkInterface': [['PrivateIpAddress', 'SubnetId']],
  'AWS::EC2::Route': [['DestinationCidrBlock', 'RouteTableId']],
  'AWS::EC2::SecurityGroup': [['GroupName']],
  'AWS::EC2::SecurityGroupEgress': [
    ['GroupId', 'IpProtocol', 'FromPort', 'ToPort', 'CidrIp', 'DestinationSecurityGroupId'],
  ],
  'AWS::EC2::SecurityGroupIngress': [
    ['GroupId', 'IpProtocol', 'FromPort', 'ToPort', 'CidrIp', 'SourceSecurityGroupId'],
  ],
  'AWS::EC2::Subnet': [['CidrBlock', 'VpcId']],
  'AWS::EC2::SubnetCidrReservation': [['Cidr', 'SubnetId']],
  'AWS::EC2::SubnetRouteTableAssociation': [['SubnetId']],
  'AWS::EC2::VPCEndpoint': [['ServiceName', 'VpcId']],
  'AWS::EC2::VPCGatewayAttachment': [['VpcId', 'InternetGatewayId']],
  'AWS::Events::Rule': [['Name']],
  'AWS::IAM::Role': [['RoleName']],
  'AWS::Lambda::EventInvokeConfig': [['FunctionName', 'Qualifier']],
  'AWS::Lambda::Function': [['FunctionName']],
  'AWS::Logs::LogGroup': [['LogGroupName']],
  'AWS::Route53::HostedZone': [['Name', 'VPCs']],
  'AWS::Route53::RecordSet': [['Name', 'Type', 'HostedZoneId']],
  'AWS::S3::Bucket': [['BucketName']],
  'AWS::S3::BucketPolicy': [['Bucket']],
  'AWS::SNS::Topic': [['TopicName']],
  'AWS::SNS::TopicPolicy': [['Topics']],
  'AWS::SSM::Document': [['Name']],
  'AWS::SSM::Parameter': [['Name']],
};

/** What nobody else can have while the resource exists, of all resources of a template by logical id. */
export function identities({ Resources }: Template): Record<string, string[]> {
  const all = Object.entries(Resources as Record<string, { Type: string; Properties?: Properties }>);
  return Object.fromEntries(
    all.map(([id, { Type, Properties = {} }]) => [
      id,
      [
        ...(UNIQUE[Type] ?? [])
          .filter(([first]) => Properties[first!] !== undefined)
          .map((names) => `${Type} ${JSON.stringify(names.map((name) => Properties[name]))}`),
        ...(Type === 'AWS::EC2::Instance' ? interfaces(Properties) : []),
      ],
    ]),
  );
}

/** Interfaces that are there before an instance is. */
const interfaces = ({ NetworkInterfaces = [] }: Properties): string[] =>
  (NetworkInterfaces as { NetworkInterfaceId?: unknown }[])
    .filter(({ NetworkInterfaceId }) => NetworkInterfaceId !== undefined)
    .map(({ NetworkInterfaceId }) => `the interface ${JSON.stringify(NetworkInterfaceId)}`);

/** Whether a value is the same in every deployment and account: it names nothing that AWS makes. */
export const isLiteral = (identity: string): boolean => !/"(Ref|Fn::GetAtt|Fn::ImportValue)"/.test(identity);
