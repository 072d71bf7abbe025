import {
  DeleteInternetGatewayCommand,
  DeleteNatGatewayCommand,
  DeletePlacementGroupCommand,
  DeleteRouteTableCommand,
  DeleteSecurityGroupCommand,
  DeleteSubnetCommand,
  DeleteVpcCommand,
  DescribeInstancesCommand,
  DescribeNatGatewaysCommand,
  DescribeNetworkInterfacesCommand,
  DetachInternetGatewayCommand,
  type EC2Client,
  ReleaseAddressCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { Clients } from '../kit/clients';
import type { Check } from '../kit/model';
import { waitFor } from '../kit/processes';
import type { Surroundings } from './surroundings';

/** Ends the client, as its owner would before the storage goes. */
export async function endClient({ ec2 }: Clients, InstanceId: string): Promise<void> {
  const InstanceIds = [InstanceId];
  await ec2.send(new TerminateInstancesCommand({ InstanceIds }));
  await waitFor(
    `the end of ${InstanceId}`,
    async () => {
      const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ InstanceIds }));
      return Reservations[0]?.Instances?.[0]?.State?.Name === 'terminated' || undefined;
    },
    0.5,
  );
}

/** Deletes what was there before the deployment; possible only if the deployment left nothing in it. */
export async function removeSurroundings({ ec2 }: Clients, surroundings: Surroundings): Promise<Check> {
  const faults = await tried(() => removeNatGateway(ec2, surroundings));
  faults.push(...(await leftIn(ec2, surroundings.vpcId)));
  const { vpcId: VpcId, internetGatewayId: InternetGatewayId, securityGroupId: GroupId } = surroundings;
  const steps: (() => Promise<unknown>)[] = [
    () => ec2.send(new DeleteSecurityGroupCommand({ GroupId })),
    () => ec2.send(new DeletePlacementGroupCommand({ GroupName: surroundings.placementGroup })),
    ...[surroundings.subnetId, surroundings.publicSubnetId].map(
      (SubnetId) => () => ec2.send(new DeleteSubnetCommand({ SubnetId })),
    ),
    ...surroundings.routeTableIds.map(
      (RouteTableId) => () => ec2.send(new DeleteRouteTableCommand({ RouteTableId })),
    ),
    () => ec2.send(new DetachInternetGatewayCommand({ InternetGatewayId, VpcId })),
    () => ec2.send(new DeleteInternetGatewayCommand({ InternetGatewayId })),
    () => ec2.send(new DeleteVpcCommand({ VpcId })),
  ];
  for (const step of steps) faults.push(...(await tried(step)));
  return {
    id: 'network-free',
    title: 'The deployment left nothing in the network that it was put into',
    passed: faults.length === 0,
    detail: faults.length ? faults.join('; ') : `${VpcId} is deleted`,
  };
}

async function removeNatGateway(ec2: EC2Client, { natGatewayId, allocationId }: Surroundings) {
  await ec2.send(new DeleteNatGatewayCommand({ NatGatewayId: natGatewayId }));
  await waitFor(
    `the end of ${natGatewayId}`,
    async () => {
      const request = new DescribeNatGatewaysCommand({ NatGatewayIds: [natGatewayId] });
      const { NatGateways = [] } = await ec2.send(request);
      return NatGateways.every(({ State }) => State === 'deleted') || undefined;
    },
    0.5,
  );
  await ec2.send(new ReleaseAddressCommand({ AllocationId: allocationId }));
}

/** Interfaces that are still there keep subnets and groups from being deleted. */
async function leftIn(ec2: EC2Client, vpcId: string): Promise<string[]> {
  const Filters = [{ Name: 'vpc-id', Values: [vpcId] }];
  const { NetworkInterfaces = [] } = await ec2.send(new DescribeNetworkInterfacesCommand({ Filters }));
  return NetworkInterfaces.map(
    ({ NetworkInterfaceId, Description }) => `${NetworkInterfaceId} (${Description ?? ''}) is left`,
  );
}

/** The error of a step as a fault, so that the steps after it are tried as well. */
async function tried(step: () => Promise<unknown>): Promise<string[]> {
  try {
    await step();
    return [];
  } catch (error) {
    return [`${(error as Error).name}: ${(error as Error).message}`];
  }
}
