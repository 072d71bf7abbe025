import { entries, type Section } from './section';
import { type Resource, type Resources, sorted } from './template';
import { flow, plain } from './values';

type Rule = Readonly<Record<string, unknown>>;

const IN = 'SecurityGroupIngress';
const OUT = 'SecurityGroupEgress';

/** The properties, by type, that the lines of rules show and an update changes in place. */
export const RULE_PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  'AWS::EC2::SecurityGroup': [IN, OUT],
};

/** One line for each rule, in the order of the groups' names: those of a group itself, and those that are resources. */
export function securityGroups(resources: Resources): Section['entries'] {
  const rules = sorted(resources).map(([id, resource]): [string, string[]] => [id, linesOf(id, resource)]);
  return entries(rules.sort(([, [a = '']], [, [b = '']]) => (a < b ? -1 : 1)));
}

function linesOf(id: string, { Type, Properties = {} }: Resource): string[] {
  if (Type === 'AWS::EC2::SecurityGroup')
    return [...rulesOf(id, 'in', Properties[IN]), ...rulesOf(id, 'out', Properties[OUT])];
  const { GroupId, ...rule } = Properties;
  if (Type === `AWS::EC2::${IN}`) return [ruleLine(nameOf(GroupId), 'in', rule)];
  return Type === `AWS::EC2::${OUT}` ? [ruleLine(nameOf(GroupId), 'out', rule)] : [];
}

/** The logical id of a group, as the group's own rules have it. */
const nameOf = (group: unknown): string => flow(plain(group)).replace(/^<([^.>]+)\.GroupId>$/, '$1');

function rulesOf(group: string, direction: 'in' | 'out', rules: unknown = []): string[] {
  if (Array.isArray(rules)) return rules.map((rule: Rule) => ruleLine(group, direction, rule));
  return [`${group} ${direction} ${flow(plain(rules))}`];
}

function ruleLine(group: string, direction: 'in' | 'out', rule: Rule): string {
  const { Description: _, IpProtocol, FromPort, ToPort, ...peer } = rule;
  const protocol = String(IpProtocol) === '-1' ? 'all' : flow(plain(IpProtocol));
  const ports = ToPort === FromPort ? [FromPort ?? []].flat() : [FromPort, 'to', ToPort];
  const peers = Object.entries(peer).map(([name, value]) => `${name} ${flow(plain(value))}`);
  return [`${group} ${direction}`, protocol, ...ports.map(plain).map(flow), ...peers].join(' ');
}
