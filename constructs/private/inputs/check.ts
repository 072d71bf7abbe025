import { Token } from 'aws-cdk-lib';
import { Construct, type IConstruct } from 'constructs';
import { InvalidInputError } from '../../errors';
import { awaitsContext, isPlaceholder } from './awaited-context';
import { FOREIGN_ENUMS, FOREIGN_TYPES } from './foreign-types';
import { nearest } from './nearest';
import { shown } from './shown';
import { inputTable, propertiesOf, type TypeText } from './table';

// Parameters that hold properties: in a message these go by their own names.
const STRUCT_PARAMETER = /^(props|options|attributes|overflow)$/;

/**
 * Checks the arguments of a call of the public API against what it is declared to take: JavaScript checks nothing, and
 * TypeScript only who asks it to. Once, at the edge; what is behind it judges values only. Tokens pass.
 *
 * @param call 'Class' for its constructor, 'Class.factory' or 'Class#method'
 * @param args by the names of the parameters, as they are
 * @param scope the construct whose method it is
 * @returns the arguments to go on with: what waits for an answer of a look-up is left out or stands for itself as a
 * token
 * @throws InvalidInputError
 */
export function checkArguments<Arguments extends object>(
  call: string,
  args: Arguments,
  scope?: IConstruct,
): Arguments {
  const types = inputTable().calls[call]!;
  const given = args as { readonly [name: string]: unknown };
  const edge = new Edge(call, given, scope);
  const settled = Object.entries(types).map(([name, type]) => [
    name,
    edge.settle(given[name], type, STRUCT_PARAMETER.test(name) ? '' : name, name),
  ]);
  return Object.fromEntries(settled) as Arguments;
}

class Edge {
  private readonly where: string;
  private readonly scope: IConstruct | undefined;

  constructor(
    call: string,
    { scope, id }: { readonly [name: string]: unknown },
    owner: IConstruct | undefined,
  ) {
    const parent = scope !== undefined && scope !== null && Construct.isConstruct(scope) ? scope : undefined;
    this.scope = owner ?? parent;
    const path = owner?.node.path ?? (parent && [parent.node.path, id].filter(Boolean).join('/'));
    this.where = path || call.replace('#', '.');
  }

  /**
   * @param path what the value is called in a message; nothing for an object of properties, whose properties have names
   */
  settle(value: unknown, type: TypeText, path: string, name = path): unknown {
    const optional = type.startsWith('?');
    const bare = optional ? type.slice(1) : type;
    if (value === undefined && optional) return undefined;
    if (this.awaits(value)) return optional ? undefined : this.standIn(value, bare, path);
    if (bare.endsWith('[]')) return this.list(value, type, path || name);
    if (bare.endsWith('{}')) return this.map(value, type, path || name);
    const properties = propertiesOf(bare);
    if (properties) return this.struct(value, bare, properties, path, name);
    const pass = isToken(value) && (typeof value !== 'object' || isPlain(bare));
    if (
      pass &&
      !(typeof value === 'string' && bare === 'number') &&
      !(typeof value === 'number' && bare === 'string')
    ) {
      return encoded(value, bare);
    }
    if (!isOf(value, bare)) throw this.refused(path || name, value, type);
    const misfit = isObject(value) && FOREIGN_TYPES[bare]?.misfit?.(value, this.scope);
    if (misfit) throw this.told(path || name, misfit.value, misfit.allowed, misfit.fix);
    return value;
  }

  private list(value: unknown, type: TypeText, path: string): unknown {
    const element = type.replace(/^\?|\[\]$/g, '');
    if (element === 'string' && isToken(value)) return Array.isArray(value) ? value : Token.asList(value);
    if (!Array.isArray(value)) throw this.refused(path, value, type);
    const known = value.filter((each) => !this.awaits(each) && !this.holdsAwaited(each, element));
    // A list that must have something in it may still get it from a look-up.
    const nothing = known.length === 0 && !type.startsWith('?');
    if (nothing && (value.length > 0 || awaitsContext(this.scope))) {
      return [this.standIn(value[0], element, path)];
    }
    return known.map((each, index) => this.settle(each, element, `${path}[${index}]`));
  }

