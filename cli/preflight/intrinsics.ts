import type { Json, Template, TemplateParameter } from './assembly';

/** What is known only when CloudFormation deploys. */
export const UNKNOWN: unique symbol = Symbol('known at deployment');

/** A resource of a stack that is to be made: what a `Ref` or a `Fn::GetAtt` means. */
export class Reference {
  constructor(
    readonly scope: Scope,
    readonly id: string,
  ) {}

  /** The same text for the same resource. */
  get key(): string {
    return `${this.scope.stack}/${this.id}`;
  }

  get type(): string | undefined {
    return this.scope.template.Resources?.[this.id]?.Type;
  }

  /** A property of the resource, resolved. */
  property(name: string): unknown {
    return resolve(this.scope.template.Resources?.[this.id]?.Properties?.[name], this.scope);
  }
}

/** Where templates are deployed to. */
export interface Place {
  readonly account: string;
  readonly region: string;
  readonly partition: string;
  readonly urlSuffix: string;
  /** The zones of the region, in the order of their names. */
  readonly zones: readonly string[];
}

/** A template, and what the names in it mean. */
export interface Scope {
  /** The name of the stack; of a nested one with that of its parent. */
  readonly stack: string;
  readonly template: Template;
  readonly place: Place;
  /** What a nested stack is given. */
  readonly parameters: { readonly [name: string]: unknown };
  /** What another stack exports under a name. */
  readonly imported: (name: string) => unknown;
}

/** A value of a template with all its functions carried out; UNKNOWN where only CloudFormation knows it. */
export function resolve(value: Json, scope: Scope): unknown {
  if (Array.isArray(value)) {
    return value.map((one) => resolve(one, scope)).filter((one) => one !== undefined);
  }
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value);
  const [name] = names;
  if (names.length === 1 && name !== undefined && (name === 'Ref' || name.startsWith('Fn::'))) {
    return (FUNCTIONS[name] ?? (() => UNKNOWN))(value[name], scope);
  }
  return Object.fromEntries(names.map((key) => [key, resolve(value[key], scope)]));
}

/** A text, or undefined where it is not known. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : undefined;
}

/** A number, or undefined where it is not known. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Whether a resource is made: its condition holds, or may hold. */
export function holds(condition: Json, scope: Scope): boolean {
  if (condition === undefined) return true;
  return judge({ Condition: condition }, scope) !== false;
}

type Carry = (argument: Json, scope: Scope) => unknown;

const FUNCTIONS: { readonly [name: string]: Carry } = {
  Ref: refer,
  'Fn::GetAtt': (argument, scope) => attribute(argument, scope),
  'Fn::ImportValue': (argument, scope) => {
    const name = textOf(resolve(argument, scope));
    return name === undefined ? UNKNOWN : scope.imported(name);
  },
  'Fn::Join': ([between, parts], scope) => join(resolve(parts, scope), between),
  'Fn::Sub': substitute,
  'Fn::Select': ([index, list], scope) => {
    const found = resolve(list, scope);
    const at = numberOf(resolve(index, scope));
    return Array.isArray(found) && at !== undefined && at < found.length ? found[at] : UNKNOWN;
  },
  'Fn::Split': ([separator, text], scope) => textOf(resolve(text, scope))?.split(separator) ?? UNKNOWN,
  'Fn::GetAZs': (_, { place }) => (place.zones.length > 0 ? [...place.zones] : UNKNOWN),
  'Fn::FindInMap': ([map, first, second], scope) => {
    const [top, key] = [textOf(resolve(first, scope)), textOf(resolve(second, scope))];
    return scope.template.Mappings?.[map]?.[top ?? '']?.[key ?? ''] ?? UNKNOWN;
  },
  'Fn::If': ([condition, yes, no], scope) => {
    const truth = judge({ Condition: condition }, scope);
    return truth === undefined ? UNKNOWN : resolve(truth ? yes : no, scope);
  },
};

function refer(name: string, scope: Scope): unknown {
  const { account, region, partition, urlSuffix } = scope.place;
  const pseudo: { [name: string]: unknown } = {
    'AWS::AccountId': account,
    'AWS::Region': region,
    'AWS::Partition': partition,
    'AWS::URLSuffix': urlSuffix,
    'AWS::StackName': scope.stack,
    'AWS::NoValue': undefined,
  };
  if (name in pseudo) return pseudo[name];
  if (scope.template.Resources?.[name]) return new Reference(scope, name);
  if (name in scope.parameters) return scope.parameters[name];
  const { Type, Default, Description }: Partial<TemplateParameter> = scope.template.Parameters?.[name] ?? {};
  if (Default === undefined) return Type === 'AWS::EC2::Image::Id' ? new AskedImage(Description) : UNKNOWN;
  // What the parameter of Systems Manager says is asked for where it is needed.
  return Type?.startsWith('AWS::SSM::Parameter::Value<') ? new ParameterValue(String(Default)) : Default;
}

/** An image that the stack asks for at deployment. */
export class AskedImage {
  constructor(readonly description = '') {}
}

/** What a parameter of Systems Manager says. */
export class ParameterValue {
  constructor(readonly name: string) {}
}

function attribute(argument: string | readonly [string, string], scope: Scope): unknown {
  const [id, name] = typeof argument === 'string' ? argument.split(/\.(.*)/) : argument;
  const resource = scope.template.Resources?.[id!];
  if (!resource) return UNKNOWN;
  const property = resource.Properties?.[name!];
  return property === undefined ? new Reference(scope, id!) : resolve(property, scope);
}

function join(parts: unknown, between: string): unknown {
  if (!Array.isArray(parts)) return UNKNOWN;
  const texts = parts.map(textOf);
  return texts.includes(undefined) ? UNKNOWN : texts.join(between);
}

function substitute(argument: string | readonly [string, Json], scope: Scope): unknown {
  const [text, given] = typeof argument === 'string' ? [argument, {}] : argument;
  const parts = text.split(/\$\{([^!}][^}]*)\}/).map((part, index) => {
    if (index % 2 === 0) return part.replaceAll('${!', '${');
    if (part in given) return resolve(given[part], scope);
    return part.includes('.') ? attribute(part, scope) : refer(part, scope);
  });
  return join(parts, '');
}

/** What a condition says; undefined where that is known at deployment. */
function judge(condition: Json, scope: Scope): boolean | undefined {
  const [[name, argument] = []] = Object.entries(condition ?? {});
  const parts = () => (argument as Json[]).map((one) => judge(one, scope));
  switch (name) {
    case 'Condition':
      return judge(scope.template.Conditions?.[argument as string], scope);
    case 'Fn::Equals': {
      const [a, b] = (argument as Json[]).map((one) => textOf(resolve(one, scope)));
      return a === undefined || b === undefined ? undefined : a === b;
    }
    case 'Fn::Not': {
      const [truth] = parts();
      return truth === undefined ? undefined : !truth;
    }
    case 'Fn::And':
      return parts().includes(false) ? false : parts().includes(undefined) ? undefined : true;
    case 'Fn::Or':
      return parts().includes(true) ? true : parts().includes(undefined) ? undefined : false;
    default:
      return undefined;
  }
}
