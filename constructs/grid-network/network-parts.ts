import { aws_ec2 as ec2 } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { checkRanges, existingStorageRanges, newStorageRanges } from './checks';
import type { Range } from './cidr';
import { NewVpc } from './new-vpc';
import type { ExistingNetwork, GridNetworkProps } from './props';

/** What a grid network is put into. */
export interface NetworkParts {
  readonly vpc: ec2.IVpc;
  readonly publicSubnets: ec2.ISubnet[];
  readonly privateSubnets: ec2.ISubnet[];
  readonly availabilityZone: string;
  readonly natSecurityGroup?: ec2.ISecurityGroup;
  /** From where storage servers get their addresses. */
  readonly storageRanges: Range[];
  /** Who reaches interface endpoints; none: the security groups of the grid and the storage. */
  readonly endpointPeers: ec2.IPeer[];
}

/** A network that was there before. */
export function existingNetwork(scope: Construct, existing: ExistingNetwork): NetworkParts {
  const { vpc, privateSubnets, publicSubnets } = existing;
  return {
    vpc,
    publicSubnets: publicSubnets ?? [],
    privateSubnets: [privateSubnets[0]!],
    availabilityZone: privateSubnets[0]!.availabilityZone,
    storageRanges: existingStorageRanges(scope, existing),
    endpointPeers: [],
  };
}

/** A VPC of its own, with the ranges of the papers where no others are named. */
export function newNetwork(scope: Construct, props: GridNetworkProps): NetworkParts {
  const vpcCidr = props.vpcCidr ?? '172.16.0.0/20';
  const publicSubnetCidr = props.publicSubnetCidr ?? '172.16.0.0/22';
  const privateSubnetCidr = props.privateSubnetCidr ?? '172.16.4.0/24';
  const ranges = checkRanges(scope, {
    vpc: vpcCidr,
    publicSubnet: publicSubnetCidr,
    privateSubnet: privateSubnetCidr,
  });
  const network = new NewVpc(scope, 'Vpc', { vpcCidr, publicSubnetCidr, privateSubnetCidr, network: props });
  return {
    vpc: network.vpc,
    publicSubnets: [network.publicSubnet],
    privateSubnets: [network.privateSubnet],
    availabilityZone: network.availabilityZone,
    natSecurityGroup: network.natSecurityGroup,
    storageRanges: newStorageRanges(ranges.privateSubnet),
    endpointPeers: [ec2.Peer.ipv4(vpcCidr)],
  };
}
