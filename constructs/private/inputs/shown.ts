import { Stack, Token } from 'aws-cdk-lib';
import { Construct } from 'constructs';

const LONGEST = 120;

/** A value as a message shows it, whatever it is: never a tree of constructs, and never an error about it. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${shortened(value)}'`;
  if (typeof value === 'function') return value.name ? `the function or class ${value.name}` : 'a function';
  // JSON has no NaN, no infinity and no bigint.
  if (typeof value !== 'object' || value === null) return String(value);
  if (Stack.isStack(value)) return `the stack '${value.node.path}'`;
  if (Construct.isConstruct(value)) return `the ${value.constructor.name} '${value.node.path}'`;
  if (Token.isUnresolved(value) && !Array.isArray(value)) return 'a token';
  const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null;
  const made = prototype?.constructor?.name;
  if (!Array.isArray(value) && made !== undefined && made !== 'Object')
    return `an object of the class ${made}`;
  try {
    return shortened(JSON.stringify(value, brief));
  } catch {
    return Array.isArray(value) ? 'a list' : 'an object';
  }
}

function brief(key: string, value: unknown): unknown {
  if (value === undefined) return 'undefined';
  return key !== '' && Construct.isConstruct(value) ? shown(value) : value;
}

const shortened = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text);
