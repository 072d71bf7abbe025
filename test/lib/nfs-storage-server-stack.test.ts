import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { ExistingNetworkConfig, NfsConfig } from '../../lib/config-types';
import { addInExistingNetwork, StorageStack } from '../../lib/storage-stack';
import { testApp } from '../helpers/app';

const NFS: NfsConfig = { ebs: { preset: 'Medium-5TB' } };

function templateOf(existingNetwork: ExistingNetworkConfig = {}, nfs: NfsConfig = NFS): Template {
  const app = testApp();
  const config = { description: 'A test', existingNetwork, nfs };
  return Template.fromStack(new StorageStack(app, 'Test', { config }));
}

type Parameter = { Type: string; Default?: string; AllowedValues?: string[]; AllowedPattern?: string };
const parameter = (template: Template, id: string) => template.findParameters(id)[id] as Parameter;

describe('an NFS server in a network of which nothing is named', () => {
  const template = templateOf();

  test.each([
    ['VpcId', 'AWS::EC2::VPC::Id'],
    ['SubnetId', 'AWS::EC2::Subnet::Id'],
    ['AvailabilityZone', 'AWS::EC2::AvailabilityZone::Name'],
    ['SecurityGroupId', 'AWS::EC2::SecurityGroup::Id'],
    ['ClientRange', 'String'],
  ])('asks for %s', (id, type) => {
    const { Type, Default, AllowedValues } = parameter(template, id);
    expect([Type, Default, AllowedValues]).toEqual([type, undefined, undefined]);
  });

  test('shows every parameter of its own with a label under a heading', () => {
    const { ParameterGroups, ParameterLabels } = template.toJSON().Metadata['AWS::CloudFormation::Interface'];
    const ids = 'VpcId SubnetId AvailabilityZone SecurityGroupId PlacementGroupName ClientRange'.split(' ');
    expect(ParameterGroups).toEqual([{ Label: { default: 'Where the server is put' }, Parameters: ids }]);
    expect(Object.keys(ParameterLabels)).toEqual(ids);
  });

  // Elsewhere a server would be launched where its volumes are not, or its name published where nobody asks.
  test.each(['AvailabilityZone', 'VpcId'])('asserts the %s of the subnet before anything is made', (id) => {
    expect(template.toJSON().Rules[`${id}OfSubnet`].Assertions).toEqual([
      {
        Assert: { 'Fn::Contains': [[{ Ref: id }], { 'Fn::ValueOf': ['SubnetId', id] }] },
        AssertDescription: expect.stringContaining(id),
      },
    ]);
  });

  test('makes its volumes in the zone, after the interface that the subnet and the group have to be right for', () => {
    const [[networkInterface]] = Object.entries(
      template.findResources('AWS::EC2::NetworkInterface', {
        Properties: { SubnetId: { Ref: 'SubnetId' }, GroupSet: [{ Ref: 'SecurityGroupId' }] },
      }),
    ) as [[string, unknown]];
    template.hasResource('AWS::EC2::Volume', {
      Properties: { AvailabilityZone: { Ref: 'AvailabilityZone' } },
      DependsOn: Match.arrayWith([networkInterface]),
    });
  });

  test('leaves the network as it is', () => {
    for (const type of ['SecurityGroup', 'SecurityGroupIngress', 'SecurityGroupEgress', 'PlacementGroup']) {
      template.resourceCountIs(`AWS::EC2::${type}`, 0);
    }
    for (const type of ['VPC', 'Subnet', 'VPCEndpoint', 'Route']) {
      template.resourceCountIs(`AWS::EC2::${type}`, 0);
    }
    template.resourceCountIs('Custom::SasGridAddressReservation', 0);
  });

  test('launches into the placement group when there is one', () => {
    template.hasCondition('InPlacementGroup', {
      'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'PlacementGroupName' }, ''] }],
    });
    const name = { 'Fn::If': ['InPlacementGroup', { Ref: 'PlacementGroupName' }, { Ref: 'AWS::NoValue' }] };
    template.hasResourceProperties('AWS::EC2::LaunchTemplate', {
      LaunchTemplateData: { Placement: { GroupName: name } },
    });
    expect(parameter(template, 'PlacementGroupName').Default).toBe('');
  });

  test('publishes its name in the VPC, with the address that EC2 picks', () => {
    template.hasResourceProperties('AWS::Route53::HostedZone', {
      Name: 'storage1.sas-grid.internal.',
      VPCs: [{ VPCId: { Ref: 'VpcId' } }],
    });
    template.hasResourceProperties('AWS::Route53::RecordSet', {
      ResourceRecords: [{ 'Fn::GetAtt': [Match.anyValue(), 'PrimaryPrivateIpAddress'] }],
    });
  });

  test('exports to the range of the parameter', () => {
    const [launchTemplate] = Object.values(template.findResources('AWS::EC2::LaunchTemplate'));
    expect(JSON.stringify(launchTemplate)).toContain('{"Ref":"ClientRange"}');
  });

  test.each([
    ['10.0.0.0/8', true],
    ['172.16.4.0/24', true],
    ['192.168.1.7/32', true],
    ['0.0.0.0/0', false],
    ['10.0.0.0/7', false],
    ['10.0.0.0/33', false],
    ['10.0.0.256/24', false],
    ['10.0.00.0/24', false],
    ['10.0.0.0', false],
    ['10.0.0.0/24,0.0.0.0/0', false],
  ])('takes %s as a range of clients: %s', (range, accepted) => {
    const { AllowedPattern } = parameter(template, 'ClientRange');
    // CloudFormation holds the pattern against the whole value.
    expect(new RegExp(`^(?:${AllowedPattern})$`).test(range)).toBe(accepted);
  });
});

