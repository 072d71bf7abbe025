import { Match, Template } from 'aws-cdk-lib/assertions';
import { InterfaceVpcEndpointAwsService } from 'aws-cdk-lib/aws-ec2';
import { GridNetwork, NatKind } from '../../../constructs/grid-network';
import { nagFindings, testApp, testStack } from '../../helpers/app';

const app = testApp();
const stack = testStack(app);
const network = new GridNetwork(stack, 'Network', {
  webAccessFrom: ['203.0.113.0/24'],
  sshAccessFrom: ['198.51.100.0/24'],
  // SSM is there anyway: it must not become a second endpoint.
  additionalInterfaceEndpoints: [
    InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS,
    InterfaceVpcEndpointAwsService.SSM,
  ],
});
const mgs = network.reserveAddresses('lustre', 1, 'mgs');
const oss = network.reserveAddresses('lustre', 3, 'oss');
const template = Template.fromStack(stack);
// biome-ignore lint/suspicious/noExplicitAny: the properties of a template have no type
type Properties = any;
const resources = template.toJSON().Resources as Record<
  string,
  { Type: string; DependsOn?: string[]; Properties: Properties }
>;

const ofType = (type: string) => Object.entries(resources).filter(([, resource]) => resource.Type === type);
const groupId = (description: string) =>
  ofType('AWS::EC2::SecurityGroup').find(([, { Properties }]) =>
    Properties.GroupDescription.endsWith(description),
  )![0];

/** Rules into a group: those inside it and those beside it. */
const ingress = (description: string) => [
  ...(resources[groupId(description)]!.Properties.SecurityGroupIngress ?? []),
  ...ofType('AWS::EC2::SecurityGroupIngress')
    .map(([, { Properties }]) => Properties)
    .filter(({ GroupId }) => GroupId['Fn::GetAtt'][0] === groupId(description)),
];

describe('addresses', () => {
  test('the papers’ ranges, in one zone', () => {
    template.hasResourceProperties('AWS::EC2::VPC', { CidrBlock: '172.16.0.0/20' });
    const subnets = ofType('AWS::EC2::Subnet').map(([, { Properties }]) => Properties);
    expect(subnets.map(({ CidrBlock }) => CidrBlock)).toEqual(['172.16.0.0/22', '172.16.4.0/24']);
    for (const { AvailabilityZone } of subnets) {
      expect(AvailabilityZone).toEqual({ 'Fn::Select': [0, { 'Fn::GetAZs': '' }] });
    }
  });

  test('no subnet gives public addresses by itself', () => {
    template.allResourcesProperties('AWS::EC2::Subnet', { MapPublicIpOnLaunch: false });
  });

  test('synthesis asks the account for nothing', () => {
    expect(app.synth().manifest.missing).toBeUndefined();
  });

  test('storage addresses come from reserved ranges', () => {
    const cidrs = ofType('Custom::SasGridAddressReservation').map(([, { Properties }]) => Properties);
    expect(cidrs.map(({ Cidr }) => Cidr)).toEqual(['172.16.4.64/26', '172.16.4.128/26']);
    expect(mgs).toEqual(['172.16.4.64']);
    expect(oss).toEqual(['172.16.4.72', '172.16.4.73', '172.16.4.74']);
  });

  test('an endpoint takes its address after the reservation', () => {
    const reservations = ofType('Custom::SasGridAddressReservation').map(([id]) => id);
    const endpoints = ofType('AWS::EC2::VPCEndpoint').filter(
      ([, e]) => e.Properties.VpcEndpointType === 'Interface',
    );
    expect(endpoints).toHaveLength(3);
    for (const [, { DependsOn }] of endpoints)
      expect(DependsOn).toEqual(expect.arrayContaining(reservations));
  });
});

