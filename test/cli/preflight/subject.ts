import type { AssemblyStack, Json, Template } from '../../../cli/preflight/assembly';
import type { Aws } from '../../../cli/preflight/aws/port';
import type { Subject } from '../../../cli/preflight/findings';
import { needsOf } from '../../../cli/preflight/needs';
import { STORAGE_QUOTAS } from '../../../constructs/facts/quotas';

export const PLACE = {
  account: '123456789012',
  region: 'eu-west-1',
  partition: 'aws',
  urlSuffix: 'amazonaws.com',
  zones: ['eu-west-1a', 'eu-west-1b'],
};

export const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
export const ROLE =
  'arn:aws:iam::123456789012:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling';

export function stackOf(
  name: string,
  template: Template,
  nested: { [path: string]: Template } = {},
): AssemblyStack {
  return {
    name,
    template,
    bootstrap: { parameter: '/cdk-bootstrap/hnb659fds/version', version: 6 },
    nested: (path) => nested[path]!,
  };
}

const resource = (Type: string, Properties: Json) => ({ Type, Properties });

/** A network, a group of two servers with a volume each, and one host, in two stacks. */
export const STACKS: readonly AssemblyStack[] = [
  stackOf('mine-network', {
    Resources: {
      Vpc: resource('AWS::EC2::VPC', { CidrBlock: '172.16.0.0/20' }),
      Subnet: resource('AWS::EC2::Subnet', {
        AvailabilityZone: { 'Fn::Select': [0, { 'Fn::GetAZs': '' }] },
        CidrBlock: '172.16.0.0/24',
        VpcId: { Ref: 'Vpc' },
      }),
      Address: resource('AWS::EC2::EIP', {}),
      Group: resource('AWS::EC2::SecurityGroup', { SecurityGroupEgress: [{ CidrIp: '0.0.0.0/0' }] }),
      In: resource('AWS::EC2::SecurityGroupIngress', { GroupId: { 'Fn::GetAtt': ['Group', 'GroupId'] } }),
      Endpoint: resource('AWS::EC2::VPCEndpoint', {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is CloudFormation's
        ServiceName: { 'Fn::Sub': 'com.amazonaws.${AWS::Region}.ssm' },
        VpcEndpointType: 'Interface',
        SubnetIds: [{ Ref: 'Subnet' }],
      }),
    },
    Outputs: {
      Subnet: {
        Value: { Ref: 'Subnet' },
        Export: { Name: { 'Fn::Join': [':', [{ Ref: 'AWS::StackName' }, 'Subnet']] } },
      },
    },
  }),
  stackOf('mine-storage', {
    Parameters: {
      Image: { Type: 'AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>', Default: '/images/el9' },
    },
    Resources: {
      Logs: resource('AWS::Logs::LogGroup', {
        LogGroupName: { 'Fn::Join': ['', ['/a/', { Ref: 'AWS::StackName' }]] },
      }),
      Template: resource('AWS::EC2::LaunchTemplate', {
        LaunchTemplateData: {
          InstanceType: 'm6in.8xlarge',
          ImageId: { Ref: 'Image' },
          BlockDeviceMappings: [
            { DeviceName: '/dev/xvda', Ebs: { VolumeSize: 30, VolumeType: 'gp3', KmsKeyId: KEY } },
          ],
        },
      }),
      Servers: resource('AWS::AutoScaling::AutoScalingGroup', {
        MinSize: '2',
        MaxSize: '3',
        LaunchTemplate: { LaunchTemplateId: { Ref: 'Template' }, Version: '1' },
        VPCZoneIdentifier: [{ 'Fn::ImportValue': 'mine-network:Subnet' }],
      }),
      Volume: resource('AWS::EC2::Volume', { Size: 1024, VolumeType: 'io2', Iops: 50_000, KmsKeyId: KEY }),
      Host: resource('AWS::EC2::Instance', {
        InstanceType: 'i4i.8xlarge',
        ImageId: { Ref: 'Image' },
        SubnetId: { 'Fn::ImportValue': 'mine-network:Subnet' },
      }),
    },
  }),
];

const QUOTAS = 1000;

/** An account in which all of it can be deployed. */
export const GOOD: Aws = {
  zones: async () => [...PLACE.zones],
  offerings: async (types) => types.flatMap((type) => PLACE.zones.map((zone) => ({ type, zone }))),
  instanceTypes: async (types) =>
    types.map((type) => ({
      type,
      vcpus: 32,
      architectures: ['x86_64'],
      virtualization: ['hvm'],
      bootModes: ['legacy-bios', 'uefi'],
      enaRequired: true,
    })),
  quota: async (_, code) =>
    code === STORAGE_QUOTAS.value.io2!.code ? 20 : code === 'L-8D977E7E' ? 100_000 : QUOTAS,
  running: async () => [],
  volumes: async () => [],
  addresses: async () => [],
  vpcs: async () => [],
  subnets: async () => [],
  zonesOfSubnets: async () => [],
  connected: async () => [],
  rules: async () => [],
  parameter: async (name) => ({ '/images/el9': 'ami-1', '/cdk-bootstrap/hnb659fds/version': '21' })[name],
  images: async (ids) =>
    ids.map((id) => ({
      id,
      name: 'el9',
      owner: '999999999999',
      state: 'available',
      architecture: 'x86_64',
      virtualization: 'hvm',
      bootMode: 'uefi-preferred',
      ena: true,
      rootDevice: '/dev/xvda',
      rootGiB: 8,
    })),
  endpointServices: async (services) => services.map((service) => ({ service, zones: [...PLACE.zones] })),
  defaultKey: async () => undefined,
  key: async () => ({
    state: 'Enabled',
    managedBy: 'CUSTOMER',
    symmetric: true,
    policy: { Statement: { Effect: 'Allow', Action: 'kms:*', Resource: '*', Principal: { AWS: ROLE } } },
    grants: [],
  }),
  stack: async () => undefined,
  exists: async () => false,
};

/** The deployment 'mine' in an account in which some of it is otherwise. */
export function subjectOf(otherwise: Partial<Aws> = {}, stacks = STACKS): Subject {
  return {
    deployment: 'mine',
    needs: needsOf(stacks, PLACE),
    aws: { ...GOOD, ...otherwise },
    configuration: 'config/mine.yaml',
  };
}
