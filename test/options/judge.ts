import { isDeepStrictEqual } from 'node:util';
import { type Difference, differences, type Effect, type Template } from '../upgrade/differences';
import { identities, isLiteral } from './identities';
import type { StackState, State } from './state';

const ANY: readonly Effect[] = ['replaces', 'may replace', 'deletes', 'lets go of'];
const MOVES: readonly Effect[] = ['replaces', 'may replace', 'lets go of'];

/**
 * What does harm by type of resource. Data, and what encrypts it, stays whatever happens. What data is reached by does
 * not move; it may go when no other stack imports it. Buckets are kept, with names that nobody else wants.
 */
export const HARM: Readonly<Record<string, readonly Effect[]>> = {
  'AWS::DynamoDB::Table': ANY,
  'AWS::EC2::Volume': ANY,
  'AWS::FSx::FileSystem': ANY,
  'AWS::KMS::Key': ANY,
  'AWS::EC2::NetworkInterface': MOVES,
  'AWS::EC2::PlacementGroup': MOVES,
  'AWS::EC2::Subnet': MOVES,
  'AWS::EC2::VPC': MOVES,
  'AWS::Route53::HostedZone': ['lets go of'],
  'AWS::S3::Bucket': ['replaces', 'may replace', 'deletes'],
};

const GONE: Template = { Resources: {} };

/**
 * What CloudFormation refuses, or loses, when it brings one state to another, stack by stack in their order. A stack
 * that the new state lacks stays as it is: `cdk deploy` deletes none.
 */
export function problems(before: State, after: State): string[] {
  const found: string[] = [];
  const now = new Map(before.stacks.map((stack) => [stack.name, stack]));
  for (const stack of after.stacks) {
    const old = now.get(stack.name);
    const others = [...now.values()].filter(({ name }) => name !== stack.name);
    found.push(...missingExports(stack, others), ...(old ? ofUpdate(old, stack, others) : []));
    now.set(stack.name, stack);
  }
  const left = before.stacks.filter(({ name }) => !after.stacks.some((stack) => stack.name === name));
  return [...found, ...left.map(({ name }) => `${name}: stays deployed, and nothing says so`)];
}

function ofUpdate(old: StackState, stack: StackState, others: readonly StackState[]): string[] {
  const files = [...new Set([...Object.keys(old.templates), ...Object.keys(stack.templates)])];
  return files.flatMap((file) => {
    const [from, to] = [old.templates[file] ?? GONE, stack.templates[file] ?? GONE];
    if (isDeepStrictEqual(from, to)) return [];
    const changes = differences(from, to);
    const moved = (id: string) =>
      changes.some((one) => one.id === id && ['replaces', 'may replace'].includes(one.effect));
    return [
      ...changes.flatMap((change) => ofResource(change, from, to)),
      ...changedExports(from, to, moved).flatMap((name) =>
        importers(name, others).map((user) => `export ${name} goes or changes, and ${user} imports it`),
      ),
      ...taken(from, to, changes),
    ].map((text) => `${file}: ${text}`);
  });
}

function ofResource({ effect, id, type, properties }: Difference, from: Template, to: Template): string[] {
  if (type === '') return [];
  const newType = to.Resources[id]?.Type;
  if (newType !== undefined && newType !== from.Resources[id]?.Type)
    return [`${id} changes from ${type} to ${newType}, which CloudFormation refuses`];
  if (effect === 'is refused')
    return [`${id} ${type}: CloudFormation cannot change ${properties.join(', ')}`];
  if (effect === 'lets go of' && identities(from)[id]!.some(isLiteral))
    return [
      `${id} stays behind and keeps ${identities(from)[id]!.join()}, which it would need when it is made again`,
    ];
  if (ends(effect) && isProtected(from, id))
    return [`an update ${effect} ${id}, which is protected against termination: it goes on running`];
  return HARM[type]?.includes(effect) ? [`an update ${effect} ${id} ${type} (${properties.join(', ')})`] : [];
}

const ends = (effect: Effect): boolean => ['replaces', 'may replace', 'deletes'].includes(effect);

const isProtected = ({ Resources }: Template, id: string): boolean =>
  (Resources[id] as { Properties?: Record<string, unknown> }).Properties?.DisableApiTermination === true;

/** What a new resource needs that a former one still has: CloudFormation deletes at the end of an update. */
function taken(from: Template, to: Template, changes: readonly Difference[]): string[] {
  const [had, has] = [identities(from), identities(to)];
  const going = Object.keys(had).filter((id) =>
    changes.some((change) => change.id === id && change.type !== ''),
  );
  const replaced = changes.filter(({ effect }) => /replace/.test(effect)).map(({ id }) => id);
  const made = Object.keys(has).filter((id) => had[id] === undefined || replaced.includes(id));
  return made.flatMap((id) =>
    has[id]!.flatMap((identity) =>
      going
        .filter((former) => had[former]!.includes(identity))
        .map((former) => `${id} needs ${identity}, which ${former} has until the end of the update`),
    ),
  );
}

function exportsOf({ Outputs = {} }: Template): Map<string, string> {
  const all = Object.values(Outputs as Record<string, { Export?: { Name: unknown }; Value?: unknown }>);
  return new Map(
    all.flatMap(({ Export, Value }) =>
      Export ? [[String(Export.Name), JSON.stringify(Value)] as const] : [],
    ),
  );
}

function changedExports(from: Template, to: Template, moved: (id: string) => boolean): string[] {
  const after = exportsOf(to);
  return [...exportsOf(from)]
    .filter(([name, value]) => after.get(name) !== value || referred(value).some(moved))
    .map(([name]) => name);
}

const referred = (text: string): string[] =>
  [...text.matchAll(/"(?:Ref":|Fn::GetAtt":\[)"([^"]+)"/g)].map(([, id]) => id!);

const importsOf = ({ templates }: StackState): string[] =>
  [...JSON.stringify(templates).matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(([, name]) => name!);

const importers = (name: string, stacks: readonly StackState[]): string[] =>
  stacks.filter((stack) => importsOf(stack).includes(name)).map((stack) => stack.name);

function missingExports(stack: StackState, others: readonly StackState[]): string[] {
  const there = others.flatMap(({ templates }) =>
    Object.values(templates).flatMap((one) => [...exportsOf(one).keys()]),
  );
  return [...new Set(importsOf(stack))]
    .filter((name) => !there.includes(name))
    .map((name) => `${stack.name}: imports ${name}, which nobody exports yet`);
}
