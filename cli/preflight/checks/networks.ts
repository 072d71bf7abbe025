import { BlockList, isIPv4 } from 'node:net';
import type { VpcInUse } from '../aws/port';
import { type Check, type Finding, isOwn, passed, type Subject } from '../findings';
import type { Subnet, Vpc } from '../needs/needs';
import { eachPart } from './parts';

/** Ranges of addresses do not overlap: of subnets within a VPC, and of VPCs that reach each other. */
export const networks: Check = {
  name: 'networks',
  run: async (subject) => {
    const { vpcs, subnets } = subject.needs;
    const existing = subnets.filter(({ vpcId }) => vpcId !== undefined);
    if (vpcs.length === 0 && existing.length === 0) return [passed('no network is made')];
    const found = await Promise.all([
      eachPart(vpcs, (vpc) => ofVpc(vpc, subject)),
      eachPart(existing, (subnet) => ofSubnet(subnet, subject)),
    ]);
    const problems = found.flat();
    const made = [...vpcs, ...existing].map(({ cidr }) => cidr).join(', ');
    return problems.length > 0 ? problems : [passed(`${made} overlaps nothing that it has to reach`)];
  },
};

async function ofVpc({ by, cidr }: Vpc, subject: Subject): Promise<Finding[]> {
  if (cidr === undefined) return [{ status: 'unchecked', text: `the range of ${by} is known at deployment` }];
  const { aws } = subject;
  const all = await aws.vpcs();
  const own = all.filter((vpc) => isOwn(vpc, subject)).map(({ id }) => id);
  if (own.length === 0) return neverConnected(by, cidr, all, subject);
  const connected = await aws.connected(own);
  const cidrsOf = new Map(all.map((vpc) => [vpc.id, vpc.cidrs]));
  const clashing = connected.flatMap(({ by: link, vpcId, cidrs }) => {
    const other = [...cidrs, ...(cidrsOf.get(vpcId) ?? [])].find((one) => overlap(cidr, one));
    return other === undefined ? [] : [{ link, vpcId, other }];
  });
  return clashing.map(({ link, vpcId, other }) => ({
    status: 'failed',
    text: `${cidr} of ${by} overlaps ${other} of ${vpcId}, which ${link} connects it with`,
    fix: rangeFix(subject, 'and deploy a new network: the range of a VPC cannot change'),
  }));
}

/** A new VPC can be made all the same; it only can never be connected with these. */
function neverConnected(by: string, cidr: string, all: readonly VpcInUse[], subject: Subject): Finding[] {
  const others = all.filter(({ cidrs }) => cidrs.some((one) => overlap(cidr, one)));
  if (others.length === 0) return [];
  const list = others.map(({ id, cidrs }) => `${id} (${cidrs.join(', ')})`).join(', ');
  const text = `${cidr} of ${by} overlaps ${list}: no peering and no transit gateway will connect them`;
  return [{ status: 'warning', text, fix: rangeFix(subject, 'before the first deployment') }];
}

async function ofSubnet({ by, cidr, vpcId }: Subnet, subject: Subject): Promise<Finding[]> {
  if (cidr === undefined) return [{ status: 'unchecked', text: `the range of ${by} is known at deployment` }];
  const others = (await subject.aws.subnets(vpcId!)).filter((one) => !isOwn(one, subject));
  return others
    .filter((other) => overlap(cidr, other.cidr))
    .map((other) => ({
      status: 'failed',
      text: `${cidr} of ${by} overlaps ${other.cidr} of ${other.id} in ${vpcId}`,
      fix: `choose a free range: aws ec2 describe-subnets --filters Name=vpc-id,Values=${vpcId}`,
    }));
}

const rangeFix = ({ configuration }: Subject, when: string): string =>
  `choose another range for the VPC in ${configuration ?? 'the configuration'} (network.vpcCidr), ${when}`;

/** Whether two ranges of IPv4 have an address in common: the first address of one is in the other. */
export function overlap(a: string, b: string): boolean {
  return isIn(a, b) || isIn(b, a);
}

function isIn(range: string, other: string): boolean {
  const [address = ''] = range.split('/');
  const [network = '', bits] = other.split('/');
  if (!isIPv4(address) || !isIPv4(network)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits));
  return list.check(address);
}
