import { Lazy, type Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { InstanceType, MachineImage, Port, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { GridNetwork, type GridNetworkProps, NatKind } from '../../../constructs/grid-network';
import { testApp, testStack } from '../../helpers/app';

const make = (props: GridNetworkProps) => new GridNetwork(testStack(), 'Network', props);

const importVpc = (stack: Stack, zones = ['us-east-1a']) =>
  Vpc.fromVpcAttributes(stack, 'Vpc', {
    vpcId: 'vpc-1',
    availabilityZones: zones,
    privateSubnetIds: zones.map((_, index) => `subnet-${index + 1}`),
  });

describe('bad input', () => {
  test.each<[string, GridNetworkProps, RegExp[]]>([
    ['no range', { vpcCidr: '172.16.0.0' }, [/vpcCidr is '172.16.0.0'/, /\/16 to \/28/]],
    ['not the first address', { privateSubnetCidr: '172.16.4.1/24' }, [/'172.16.4.1\/24'/, /first address/]],
    ['too wide', { vpcCidr: '10.0.0.0/8' }, [/'10.0.0.0\/8'/, /\/16 to \/28/]],
    ['too narrow', { privateSubnetCidr: '172.16.4.0/29' }, [/\/29/, /\/16 to \/28/]],
    [
      'outside the VPC',
      { privateSubnetCidr: '172.17.0.0/24' },
      [/privateSubnetCidr is '172.17.0.0\/24'/, /172.16.0.0\/20/, /Move/],
    ],
    [
      'overlap',
      { privateSubnetCidr: '172.16.3.0/24' },
      [/'172.16.3.0\/24'/, /publicSubnetCidr 172.16.0.0\/22/, /Move/],
    ],
    ['zeros in front', { vpcCidr: '010.0.0.0/16' }, [/vpcCidr is '010.0.0.0\/16'/]],
    ['zeros in front, let in', { sshAccessFrom: ['10.0.0.0/08'] }, [/sshAccessFrom is '10.0.0.0\/08'/]],
    [
      'a NAT instance of a type that is none',
      { nat: NatKind.INSTANCE, natInstanceType: new InstanceType('banana') },
      [/natInstanceType is 'banana'/, /m6in\.8xlarge/],
    ],
    [
      'a NAT instance of a type that nobody knows',
      {
        nat: NatKind.INSTANCE,
        natInstanceType: new InstanceType(Lazy.string({ produce: () => 't4g.small' })),
      },
      [/natInstanceType is 'a token'/, /known at synthesis/],
    ],
    [
      'ranges of which nobody knows how many',
      { webAccessFrom: Lazy.list({ produce: () => ['10.0.0.0/8'] }) },
      [/webAccessFrom is 'a token'/, /known at synthesis/],
    ],
    [
      'open to the world',
      { webAccessFrom: ['0.0.0.0/0'] },
      [/webAccessFrom is '0.0.0.0\/0'/, /\/8 to \/32/, /open to the world/],
    ],
    ['open to the world over IPv6', { webAccessFrom: ['::/0'] }, [/'::\/0'/, /open to the world/]],
    [
      'half of the world',
      { sshAccessFrom: ['0.0.0.0/1'] },
      [/sshAccessFrom is '0.0.0.0\/1'/, /Session Manager/],
    ],
    ...['eu-west-1a', 'us-east-2a', 'us-east-11a'].map((zone): [string, GridNetworkProps, RegExp[]] => [
      `the zone ${zone} of another region`,
      { availabilityZone: zone },
      [new RegExp(`availabilityZone is '${zone}'`), /the stack's region us-east-1, such as us-east-1a/],
    ]),
    [
      'two zones',
      { availabilityZone: 'us-east-1a,us-east-1b' },
      [/'us-east-1a,us-east-1b'/, /one Availability Zone/, /EBS volumes live in one zone/],
    ],
  ])('%s', (_, props, messages) => {
    for (const message of messages) expect(() => make(props)).toThrow(message);
  });

  test('existing subnets in two zones', () => {
    const stack = testStack();
    const vpc = importVpc(stack, ['us-east-1a', 'us-east-1b']);
    const act = () =>
      new GridNetwork(stack, 'Network', { existing: { vpc, privateSubnets: vpc.privateSubnets } });
    expect(act).toThrow(/us-east-1a, us-east-1b.*one zone.*leave out the subnets/);
  });

  test('existing and new at once, no subnet, a range outside the subnet', () => {
    const stack = testStack();
    const vpc = importVpc(stack);
    const subnets = { vpc, privateSubnets: vpc.privateSubnets };
    const act = (id: string, props: GridNetworkProps) => () => new GridNetwork(stack, id, props);
    expect(act('A', { existing: subnets, vpcCidr: '10.0.0.0/16' })).toThrow(
      /vpcCidr is '10.0.0.0\/16'.*existing/,
    );
    expect(act('B', { existing: { vpc, privateSubnets: [] } })).toThrow(/existing.privateSubnets is \[\]/);
    expect(act('C', { existing: { ...subnets, storageAddressRanges: ['10.0.0.0'] } })).toThrow(
      /'10.0.0.0'.*10.0.1.64\/26/,
    );
    const ours = new GridNetwork(stack, 'Ours', { nat: NatKind.NONE });
    const existing = {
      vpc: ours.vpc,
      privateSubnets: ours.privateSubnets,
      storageAddressRanges: ['172.16.5.0/26'],
    };
    expect(act('D', { existing })).toThrow(/inside the private subnet 172.16.4.0\/24/);
  });

  test('access for a security group that somebody else owns', () => {
    const stack = testStack();
    const vpc = importVpc(stack);
    const securityGroup = SecurityGroup.fromSecurityGroupId(stack, 'Group', 'sg-1');
    const existing = { vpc, privateSubnets: vpc.privateSubnets, securityGroup };
    for (const key of ['webAccessFrom', 'sshAccessFrom']) {
      expect(() => new GridNetwork(stack, key, { existing, [key]: ['10.0.0.0/8'] })).toThrow(
        new RegExp(
          `${key} is \\["10.0.0.0/8"\\]; allowed: not set together with existing.securityGroup. .*add the rule there`,
        ),
      );
    }
  });

  test('more addresses than are reserved', () => {
    const network = make({ privateSubnetCidr: '172.16.4.0/27' });
    expect(network.reserveAddresses('mgs', 1)).toHaveLength(1);
    expect(() => network.reserveAddresses('oss', 9)).toThrow(
      /addresses for oss is 9.*at most 8.*of 16.*wider/,
    );
    expect(() => network.reserveAddresses('oss', 0)).toThrow(/is 0.*from 1/);
  });

  test('types that a cluster placement group refuses, and types nobody knows', () => {
    const network = make({});
    const t3 = new InstanceType('t3.large');
    const unknown = new InstanceType('z99.large');
    expect(() => network.placementGroupFor(t3)).toThrow(/'t3.large'.*no burstable.*Use a type such as/);
    expect(() => network.placementGroupFor(unknown)).toThrow(/'z99.large'.*declare/);
    expect(network.placementGroupFor(unknown, true)).toBe(network.placementGroup);
    expect(network.placementGroupFor(new InstanceType('c3.8xlarge'))).toBe(network.placementGroup);
  });

  test.each<[string, GridNetworkProps, number]>([
    ['not named', {}, 1],
    ['named', { availabilityZone: 'us-east-1a' }, 0],
  ])('a zone that is %s is warned about or not', (_, props, warnings) => {
    const stack = testStack();
    new GridNetwork(stack, 'Network', props);
    const found = Annotations.fromStack(stack).findWarning(
      '/Test/Network',
      Match.stringLikeRegexp('availabilityZone is not named.*Name the zone.*cdk-sas-grid:zoneNotNamed'),
    );
    expect(found).toHaveLength(warnings);
  });

  test('the zone of an existing network is nothing to be warned about', () => {
    const stack = testStack();
    const vpc = importVpc(stack);
    new GridNetwork(stack, 'Network', { existing: { vpc, privateSubnets: vpc.privateSubnets } });
    expect(Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('zoneNotNamed'))).toEqual([]);
  });

  test('a public range is only warned about', () => {
    const stack = testStack();
    new GridNetwork(stack, 'Network', {
      vpcCidr: '8.8.0.0/20',
      publicSubnetCidr: '8.8.0.0/24',
      privateSubnetCidr: '8.8.1.0/24',
    });
    Annotations.fromStack(stack).hasWarning(
      '/Test/Network',
      Match.stringLikeRegexp('8.8.0.0/20 is not a private range'),
    );
  });
});

test('tokens pass', () => {
  const cidr = Lazy.string({ produce: () => '172.16.4.0/24' });
  const network = make({
    privateSubnetCidr: cidr,
    webAccessFrom: [Lazy.string({ produce: () => '203.0.113.0/24' })],
  });
  expect(network.reserveAddresses('oss', 3)).toBeUndefined();
});

describe('a NAT instance', () => {
  const stack = testStack();
  const network = new GridNetwork(stack, 'Network', {
    nat: NatKind.INSTANCE,
    availabilityZone: 'us-east-1b',
  });
  const template = Template.fromStack(stack);

  test('tags its disk at launch, and warns of an image that moves', () => {
    template.hasResourceProperties('AWS::EC2::Instance', { PropagateTagsToVolumeOnCreation: true });
    const warnings = Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('movingNatImage'));
    expect(warnings).toHaveLength(1);
    const pinned = testStack();
    new GridNetwork(pinned, 'Network', {
      nat: NatKind.INSTANCE,
      availabilityZone: 'us-east-1b',
      natMachineImage: MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' }),
    });
    expect(Annotations.fromStack(pinned).findWarning('*', Match.anyValue())).toEqual([]);
    Template.fromStack(pinned).hasResourceProperties('AWS::EC2::Instance', {
      ImageId: 'ami-0123456789abcdef0',
    });
  });

  test('replaces the gateway and forwards', () => {
    template.resourceCountIs('AWS::EC2::NatGateway', 0);
    template.hasResourceProperties('AWS::EC2::Instance', {
      SourceDestCheck: false,
      InstanceType: 't4g.small',
    });
    template.hasResourceProperties('AWS::EC2::Route', { InstanceId: Match.anyValue() });
  });

  test('takes web traffic from the private subnet and nothing else', () => {
    expect(network.natSecurityGroup).toBeDefined();
    template.hasResourceProperties('AWS::EC2::SecurityGroup', {
      GroupDescription: 'SAS Grid: NAT instance',
      SecurityGroupIngress: [
        Match.objectLike({ CidrIp: '172.16.4.0/24', FromPort: 80, ToPort: 80 }),
        Match.objectLike({ CidrIp: '172.16.4.0/24', FromPort: 443, ToPort: 443 }),
      ],
    });
  });

  test('has an encrypted disk, tokens for its metadata, and waits for the internet', () => {
    template.hasResourceProperties('AWS::EC2::LaunchTemplate', {
      LaunchTemplateData: { MetadataOptions: { HttpTokens: 'required' } },
    });
    template.hasResource('AWS::EC2::Instance', {
      Properties: { BlockDeviceMappings: [Match.objectLike({ Ebs: Match.objectLike({ Encrypted: true }) })] },
      DependsOn: Match.arrayWith([Match.stringLikeRegexp('PublicSubnetDefaultRoute')]),
    });
  });

  test('is in the zone that was asked for', () => {
    template.allResourcesProperties('AWS::EC2::Subnet', { AvailabilityZone: 'us-east-1b' });
    expect(network.availabilityZone).toBe('us-east-1b');
  });
});

test('without NAT the private subnet has no way out', () => {
  const stack = testStack();
  const network = new GridNetwork(stack, 'Network', {
    nat: NatKind.NONE,
    flowLogs: false,
    interfaceEndpoints: false,
  });
  const template = Template.fromStack(stack);
  template.resourceCountIs('AWS::EC2::Route', 1);
  template.resourceCountIs('AWS::EC2::FlowLog', 0);
  template.resourceCountIs('AWS::EC2::VPCEndpoint', 2);
  expect(network.vpc.isolatedSubnets).toEqual(network.privateSubnets);
});

describe('an existing network', () => {
  const stack = testStack(testApp());
  const vpc = importVpc(stack);
  const network = new GridNetwork(stack, 'Network', {
    existing: { vpc, privateSubnets: vpc.privateSubnets, storageAddressRanges: ['10.0.1.64/26'] },
  });
  const template = Template.fromStack(stack);

  test('gets a placement group, three security groups and a reservation with its function, nothing else', () => {
    const types = Object.values(template.toJSON().Resources as Record<string, { Type: string }>).map(
      (r) => r.Type,
    );
    expect(new Set(types)).toEqual(
      new Set([
        'AWS::EC2::PlacementGroup',
        'AWS::EC2::SecurityGroup',
        'AWS::EC2::SecurityGroupIngress',
        'AWS::EC2::SecurityGroupEgress',
        'Custom::SasGridAddressReservation',
        'AWS::IAM::Policy',
        'AWS::IAM::Role',
        'AWS::Lambda::Function',
        'AWS::Logs::LogGroup',
      ]),
    );
    template.resourceCountIs('AWS::EC2::SecurityGroup', 3);
  });

  test.each([
    ['as it is', false, 0],
    ['with the rules that hosts need', true, 1],
  ])('takes one security group for all hosts, %s', (_, mutable, rules) => {
    const own = testStack();
    const existingVpc = importVpc(own);
    const securityGroup = SecurityGroup.fromSecurityGroupId(own, 'Group', 'sg-1', { mutable });
    const { gridSecurityGroup, storageSecurityGroup } = new GridNetwork(own, 'Network', {
      existing: { vpc: existingVpc, privateSubnets: existingVpc.privateSubnets, securityGroup },
      interfaceEndpoints: true,
    });
    gridSecurityGroup.connections.allowInternally(Port.tcp(2049));
    const found = Template.fromStack(own);
    // That of the endpoints.
    found.resourceCountIs('AWS::EC2::SecurityGroup', 1);
    const added = found.findResources('AWS::EC2::SecurityGroupIngress', { Properties: { GroupId: 'sg-1' } });
    expect(Object.keys(added)).toHaveLength(rules);
    expect([gridSecurityGroup, storageSecurityGroup]).toEqual([securityGroup, securityGroup]);
  });

  test('hands out the named range, or leaves the choice to EC2', () => {
    expect(network.reserveAddresses('oss', 2)).toEqual(['10.0.1.64', '10.0.1.65']);
    const other = new GridNetwork(stack, 'Other', { existing: { vpc, privateSubnets: vpc.privateSubnets } });
    expect(other.reserveAddresses('oss', 2)).toBeUndefined();
    expect(network.publicSubnets).toEqual([]);
    expect(network.availabilityZone).toBe('us-east-1a');
  });
});