  private map(value: unknown, type: TypeText, path: string): unknown {
    if (!isObject(value) || Array.isArray(value)) throw this.refused(path, value, type);
    const element = type.replace(/^\?|\{\}$/g, '');
    for (const [key, each] of Object.entries(value)) {
      if (!isOf(each, element) && each !== '') throw this.refused(`${path}.${key}`, each, element);
    }
    return value;
  }

  private struct(
    value: unknown,
    struct: string,
    properties: { readonly [name: string]: TypeText },
    path: string,
    name: string,
  ): unknown {
    if (!isObject(value) || Array.isArray(value) || Construct.isConstruct(value) || isToken(value)) {
      throw this.refused(path || name, value, struct);
    }
    const given = value as { readonly [name: string]: unknown };
    const full = (property: string) => (path ? `${path}.${property}` : property);
    for (const key of Object.keys(given)) {
      if (given[key] !== undefined && !(key in properties))
        throw this.unknown(full(key), key, given[key], struct);
    }
    let settled = given;
    for (const [property, type] of Object.entries(properties)) {
      const one = this.settle(given[property], type, full(property));
      if (one !== given[property]) settled = { ...settled, [property]: one };
    }
    return settled;
  }

  /** Whether a value can be one that a look-up has not answered yet. */
  private awaits(value: unknown): boolean {
    if (isPlaceholder(value)) return true;
    if (isObject(value) && 'isBurstable' in value) return isPlaceholder(String(value));
    return (value === undefined || Number.isNaN(value)) && awaitsContext(this.scope);
  }

  /** Whether an entry of a list lacks what it must have until a look-up has an answer. */
  private holdsAwaited(entry: unknown, struct: TypeText): boolean {
    const required = Object.entries(propertiesOf(struct) ?? {}).filter(([, type]) => !type.startsWith('?'));
    return isObject(entry) && required.some(([name]) => this.awaits(Reflect.get(entry, name)));
  }

  private standIn(value: unknown, type: TypeText, path: string): unknown {
    if (type.endsWith('[]')) return [this.standIn(undefined, type.slice(0, -2), path)];
    if (path in KNOWN) return KNOWN[path];
    if (type === 'string')
      return Token.asString({ resolve: () => value ?? 'awaits-context', creationStack: [] });
    if (type === 'number') return 1;
    if (type === 'boolean') return false;
    const members = inputTable().enums[type];
    if (members) return Object.values(members)[0];
    const id = `AwaitsContext-${this.where}-${path}`.replace(/\//g, '-');
    const made = FOREIGN_TYPES[type]?.standIn?.(this.scope, id);
    if (made !== undefined) return made;
    throw this.refused(path, value, type);
  }

  private refused(path: string, value: unknown, type: TypeText): InvalidInputError {
    const bare = type.replace(/^\?/, '');
    const how = type.startsWith('?') ? ', or leave it out for the default' : '';
    return this.error(path, value, allowedFor(bare), `${hint(value, bare, path)}${how}.`);
  }

  private unknown(path: string, key: string, value: unknown, struct: string): InvalidInputError {
    const names = Object.keys(propertiesOf(struct)!);
    const meant = nearest(key, names);
    const fix = meant ? `Did you mean ${meant}?` : 'Leave it out: nothing would read it.';
    return this.error(path, value, `the properties of ${struct}: ${names.join(', ')}`, fix);
  }

  private error(path: string, value: unknown, allowed: string, fix: string): InvalidInputError {
    return this.told(path, shown(value), allowed, fix);
  }

  private told(path: string, value: string, allowed: string, fix: string): InvalidInputError {
    return new InvalidInputError(`${this.where}: ${path} is ${value}; allowed: ${allowed}. ${fix}`);
  }
}

/** Stacks have a method 'resolve', by which the CDK takes them for tokens. */
const isToken = (value: unknown) =>
  Token.isUnresolved(value) && !(isObject(value) && Construct.isConstruct(value));

/** Texts that are part of the ids of constructs, which no token can be. */
const KNOWN: { readonly [path: string]: string } = { tier: 'awaiting' };

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether values of a type are no objects. */
const isPlain = (type: TypeText) =>
  /^(string|number|boolean)$/.test(type) || type in inputTable().enums || type in FOREIGN_ENUMS;

/** A token object as what has its type: methods of texts and arithmetic of numbers work on it. */
function encoded(value: unknown, type: TypeText): unknown {
  if (!isObject(value)) return value;
  if (type === 'number') return Token.asNumber(value);
  return type === 'boolean' ? value : Token.asString(value);
}

function isOf(value: unknown, type: TypeText): boolean {
  if (type === 'string') return typeof value === 'string' && value !== '';
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value);
  if (type === 'boolean') return typeof value === 'boolean';
  const members = membersOf(type);
  if (members) return Object.values(members).includes(value as string);
  if (!isObject(value)) return false;
  if (propertiesOf(type)) return true;
  const own = inputTable().classes[type];
  if (!own) return FOREIGN_TYPES[type]!.is(value);
  return own.members.every((name) => name in value) && own.bases.every((base) => isOf(value, base));
}

