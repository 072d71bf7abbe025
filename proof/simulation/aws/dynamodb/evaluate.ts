import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { ServiceError } from '../errors';
import type { Comparator, Condition, Operand, Parsed, Path, Update } from './parser';

export type Item = { [attribute: string]: AttributeValue };

/** What the aliases in expressions stand for. */
export interface Aliases {
  readonly names: { readonly [alias: string]: string };
  readonly values: { readonly [alias: string]: AttributeValue };
}

const invalid = (message: string): ServiceError => new ServiceError('ValidationException', message);

/**
 * Refuses aliases that are missing, and, as DynamoDB does, those that no expression uses.
 *
 * @throws ServiceError ValidationException
 */
export function checkAliases(aliases: Aliases, ...expressions: (Parsed<unknown> | undefined)[]): void {
  const names = new Set<string>();
  const values = new Set<string>();
  for (const expression of expressions) {
    for (const name of expression?.names ?? []) names.add(name);
    for (const value of expression?.values ?? []) values.add(value);
  }
  for (const name of names) {
    if (aliases.names[name] === undefined) {
      throw invalid(`An expression attribute name used in the document path is not defined: ${name}`);
    }
  }
  for (const value of values) {
    if (aliases.values[value] === undefined) {
      throw invalid(`An expression attribute value used in expression is not defined: ${value}`);
    }
  }
  for (const name of Object.keys(aliases.names)) {
    if (!names.has(name))
      throw invalid(`Value provided in ExpressionAttributeNames unused in expressions: ${name}`);
  }
  for (const value of Object.keys(aliases.values)) {
    if (!values.has(value))
      throw invalid(`Value provided in ExpressionAttributeValues unused in expressions: ${value}`);
  }
}

/** Whether an item (empty when there is none) meets a condition. What is missing compares with nothing. */
export function holds(condition: Condition, item: Item, aliases: Aliases): boolean {
  switch (condition.is) {
    case 'and':
      return condition.parts.every((part) => holds(part, item, aliases));
    case 'or':
      return condition.parts.some((part) => holds(part, item, aliases));
    case 'not':
      return !holds(condition.part, item, aliases);
    case 'exists':
      return at(condition.path, item, aliases) !== undefined;
    case 'not-exists':
      return at(condition.path, item, aliases) === undefined;
    case 'begins_with': {
      const value = at(condition.path, item, aliases);
      const prefix = valueFor(condition.prefix, item, aliases);
      return value?.S !== undefined && prefix?.S !== undefined && value.S.startsWith(prefix.S);
    }
    case 'compare': {
      const left = valueFor(condition.left, item, aliases);
      const right = valueFor(condition.right, item, aliases);
      return left !== undefined && right !== undefined && compare(condition.how, left, right);
    }
  }
}

/** The item after an update; the item itself is left as it is. All values are those from before. */
export function updated(update: Update, item: Item, aliases: Aliases): Item {
  const after: Item = { ...item };
  for (const { path, value } of update.set) {
    const found = valueFor(value, item, aliases);
    if (found === undefined) {
      throw invalid('The provided expression refers to an attribute that does not exist in the item');
    }
    put(path, after, aliases, found);
  }
  for (const path of update.remove) put(path, after, aliases, undefined);
  for (const { path, value } of update.add) {
    const amount = valueFor(value, item, aliases);
    const before = at(path, item, aliases) ?? { N: '0' };
    if (amount?.N === undefined || before.N === undefined)
      throw invalid('ADD takes numbers; sets are not simulated');
    put(path, after, aliases, { N: String(Number(before.N) + Number(amount.N)) });
  }
  return after;
}

function named(part: string, aliases: Aliases): string {
  return part.startsWith('#') ? aliases.names[part]! : part;
}

function at(path: Path, item: Item, aliases: Aliases): AttributeValue | undefined {
  let value: AttributeValue | undefined = item[named(path[0]!, aliases)];
  for (let index = 1; index < path.length && value !== undefined; index++) {
    value = value.M?.[named(path[index]!, aliases)];
  }
  return value;
}

function put(path: Path, item: Item, aliases: Aliases, value: AttributeValue | undefined): void {
  let holder = item;
  for (let index = 0; index < path.length - 1; index++) {
    const name = named(path[index]!, aliases);
    const map = holder[name]?.M;
    if (map === undefined) {
      // Removing what is not there is nothing; setting it needs the map that it is in.
      if (value === undefined) return;
      throw invalid('The document path provided in the update expression is invalid for update');
    }
    const copy: Item = { ...map };
    holder[name] = { M: copy };
    holder = copy;
  }
  const last = named(path[path.length - 1]!, aliases);
  if (value === undefined) delete holder[last];
  else holder[last] = value;
}

function valueFor(operand: Operand, item: Item, aliases: Aliases): AttributeValue | undefined {
  switch (operand.is) {
    case 'value':
      return aliases.values[operand.name];
    case 'path':
      return at(operand.path, item, aliases);
    case 'if_not_exists':
      return at(operand.path, item, aliases) ?? valueFor(operand.otherwise, item, aliases);
    case 'sum': {
      const left = valueFor(operand.left, item, aliases);
      const right = valueFor(operand.right, item, aliases);
      if (left?.N === undefined || right?.N === undefined)
        throw invalid('An operand has the wrong type for + or -');
      const amount = Number(right.N);
      return { N: String(Number(left.N) + (operand.minus ? -amount : amount)) };
    }
  }
}

/** Values of different types are different, and neither is the smaller one. */
function compare(how: Comparator, left: AttributeValue, right: AttributeValue): boolean {
  if (how === '=') return isSame(left, right);
  if (how === '<>') return !isSame(left, right);
  let order: number;
  if (left.N !== undefined && right.N !== undefined) order = Number(left.N) - Number(right.N);
  else if (left.S !== undefined && right.S !== undefined)
    order = left.S < right.S ? -1 : left.S > right.S ? 1 : 0;
  else return false;
  if (how === '<') return order < 0;
  if (how === '<=') return order <= 0;
  return how === '>' ? order > 0 : order >= 0;
}

function isSame(left: AttributeValue, right: AttributeValue): boolean {
  if (left.S !== undefined) return left.S === right.S;
  if (left.N !== undefined) return right.N !== undefined && Number(left.N) === Number(right.N);
  if (left.BOOL !== undefined) return left.BOOL === right.BOOL;
  if (left.NULL !== undefined) return right.NULL !== undefined;
  if (left.L !== undefined) {
    const other = right.L;
    return (
      other !== undefined &&
      other.length === left.L.length &&
      left.L.every((each, i) => isSame(each, other[i]!))
    );
  }
  if (left.M !== undefined) {
    const mine = Object.entries(left.M);
    const other = right.M;
    return (
      other !== undefined &&
      Object.keys(other).length === mine.length &&
      mine.every(([name, value]) => other[name] !== undefined && isSame(value, other[name]))
    );
  }
  return false;
}
