import { type Duration, type Size, SizeRoundingBehavior, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { InvalidInputError } from '../errors';
import { isPlaceholder } from './inputs/awaited-context';
import { shown } from './inputs/shown';

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
  return new InvalidInputError(`${where}${what} is ${shown(value)}; allowed: ${allowed}. ${fix}`);
}

/**
 * Whether a value is known at synthesis. A token is not, nor what stands for a look-up without an answer: no check may
 * read it.
 */
export function isConcrete(value: unknown): boolean {
  return value !== undefined && !Token.isUnresolved(value) && !isPlaceholder(value);
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

/**
 * Rejects a number that is not a whole number from min to max, and one that is not known at synthesis: it decides what
 * is made.
 */
export function requireKnownInteger(
  scope: IConstruct | undefined,
  what: string,
  value: number | undefined,
  min: number,
  max: number,
  fix: string,
): void {
  if (Token.isUnresolved(value)) {
    const allowed = `a whole number from ${min} to ${max}, known at synthesis`;
    throw invalid(scope, what, 'a token', allowed, 'Spell the number out: it decides what is made.');
  }
  requireInteger(scope, what, value, min, max, fix);
}

/** Rejects a list of which nobody knows at synthesis how long it is. What is in it may be tokens. */
export function requireKnownList(scope: IConstruct, what: string, list: string[] | undefined): void {
  if (!Token.isUnresolved(list)) return;
  const fix = 'Spell the list out; what is in it may be tokens.';
  throw invalid(scope, what, 'a token', 'a list whose length is known at synthesis', fix);
}

/**
 * A size in whole GiB. One whose number of GiB is a token passes.
 *
 * @throws when it is not from min to max, no whole number of GiB, or a token in another unit, which nobody can convert
 */
export function gibibytes(
  scope: IConstruct,
  what: string,
  size: Size,
  range: { readonly min: number; readonly max: number },
  fix: string,
): number {
  const number = sizeInGiB(size);
  if (number === undefined) {
    const allowed = 'Size.gibibytes() of a token, or a size known at synthesis';
    throw invalid(scope, what, 'a token in another unit', allowed, 'Give it in GiB.');
  }
  requireInteger(scope, what, number, range.min, range.max, fix);
  return number;
}

/** A size in GiB, with its fraction; undefined when it is a token in another unit. */
export function sizeInGiB(size: Size): number | undefined {
  try {
    return size.toGibibytes({ rounding: SizeRoundingBehavior.NONE });
  } catch {
    return undefined;
  }
}

/** A size in bytes, with its fraction. It has to be known at synthesis. */
export function knownBytes(scope: IConstruct, what: string, size: Size): number {
  if (!size.isUnresolved()) return size.toBytes({ rounding: SizeRoundingBehavior.NONE });
  throw invalid(scope, what, 'a token', 'a size known at synthesis', 'Spell the size out.');
}

/** Rejects a time that is not known at synthesis, or not in whole minutes from min to max. */
export function requireMinutes(
  scope: IConstruct,
  what: string,
  value: Duration | undefined,
  min: Duration,
  max: Duration,
): void {
  if (value === undefined) return;
  const allowed = `whole minutes from ${min.toMinutes()} to ${max.toMinutes()}`;
  const fix = 'Give a Duration within that range.';
  if (value.isUnresolved()) throw invalid(scope, what, 'a token', `${allowed}, known at synthesis`, fix);
  const minutes = value.toMinutes({ integral: false });
  if (!Number.isInteger(minutes) || minutes < min.toMinutes() || minutes > max.toMinutes()) {
    throw invalid(scope, what, value.toHumanString() || `${minutes} minutes`, allowed, fix);
  }
}

/** Rejects what cannot be the name of a root device. */
export function requireRootDevice(scope: IConstruct, value: string | undefined): void {
  if (!isConcrete(value) || /^\/dev\/[a-z][a-z0-9]*$/.test(value!)) return;
  const fix = "'/dev/sda1' on RHEL, '/dev/xvda' on Amazon Linux: the image's RootDeviceName.";
  throw invalid(scope, 'rootDeviceName', value, "'/dev/' and a name of lower-case letters and digits", fix);
}

/** Rejects what cannot be an instance type. One that is newer than this library passes. */
export function requireInstanceType(
  scope: IConstruct,
  what: string,
  type: { toString(): string } | undefined,
): void {
  const name = type?.toString();
  if (!isConcrete(name) || /^[a-z][a-z0-9-]*\d[a-z0-9-]*\.[a-z0-9-]+$/.test(name!)) return;
  throw invalid(
    scope,
    what,
    name,
    'a family and a size in lower case, such as m6in.8xlarge',
    'Correct the type.',
  );
}
