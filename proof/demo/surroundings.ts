import {
  AllocateAddressCommand,
  AssociateRouteTableCommand,
  AttachInternetGatewayCommand,
  AuthorizeSecurityGroupIngressCommand,
  CreateInternetGatewayCommand,
  CreateNatGatewayCommand,
  CreatePlacementGroupCommand,
  CreateRouteCommand,
  CreateRouteTableCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  DescribeNatGatewaysCommand,
  type EC2Client,
  ModifyVpcAttributeCommand,
} from '@aws-sdk/client-ec2';
import { deploymentNames, loadConfig } from '../../lib/config';
import type { Clients } from '../kit/clients';
import { waitFor } from '../kit/processes';

/** The network of a cluster that was there before the deployment, as its owner made it. */
export interface Surroundings {
  readonly vpcId: string;
  /** The subnet of the cluster, which reaches the internet through a NAT gateway in the other one. */
  readonly subnetId: string;
  readonly publicSubnetId: string;
  readonly availabilityZone: string;
  readonly securityGroupId: string;
  readonly placementGroup: string;
  readonly internetGatewayId: string;
  readonly natGatewayId: string;
  readonly allocationId: string;
  readonly routeTableIds: string[];
}

const VPC_RANGE = '10.20.0.0/16';
const SUBNET_RANGE = '10.20.1.0/24';
const PUBLIC_RANGE = '10.20.0.0/24';

/** Whether a deployment goes into a network that has to exist. */
export const needsSurroundings = (deployment: string): boolean =>
  deploymentNames().includes(deployment) && loadConfig(deployment).existingNetwork !== undefined;

/** Makes a VPC with a private and a public subnet, a NAT gateway, and a cluster's security and placement group. */
export async function makeSurroundings({ ec2 }: Clients): Promise<Surroundings> {
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: VPC_RANGE }));
  const VpcId = Vpc!.VpcId!;
  for (const attribute of ['EnableDnsSupport', 'EnableDnsHostnames'] as const) {
    await ec2.send(new ModifyVpcAttributeCommand({ VpcId, [attribute]: { Value: true } }));
  }
  const availabilityZone = `${await ec2.config.region()}a`;
  const subnetId = await subnet(ec2, VpcId, SUBNET_RANGE, availabilityZone);
  const publicSubnetId = await subnet(ec2, VpcId, PUBLIC_RANGE, availabilityZone);

  const { InternetGateway } = await ec2.send(new CreateInternetGatewayCommand({}));
  const internetGatewayId = InternetGateway!.InternetGatewayId!;
  await ec2.send(new AttachInternetGatewayCommand({ VpcId, InternetGatewayId: internetGatewayId }));
  const publicRoutes = await route(ec2, VpcId, publicSubnetId, { GatewayId: internetGatewayId });
  const { AllocationId } = await ec2.send(new AllocateAddressCommand({ Domain: 'vpc' }));
  const natGatewayId = await natGateway(ec2, publicSubnetId, AllocationId!);
  const routes = await route(ec2, VpcId, subnetId, { NatGatewayId: natGatewayId });

  const placementGroup = 'existing-cluster';
  await ec2.send(new CreatePlacementGroupCommand({ GroupName: placementGroup, Strategy: 'cluster' }));
  return {
    vpcId: VpcId,
    subnetId,
    publicSubnetId,
    availabilityZone,
    securityGroupId: await clusterGroup(ec2, VpcId),
    placementGroup,
    internetGatewayId,
    natGatewayId,
    allocationId: AllocationId!,
    routeTableIds: [publicRoutes, routes],
  };
}

/** The parameters by which a user names what exists. */
export function parametersOf(surroundings: Surroundings): Record<string, string> {
  return {
    VpcId: surroundings.vpcId,
    SubnetId: surroundings.subnetId,
    AvailabilityZone: surroundings.availabilityZone,
    SecurityGroupId: surroundings.securityGroupId,
    PlacementGroupName: surroundings.placementGroup,
    ClientRange: VPC_RANGE,
  };
}

async function subnet(
  ec2: EC2Client,
  VpcId: string,
  CidrBlock: string,
  AvailabilityZone: string,
): Promise<string> {
  const { Subnet } = await ec2.send(new CreateSubnetCommand({ VpcId, CidrBlock, AvailabilityZone }));
  return Subnet!.SubnetId!;
}

/** A route table with a way to everywhere, for one subnet. */
async function route(
  ec2: EC2Client,
  VpcId: string,
  SubnetId: string,
  way: { GatewayId: string } | { NatGatewayId: string },
): Promise<string> {
  const { RouteTable } = await ec2.send(new CreateRouteTableCommand({ VpcId }));
  const RouteTableId = RouteTable!.RouteTableId!;
  await ec2.send(new CreateRouteCommand({ RouteTableId, DestinationCidrBlock: '0.0.0.0/0', ...way }));
  await ec2.send(new AssociateRouteTableCommand({ RouteTableId, SubnetId }));
  return RouteTableId;
}

async function natGateway(ec2: EC2Client, SubnetId: string, AllocationId: string): Promise<string> {
  const { NatGateway } = await ec2.send(new CreateNatGatewayCommand({ SubnetId, AllocationId }));
  const id = NatGateway!.NatGatewayId!;
  return waitFor(
    `NAT gateway ${id}`,
    async () => {
      const { NatGateways = [] } = await ec2.send(new DescribeNatGatewaysCommand({ NatGatewayIds: [id] }));
      return NatGateways[0]?.State === 'available' ? id : undefined;
    },
    0.5,
  );
}

/** The group of a cluster: its members reach each other, and nobody else reaches them. */
async function clusterGroup(ec2: EC2Client, VpcId: string): Promise<string> {
  const request = { VpcId, GroupName: 'existing-cluster', Description: 'Members of a cluster' };
  const { GroupId } = await ec2.send(new CreateSecurityGroupCommand(request));
  const IpPermissions = [{ IpProtocol: '-1', UserIdGroupPairs: [{ GroupId }] }];
  await ec2.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
  return GroupId!;
}
