import { needsOf } from '../../../cli/preflight/needs';
import { PLACE, STACKS, stackOf } from './subject';

test('what the templates need is read from them', () => {
  const needs = needsOf(STACKS, PLACE);
  expect(needs).toMatchObject({
    bootstrap: { version: 6 },
    hosts: [
      { count: 2, type: 'm6in.8xlarge', image: { parameter: '/images/el9' }, zone: { name: 'eu-west-1a' } },
      { count: 1, type: 'i4i.8xlarge', grouped: false, zone: { name: 'eu-west-1a' } },
    ],
    addresses: 1,
    vpcs: [{ cidr: '172.16.0.0/20' }],
    groups: [{ by: 'mine-network/Group', inbound: 1, outbound: 1 }],
    endpoints: [{ service: 'com.amazonaws.eu-west-1.ssm', zones: [{ name: 'eu-west-1a' }], gateway: false }],
    keys: [{ forGroups: true }],
    names: [{ type: 'AWS::Logs::LogGroup', name: '/a/mine-storage' }],
  });
  expect(needs.volumes).toEqual([
    { count: 1, type: 'io2', sizeGiB: 1024, iops: 50_000, system: false },
    { count: 2, type: 'gp3', sizeGiB: 30, system: true },
  ]);
});

test('a nested stack is read with what it is given', () => {
  const nested = {
    Parameters: { Zone: { Type: 'String' } },
    Resources: {
      Volume: { Type: 'AWS::EC2::Volume', Properties: { Size: 5, AvailabilityZone: { Ref: 'Zone' } } },
    },
  };
  const stack = stackOf(
    'mine',
    {
      Resources: {
        More: {
          Type: 'AWS::CloudFormation::Stack',
          Properties: { Parameters: { Zone: 'eu-west-1a' } },
          Metadata: { 'aws:asset:path': 'more.nested.template.json' },
        },
      },
    },
    { 'more.nested.template.json': nested },
  );
  expect(needsOf([stack], PLACE).volumes).toEqual([{ count: 1, type: 'gp2', sizeGiB: 5, system: false }]);
});

test.each([
  [{ 'Fn::Equals': [{ Ref: 'AWS::Partition' }, 'aws'] }, 1],
  [{ 'Fn::Equals': [{ Ref: 'AWS::Partition' }, 'aws-cn'] }, 0],
  [{ 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'eu-west-1'] }] }, 0],
  [{ 'Fn::Equals': [{ Ref: 'Unknown' }, 'yes'] }, 1],
])('a resource under the condition %j is made: %d', (condition, made) => {
  const template = {
    Parameters: { Unknown: { Type: 'String' } },
    Conditions: { Wanted: condition },
    Resources: { Address: { Type: 'AWS::EC2::EIP', Condition: 'Wanted' } },
  };
  expect(needsOf([stackOf('mine', template)], PLACE).addresses).toBe(made);
});

test('types that take the place of another one are looked at, and counted once', () => {
  const template = {
    Resources: {
      Template: {
        Type: 'AWS::EC2::LaunchTemplate',
        Properties: { LaunchTemplateData: { ImageId: 'ami-1' } },
      },
      Group: {
        Type: 'AWS::AutoScaling::AutoScalingGroup',
        Properties: {
          MinSize: '3',
          VPCZoneIdentifier: ['subnet-1'],
          MixedInstancesPolicy: {
            LaunchTemplate: {
              LaunchTemplateSpecification: { LaunchTemplateId: { Ref: 'Template' } },
              Overrides: [{ InstanceType: 'm6in.large' }, { InstanceType: 'm6idn.large' }],
            },
          },
        },
      },
    },
  };
  expect(needsOf([stackOf('mine', template)], PLACE).hosts).toMatchObject([
    { type: 'm6in.large', count: 3, image: { id: 'ami-1' }, zone: { subnet: 'subnet-1' } },
    { type: 'm6idn.large', count: 0 },
  ]);
});

test('an image that a pipeline builds is asked for, and its build needs a type and a base image', () => {
  const resource = (Type: string, Properties: object) => ({ Type, Properties });
  const template = {
    Parameters: {
      ImageOfServer: {
        Type: 'AWS::EC2::Image::Id',
        Description: 'The image that the pipeline mine-images/Server has built',
      },
    },
    Resources: {
      Infrastructure: resource('AWS::ImageBuilder::InfrastructureConfiguration', {
        InstanceTypes: ['m6i.large'],
        SubnetId: 'subnet-1',
      }),
      Recipe: resource('AWS::ImageBuilder::ImageRecipe', { ParentImage: 'ami-base' }),
      Pipeline: resource('AWS::ImageBuilder::ImagePipeline', {
        ImageRecipeArn: { 'Fn::GetAtt': ['Recipe', 'Arn'] },
        InfrastructureConfigurationArn: { 'Fn::GetAtt': ['Infrastructure', 'Arn'] },
      }),
      Host: resource('AWS::EC2::Instance', { ImageId: { Ref: 'ImageOfServer' }, InstanceType: 'm6in.large' }),
    },
  };
  expect(needsOf([stackOf('mine', template)], PLACE).hosts).toMatchObject([
    {
      by: 'mine/Pipeline',
      count: 0,
      type: 'm6i.large',
      image: { id: 'ami-base' },
      zone: { subnet: 'subnet-1' },
    },
    { count: 1, image: { asked: expect.stringContaining('mine-images/Server') } },
  ]);
});
