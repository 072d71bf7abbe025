import { Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** A rejected input. The name tells it from a bug: whoever shows it needs no stack trace. */
class InvalidInputError extends Error {
  public override readonly name = 'InvalidInputError';
}

/**
 * The error of a rejected input: where, what, its value, what is allowed and what to do.
 * Thrown, never annotated: synthesis must not go on with half-built state.
 */
export function invalid(
  scope: IConstruct | undefined,
  what: string,
  value: unknown,
  allowed: string,
  fix: string,
): Error {
  const where = scope?.node.path ? `${scope.node.path}: ` : '';
  const shown = typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? String(value));
  return new InvalidInputError(`${where}${what} is ${shown}; allowed: ${allowed}. ${fix}`);
}

/** Whether a value is known at synthesis. A token is not, and no check may read it. */
export function isConcrete(value: unknown): boolean {
  return value !== undefined && !Token.isUnresolved(value);
}

/** Rejects a number that is not a whole number from min to max. Tokens pass. */
export function requireInteger(
  scope: IConstruct | undefined,
  what: string,
  value: number | undefined,
  min: number,
  max: number,
  fix: string,
): void {
  if (!isConcrete(value)) return;
  if (!Number.isInteger(value) || value! < min || value! > max) {
    throw invalid(scope, what, value, `a whole number from ${min} to ${max}`, fix);
  }
}