function membersOf(type: TypeText): { readonly [member: string]: string | number } | undefined {
  const own = inputTable().enums[type];
  if (own) return own;
  const foreign = FOREIGN_ENUMS[type]?.();
  // An enumeration of numbers also has their names.
  return foreign && Object.fromEntries(Object.entries(foreign).filter(([key]) => Number.isNaN(Number(key))));
}

function allowedFor(type: TypeText): string {
  if (type.endsWith('[]')) return `a list, each of it ${allowedFor(type.slice(0, -2))}`;
  if (type.endsWith('{}')) return `an object with values that are ${allowedFor(type.slice(0, -2))}`;
  const plain = {
    string: 'a text that is not empty',
    number: 'a number that is finite',
    boolean: 'true or false',
  }[type];
  if (plain) return plain;
  const members = membersOf(type);
  if (members)
    return Object.keys(members)
      .map((member) => `${type}.${member}`)
      .join(', ');
  const properties = propertiesOf(type);
  if (properties) return `an object with properties of ${type}: ${Object.keys(properties).join(', ')}`;
  return FOREIGN_TYPES[type]?.allowed ?? waysToMake(type);
}

/** How users come by an object of a class or interface of this library. */
function waysToMake(type: string): string {
  const { calls, classes } = inputTable();
  if (/^I[A-Z]/.test(type)) {
    const ways = Object.keys(classes).filter((name) => classes[name]!.bases.includes(type));
    return `an ${type}, such as ${ways.join(', ')}`;
  }
  if (type in calls) return `a ${type}, made with new ${type}(...)`;
  const factories = Object.keys(calls).filter((call) => call.startsWith(`${type}.`));
  return factories.map((call) => `${call}(${Object.keys(calls[call]!).join(', ')})`).join(' or ');
}

// Where there is more to say than that a value is missing or of another type.
const HINTS: { readonly [type: string]: string } = {
  DataLossOnFailure:
    'All data is lost when such a server fails: say that this is acceptable, or use NfsStorage.ebs()',
};

function hint(value: unknown, type: TypeText, path: string): string {
  const name = path.split('.').pop()!;
  if (HINTS[type]) return HINTS[type];
  if (value === undefined) return `Set ${name}: it is required`;
  if (type === 'number' && typeof value === 'string' && value !== '') {
    return isToken(value) ? 'Encode the token with Token.asNumber' : 'Write the number without quotes';
  }
  const members = membersOf(type);
  const meant = members && typeof value === 'string' ? nearest(value, Object.keys(members)) : undefined;
  if (meant) return `Use ${type}.${meant}`;
  if (type.endsWith('[]') && isOf(value, type.slice(0, -2))) return 'Put it into a list';
  return `Give ${name} one of these`;
}
