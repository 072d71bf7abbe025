import { aws_ec2 as ec2 } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

// Lustre servers and clients accept connections on 988. 1018-1023 are the privileged ports they connect from; AWS asks
// for both directions. Amazon FSx for Lustre user guide, "File system access control with Amazon VPC".
const LUSTRE_PORTS = [ec2.Port.tcp(988), ec2.Port.tcpRange(1018, 1023)];
const WEB_PORTS = [ec2.Port.tcp(80), ec2.Port.tcp(443)];

/** The papers' security groups: who may connect to whom. Nothing is open to the world. */
export interface SecurityGroups {
  readonly grid: ec2.ISecurityGroup;
  readonly storage: ec2.ISecurityGroup;
  readonly loadBalancer: ec2.ISecurityGroup;
}

/** Who is let in from outside. */
export interface Access {
  readonly web: readonly string[];
  readonly ssh: readonly string[];
}

/** Makes the groups of grid, storage and load balancers with their rules (SAS/Intel paper 001). */
export function securityGroups(scope: Construct, vpc: ec2.IVpc, access: Access): SecurityGroups {
  const group = (id: string, description: string) =>
    new ec2.SecurityGroup(scope, id, { vpc, description, allowAllOutbound: false });
  const grid = group('GridSecurityGroup', 'SAS Grid: control server and nodes');
  const storage = group('StorageSecurityGroup', 'SAS Grid: storage servers');
  const loadBalancer = group('LoadBalancerSecurityGroup', 'SAS Grid: load balancers');

  for (const [own, other] of [
    [grid, storage],
    [storage, grid],
  ] as const) {
    own.connections.allowInternally(ec2.Port.allTraffic(), 'Everything among themselves');
    for (const port of LUSTRE_PORTS) own.connections.allowTo(other, port, 'Lustre');
    // Packages, licenses and AWS APIs. Everything else that a host may call is added by whoever needs it.
    for (const port of WEB_PORTS) own.addEgressRule(ec2.Peer.anyIpv4(), port, 'Packages and AWS APIs');
    for (const range of access.ssh)
      own.addIngressRule(ec2.Peer.ipv4(range), ec2.Port.tcp(22), 'SSH from a named range');
  }
  for (const range of access.web) {
    for (const port of WEB_PORTS)
      loadBalancer.addIngressRule(ec2.Peer.ipv4(range), port, 'Web from a named range');
  }
  return { grid, storage, loadBalancer };
}

/** The group of the NAT instance: web traffic from the private subnet, on its way out. */
export function natSecurityGroup(
  scope: Construct,
  vpc: ec2.IVpc,
  privateSubnetCidr: string,
): ec2.SecurityGroup {
  const nat = new ec2.SecurityGroup(scope, 'NatSecurityGroup', {
    vpc,
    description: 'SAS Grid: NAT instance',
    allowAllOutbound: false,
  });
  for (const port of WEB_PORTS) {
    nat.addIngressRule(ec2.Peer.ipv4(privateSubnetCidr), port, 'Web from the private subnet');
    nat.addEgressRule(ec2.Peer.anyIpv4(), port, 'Web');
  }
  return nat;
}