describe('ways in and out', () => {
  test('nothing is open to the world', () => {
    const open = Object.values(resources).flatMap(({ Type, Properties }) =>
      Type === 'AWS::EC2::SecurityGroup'
        ? (Properties.SecurityGroupIngress ?? [])
        : Type === 'AWS::EC2::SecurityGroupIngress'
          ? [Properties]
          : [],
    );
    expect(open.length).toBeGreaterThan(5);
    for (const { CidrIp, CidrIpv6 } of open) {
      expect(CidrIp ?? '').not.toMatch(/\/0$/);
      expect(CidrIpv6).toBeUndefined();
    }
  });

  test('the grid: itself, Lustre from storage, SSH from the named range', () => {
    const rules = ingress('control server and nodes');
    expect(rules).toHaveLength(4);
    expect(rules).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, CidrIp: '198.51.100.0/24' }),
        expect.objectContaining({
          IpProtocol: '-1',
          SourceSecurityGroupId: { 'Fn::GetAtt': [groupId('control server and nodes'), 'GroupId'] },
        }),
        expect.objectContaining({
          FromPort: 988,
          SourceSecurityGroupId: { 'Fn::GetAtt': [groupId('storage servers'), 'GroupId'] },
        }),
        expect.objectContaining({ FromPort: 1018, ToPort: 1023 }),
      ]),
    );
  });

  test('storage: itself, Lustre from the grid, and not the load balancer before somebody asks', () => {
    const rules = ingress('storage servers');
    expect(rules.map(({ FromPort }) => FromPort).sort()).toEqual([1018, 22, 988, undefined].sort());
    for (const { CidrIp } of rules.filter(({ FromPort }) => FromPort !== 22)) expect(CidrIp).toBeUndefined();
  });

  test('load balancers: web from the named range only, and nowhere to go', () => {
    expect(ingress('load balancers').map(({ CidrIp, FromPort }) => [CidrIp, FromPort])).toEqual([
      ['203.0.113.0/24', 80],
      ['203.0.113.0/24', 443],
    ]);
    const [nowhere] = resources[groupId('load balancers')]!.Properties.SecurityGroupEgress;
    expect(nowhere.CidrIp).toBe('255.255.255.255/32');
  });

  test('out of the hosts: web only', () => {
    for (const description of ['control server and nodes', 'storage servers']) {
      const out = resources[groupId(description)]!.Properties.SecurityGroupEgress;
      expect(out.map(({ FromPort, ToPort }: Properties) => [FromPort, ToPort])).toEqual([
        [80, 80],
        [443, 443],
      ]);
    }
  });

  test('the private subnet leaves through a NAT gateway, the public one through the internet gateway', () => {
    template.resourceCountIs('AWS::EC2::NatGateway', 1);
    template.hasResourceProperties('AWS::EC2::Route', { NatGatewayId: Match.anyValue() });
    template.hasResourceProperties('AWS::EC2::Route', { GatewayId: Match.anyValue() });
  });

  test('S3 and DynamoDB have gateways in both route tables; a replaced server needs no NAT', () => {
    const endpoints = ofType('AWS::EC2::VPCEndpoint').map(([, { Properties }]) => Properties);
    const gateways = endpoints.filter(({ VpcEndpointType }) => VpcEndpointType === 'Gateway');
    expect(gateways).toHaveLength(2);
    for (const { RouteTableIds } of gateways) expect(RouteTableIds).toHaveLength(2);
    const names = JSON.stringify(endpoints.map(({ ServiceName }) => ServiceName));
    for (const service of ['ssm', 'ssmmessages', 'logs']) expect(names).toContain(`.${service}"`);
    // AWS has ended it: CREATE_FAILED.
    expect(names).not.toContain('ec2messages');
  });
});

test('traffic is recorded, encrypted and for a limited time', () => {
  template.hasResourceProperties('AWS::EC2::FlowLog', { TrafficType: 'ALL', ResourceType: 'VPC' });
  template.hasResourceProperties('AWS::Logs::LogGroup', { KmsKeyId: Match.anyValue(), RetentionInDays: 30 });
  template.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true });
});

test('one cluster placement group', () => {
  template.resourceCountIs('AWS::EC2::PlacementGroup', 1);
  template.hasResourceProperties('AWS::EC2::PlacementGroup', { Strategy: 'cluster' });
});

test('the VPC’s subnets are the ones that know their routes', () => {
  expect(network.vpc.privateSubnets).toEqual(network.privateSubnets);
  expect(network.vpc.publicSubnets).toEqual(network.publicSubnets);
});

test('cdk-nag has nothing to say', () => {
  expect(
    nagFindings((scope) => {
      new GridNetwork(scope, 'Gateway', {
        webAccessFrom: ['203.0.113.0/24'],
        sshAccessFrom: ['198.51.100.0/24'],
      });
      new GridNetwork(scope, 'Instance', { nat: NatKind.INSTANCE });
    }),
  ).toEqual([]);
});
