import { NETWORK_QUOTAS } from '../../../constructs/facts/quotas';
import type { Tagged } from '../aws/port';
import { isOwn, type Subject } from '../findings';
import type { Rules } from '../needs/needs';
import type { Demand } from './demand';

/** Addresses, VPCs and rules of security groups. */
export async function networkDemands(subject: Subject): Promise<Demand[]> {
  const { aws, needs } = subject;
  const { addresses, vpcs } = NETWORK_QUOTAS.value;
  const found = await Promise.all([
    demandOf(
      { quota: addresses, needed: needs.addresses, unit: 'Elastic IP' },
      () => aws.addresses(),
      subject,
    ),
    demandOf({ quota: vpcs, needed: needs.vpcs.length, unit: 'VPC' }, () => aws.vpcs(), subject),
    Promise.all(needs.groups.map((rules) => rulesOf(rules, subject))).then(fullest),
  ]);
  return found.flat();
}

async function demandOf(
  wanted: Omit<Demand, 'used'>,
  inUse: () => Promise<readonly Tagged[]>,
  subject: Subject,
): Promise<Demand[]> {
  if (wanted.needed === 0) return [];
  const others = (await inUse()).filter((one) => !isOwn(one, subject));
  return [{ ...wanted, used: others.length }];
}

/** Of a security group the direction with more rules, beside those that an existing group has of others. */
async function rulesOf(rules: Rules, subject: Subject): Promise<Demand> {
  const { by, groupId, inbound, outbound, prefixLists } = rules;
  const existing = groupId === undefined ? [] : await rulesOfOthers(groupId, subject);
  const inUse = existing.filter(({ outbound: out }) => !out).length;
  const [fuller] = [
    { needed: inbound, used: inUse, unit: 'inbound rules' },
    { needed: outbound, used: existing.length - inUse, unit: 'outbound rules' },
  ].sort(byFullness);
  const unknown = prefixLists ? 'the prefix lists of its rules have entries, which count each' : undefined;
  return { quota: NETWORK_QUOTAS.value.rules, of: by, ...fuller!, unknown };
}

/** Without those that the deployment itself has put there. */
async function rulesOfOthers(groupId: string, { aws, needs }: Subject) {
  const [rules, ...stacks] = await Promise.all([
    aws.rules(groupId),
    ...needs.stacks.map((name) => aws.stack(name)),
  ]);
  const own = stacks.flatMap((stack) => stack?.physicalIds ?? []);
  return rules.filter(({ id }) => !own.includes(id));
}

interface Fullness {
  readonly needed: number;
  readonly used: number;
}

const byFullness = (a: Fullness, b: Fullness): number => b.needed + b.used - a.needed - a.used;

/** The quota is for each group: the fullest one is enough, and those of which something is not known. */
function fullest(demands: readonly Demand[]): Demand[] {
  const [most, ...others] = [...demands].sort(byFullness);
  return most ? [most, ...others.filter(({ unknown }) => unknown !== undefined)] : [];
}