describe('an NFS server in a network that the configuration names', () => {
  const template = templateOf(
    {
      vpcId: 'vpc-0123456789abcdef0',
      subnetId: 'subnet-0123456789abcdef0',
      availabilityZone: 'eu-west-1b',
      securityGroupId: 'sg-0123456789abcdef0',
      placementGroup: 'cluster one',
    },
    { ...NFS, clientRanges: ['10.0.0.0/16', '10.1.0.0/16'] },
  );

  test.each([
    ['VpcId', 'vpc-0123456789abcdef0'],
    ['SubnetId', 'subnet-0123456789abcdef0'],
    ['AvailabilityZone', 'eu-west-1b'],
    ['SecurityGroupId', 'sg-0123456789abcdef0'],
    ['PlacementGroupName', 'cluster one'],
  ])('allows for %s nothing but %s', (id, value) => {
    const { Default, AllowedValues } = parameter(template, id);
    expect([Default, AllowedValues]).toEqual([value, [value]]);
  });

  test('does not ask for the ranges of the clients', () => {
    expect(template.findParameters('ClientRange')).toEqual({});
    template.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0);
  });
});

test('goes into a stack that has parameters of its own', () => {
  const stack = new Stack(testApp(), 'Test');
  const config = { description: 'A test', existingNetwork: {}, nfs: { ...NFS, address: '10.0.0.9' } };
  addInExistingNetwork(stack, config, new Topic(stack, 'Topic'));
  const template = Template.fromStack(stack);
  template.hasResourceProperties('AWS::EC2::NetworkInterface', { PrivateIpAddress: '10.0.0.9' });
  template.hasOutput('MountSource', { Value: '10.0.0.9:/export/sasdata' });
});

test('works on instance store, too', () => {
  const template = templateOf({}, { instanceStore: { dataLossAcceptableBecause: 'scratch only' } });
  template.hasResourceProperties('AWS::AutoScaling::AutoScalingGroup', {
    AvailabilityZones: [{ Ref: 'AvailabilityZone' }],
  });
});

test('a hot spare is a second server of the same group, and no second volume or address', () => {
  const count = (template: Template, type: string) => Object.keys(template.findResources(type)).length;
  const plain = templateOf();
  const spared = templateOf({}, { ebs: { ...NFS.ebs, hotSpares: 1 } });
  spared.hasResourceProperties('AWS::AutoScaling::AutoScalingGroup', { MinSize: '1', DesiredCapacity: '2' });
  plain.hasResourceProperties('AWS::AutoScaling::AutoScalingGroup', { MinSize: '1', MaxSize: '1' });
  for (const type of ['AWS::EC2::Volume', 'AWS::EC2::NetworkInterface'])
    expect(count(spared, type)).toBe(count(plain, type));
});
