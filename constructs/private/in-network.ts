import { Annotations, Aspects, Reference, Stack, Tokenization } from 'aws-cdk-lib';
import {
  CfnSecurityGroup,
  CfnSubnet,
  CfnVPC,
  type ISecurityGroup,
  type ISubnet,
  type IVpc,
} from 'aws-cdk-lib/aws-ec2';
import type { CfnHostedZone, IHostedZone } from 'aws-cdk-lib/aws-route53';
import type { IConstruct } from 'constructs';
import { requireSameRegion } from './imported';
import { invalid, isConcrete } from './validation';

/** Rejects a subnet that is known to be of another VPC. */
export function requireInVpc(scope: IConstruct, what: string, subnet: ISubnet, vpc: IVpc): void {
  if (!isOfAnother(subnet, vpc)) return;
  const fix = 'Name a subnet of that VPC, or the VPC of the subnet.';
  throw invalid(scope, what, `${subnet.node.path}, of another VPC`, 'one of the VPC of the network', fix);
}

/**
 * Rejects a security group or a subnet of another region, and tells of one that is known to be of another VPC: it works
 * only where its owner has joined the two, which cannot be seen here.
 */
export function tellOtherVpc(
  scope: IConstruct,
  what: string,
  resource: ISecurityGroup | ISubnet | undefined,
  vpc: IVpc,
): void {
  if (!resource) return;
  requireSameRegion(scope, what, resource);
  if (!isOfAnother(resource, vpc)) return;
  Annotations.of(scope).addWarningV2(
    `cdk-sas-grid:otherVpc:${what}`,
    `${what} is ${resource.node.path}, of another VPC than that of the network. EC2 takes a security group only ` +
      'in VPCs that it is associated with (AWS::EC2::SecurityGroupVpcAssociation), and hosts in a subnet of ' +
      'another VPC need a group of it and a peering connection. Acknowledge this if there are these.',
  );
}

function isOfAnother(resource: ISecurityGroup | ISubnet, vpc: IVpc): boolean {
  const made = resource.node.defaultChild;
  if (!(made instanceof CfnSecurityGroup || made instanceof CfnSubnet) || !made.vpcId) return false;
  return differSurely(vpcOf(made.vpcId), vpcOf(vpc.vpcId));
}

/**
 * Tells of a private zone that is known to be visible in other VPCs only: hosts of the network would not find the names
 * in it.
 */
export function tellUnseenZone(scope: IConstruct, zone: IHostedZone | undefined, vpc: IVpc): void {
  const made = zone?.node.defaultChild;
  if (!zone || !made || !('vpcs' in made)) return;
  const { vpcs } = made as CfnHostedZone;
  // At the end, since VPCs can be added to a zone.
  Aspects.of(scope).add({
    visit: (visited) => {
      if (visited !== scope) return;
      const [seenFrom, here] = [vpcs, vpc.vpcId].map((one) => Stack.of(scope).resolve(one));
      if (!seenFrom?.length || seenFrom.some(({ vpcId }: SeenFrom) => mayBe(vpcId, here))) return;
      Annotations.of(scope).addWarningV2(
        'cdk-sas-grid:zoneOfOtherVpc',
        `The VPC of the network does not see the private zone ${zone.node.path}: hosts would not find the names ` +
          'in it. Add the VPC with zone.addVpc(...); acknowledge this if the VPC is associated in another way.',
      );
    },
  });
}

interface SeenFrom {
  readonly vpcId: unknown;
}

/** Whether two resolved ids can be those of one VPC. */
const mayBe = (one: unknown, other: unknown): boolean =>
  typeof one !== typeof other || JSON.stringify(one) === JSON.stringify(other);

/** A VPC by its id, or as the app makes it; undefined when the id may be anything. */
function vpcOf(id: string): string | CfnVPC | undefined {
  if (isConcrete(id)) return id;
  const token = Tokenization.reverseString(id).firstToken;
  return Reference.isReference(token) && token.target instanceof CfnVPC ? token.target : undefined;
}

const differSurely = (one: string | CfnVPC | undefined, other: string | CfnVPC | undefined): boolean =>
  one !== undefined && other !== undefined && typeof one === typeof other && one !== other;
