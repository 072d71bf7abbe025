import {
  DescribeSubnetsCommand,
  DescribeTransitGatewayVpcAttachmentsCommand,
  DescribeVpcEndpointServicesCommand,
  DescribeVpcPeeringConnectionsCommand,
  type EC2Client,
  paginateDescribeSecurityGroupRules,
  paginateDescribeVpcs,
  type VpcPeeringConnectionVpcInfo,
} from '@aws-sdk/client-ec2';
import { ask } from './ask';
import { allPages, tagsOf } from './ec2';
import type { Aws, Connection, EndpointService, VpcInUse } from './port';

/** What the checks ask of EC2 about networks. */
export type Networks = Pick<
  Aws,
  'vpcs' | 'subnets' | 'zonesOfSubnets' | 'connected' | 'rules' | 'endpointServices'
>;

export function networksOf(client: EC2Client): Networks {
  return {
    vpcs: () => vpcs(client),
    subnets: (vpcId) => subnets(client, vpcId),
    zonesOfSubnets: (ids) => zonesOfSubnets(client, ids),
    connected: (vpcIds) => connected(client, vpcIds),
    rules: (groupId) => rules(client, groupId),
    endpointServices: (services) => endpointServices(client, services),
  };
}

async function vpcs(client: EC2Client): Promise<VpcInUse[]> {
  return ask('ec2:DescribeVpcs', async () => {
    const found = await allPages(paginateDescribeVpcs({ client }, {}), ({ Vpcs = [] }) => Vpcs);
    return found.map(({ VpcId, CidrBlock, CidrBlockAssociationSet = [], Tags }) => ({
      id: VpcId!,
      cidrs: [...new Set([CidrBlock, ...CidrBlockAssociationSet.map((one) => one.CidrBlock)])].filter(
        (one) => one !== undefined,
      ),
      tags: tagsOf(Tags),
    }));
  });
}

async function subnets(client: EC2Client, vpcId: string) {
  const command = new DescribeSubnetsCommand({ Filters: [{ Name: 'vpc-id', Values: [vpcId] }] });
  const { Subnets = [] } = await ask('ec2:DescribeSubnets', (abortSignal) =>
    client.send(command, { abortSignal }),
  );
  return Subnets.map(({ SubnetId, CidrBlock, Tags }) => ({
    id: SubnetId!,
    cidr: CidrBlock!,
    tags: tagsOf(Tags),
  }));
}

async function zonesOfSubnets(client: EC2Client, ids: readonly string[]) {
  const command = new DescribeSubnetsCommand({ Filters: [{ Name: 'subnet-id', Values: [...ids] }] });
  const { Subnets = [] } = await ask('ec2:DescribeSubnets', (abortSignal) =>
    client.send(command, { abortSignal }),
  );
  return Subnets.map(({ SubnetId, AvailabilityZone }) => ({ id: SubnetId!, zone: AvailabilityZone! }));
}

async function connected(client: EC2Client, vpcIds: readonly string[]): Promise<Connection[]> {
  const [peered, attached] = await Promise.all([peerings(client), attachments(client)]);
  const gateways = attached.filter(({ vpcId }) => vpcIds.includes(vpcId)).map(({ gateway }) => gateway);
  const beside = attached.filter(
    ({ vpcId, gateway }) => gateways.includes(gateway) && !vpcIds.includes(vpcId),
  );
  return [
    ...peered.flatMap(({ id, sides }) =>
      sides.some(({ vpcId }) => vpcIds.includes(vpcId))
        ? sides.filter(({ vpcId }) => !vpcIds.includes(vpcId)).map((side) => ({ by: id, ...side }))
        : [],
    ),
    // Their ranges are those of the account's own VPCs, which the check knows.
    ...beside.map(({ gateway, vpcId }) => ({ by: gateway, vpcId, cidrs: [] })),
  ];
}

async function peerings(client: EC2Client) {
  const command = new DescribeVpcPeeringConnectionsCommand({
    Filters: [{ Name: 'status-code', Values: ['active', 'pending-acceptance', 'provisioning'] }],
  });
  const { VpcPeeringConnections = [] } = await ask('ec2:DescribeVpcPeeringConnections', (abortSignal) =>
    client.send(command, { abortSignal }),
  );
  return VpcPeeringConnections.map(({ VpcPeeringConnectionId, RequesterVpcInfo, AccepterVpcInfo }) => ({
    id: VpcPeeringConnectionId!,
    sides: [RequesterVpcInfo, AccepterVpcInfo].flatMap((one) => (one ? [sideOf(one)] : [])),
  }));
}

function sideOf({ VpcId, CidrBlock, CidrBlockSet = [] }: VpcPeeringConnectionVpcInfo) {
  const cidrs = [...new Set([CidrBlock, ...CidrBlockSet.map((one) => one.CidrBlock)])];
  return { vpcId: VpcId ?? '', cidrs: cidrs.filter((one) => one !== undefined) };
}

async function attachments(client: EC2Client) {
  const { TransitGatewayVpcAttachments = [] } = await ask(
    'ec2:DescribeTransitGatewayVpcAttachments',
    (abortSignal) => client.send(new DescribeTransitGatewayVpcAttachmentsCommand({}), { abortSignal }),
  );
  return TransitGatewayVpcAttachments.map(({ TransitGatewayId, VpcId }) => ({
    gateway: TransitGatewayId ?? '',
    vpcId: VpcId ?? '',
  }));
}

async function rules(client: EC2Client, groupId: string) {
  return ask('ec2:DescribeSecurityGroupRules', async () => {
    const input = { Filters: [{ Name: 'group-id', Values: [groupId] }] };
    const found = await allPages(
      paginateDescribeSecurityGroupRules({ client, pageSize: 1000 }, input),
      ({ SecurityGroupRules = [] }) => SecurityGroupRules,
    );
    return found.map(({ SecurityGroupRuleId, IsEgress }) => ({
      id: SecurityGroupRuleId ?? '',
      outbound: IsEgress === true,
    }));
  });
}

async function endpointServices(client: EC2Client, services: readonly string[]): Promise<EndpointService[]> {
  const command = new DescribeVpcEndpointServicesCommand({
    Filters: [{ Name: 'service-name', Values: [...services] }],
  });
  const { ServiceDetails = [] } = await ask('ec2:DescribeVpcEndpointServices', (abortSignal) =>
    client.send(command, { abortSignal }),
  );
  return ServiceDetails.map(({ ServiceName, AvailabilityZones = [] }) => ({
    service: ServiceName!,
    zones: AvailabilityZones,
  }));
}
