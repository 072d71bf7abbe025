import { entries, type Section } from './section';
import { type Resource, type Resources, sorted } from './template';
import { flow, plain } from './values';

type Statement = Readonly<Record<string, unknown>>;
interface Policy {
  readonly Version?: unknown;
  readonly Statement: readonly Statement[];
  readonly [other: string]: unknown;
}

/** Whether a property's value is a policy of IAM, which its statements show. */
export const isPolicy = (value: unknown): value is Policy =>
  Array.isArray((value as Policy | null | undefined)?.Statement);

/** The policies of keys. */
export const keyPolicies = (resources: Resources): Section['entries'] =>
  policies(resources, (type) => isKey(type));

/** All other policies: of roles, and of resources. */
export const permissions = (resources: Resources): Section['entries'] =>
  policies(resources, (type) => !isKey(type));

const isKey = (type: string): boolean => type === 'AWS::KMS::Key';

/** After a line that says whose they are, one line for each statement. */
function policies(resources: Resources, isWanted: (type: string) => boolean): Section['entries'] {
  const wanted = sorted(resources).filter(([, { Type }]) => isWanted(Type));
  return entries(wanted.map(([id, resource]) => [id, policiesOf(id, resource)]));
}

const policiesOf = (id: string, resource: Resource): string[] =>
  Object.entries(resource.Properties ?? {}).flatMap(([name, value]) =>
    isPolicy(value)
      ? [owner(id, name, value, resource), ...value.Statement.map((each) => `  ${statementLine(each)}`)]
      : [],
  );

const HOLDERS: readonly string[] = ['Roles', 'Users', 'Groups'];

/** Whether a property of a policy stands before its statements, or repeats the policy's own name. */
export const isOfPolicy = ({ Type, Properties = {} }: Resource, id: string, name: string): boolean =>
  /^AWS::IAM::(Managed)?Policy$/.test(Type) &&
  isPolicy(Properties.PolicyDocument) &&
  (HOLDERS.includes(name) || (name === 'PolicyName' && Properties[name] === id));

function owner(id: string, property: string, policy: Policy, { Type, Properties = {} }: Resource): string {
  const { Statement: _, Version, ...others } = policy;
  const holders = HOLDERS.filter((name) => name in Properties);
  return [
    `${id} ${property} ${Version}`,
    ...holders.map((name) => `of ${name} ${flow(plain(Properties[name]))}`),
    ...(Type === 'AWS::IAM::Policy' && !('PolicyName' in Properties) ? ['without a name'] : []),
    ...(Object.keys(others).length > 0 ? [flow(plain(others))] : []),
  ].join(' ');
}

/** How the parts of a statement are introduced, in the order in which they are read. */
const PARTS: readonly [key: string, word: string][] = [
  ['Effect', ''],
  ['Principal', 'to '],
  ['NotPrincipal', 'to all but '],
  ['Action', ''],
  ['NotAction', 'all but '],
  ['Resource', 'on '],
  ['NotResource', 'on all but '],
  ['Condition', 'if '],
];

/** A statement in one line. */
function statementLine(statement: Statement): string {
  const known = PARTS.filter(([key]) => key in statement).map(
    ([key, word]) => `${word}${part(plain(statement[key]))}`,
  );
  const others = Object.entries(statement).filter(([key]) => !PARTS.some(([name]) => name === key));
  return [...known, ...others.map(([key, value]) => `(${key} ${flow(plain(value))})`)].join(' ');
}

/** Lists of texts without brackets, and one operator or kind of principal without braces. */
function part(value: unknown): string {
  if (Array.isArray(value)) return value.map(flow).join(', ');
  if (typeof value !== 'object' || value === null) return flow(value);
  return Object.entries(value)
    .map(([key, item]) => `${key} ${flow(item)}`)
    .join(' and ');
}
