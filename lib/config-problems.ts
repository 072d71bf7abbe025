import type { ErrorObject } from 'ajv';
import { nearest } from '../constructs/private/inputs/nearest';
import type { Schema } from './config-schema';

/** What is wrong with a file, one line for each problem: file and line, key, value, what is allowed, and what to do. */
export function problemsOf(
  errors: readonly ErrorObject[],
  file: string,
  lineOf: (path: string[]) => string,
): string[] {
  return withoutAlternatives(errors).map((error) => {
    const path = error.instancePath.split('/').slice(1);
    const key = path.length ? path.join('.') : 'the file';
    const text = describe(error);
    return `${file}${lineOf(path)}: ${key}${text.startsWith('.') ? '' : ' '}${text}`;
  });
}

/**
 * A 'oneOf' has errors for each of its alternatives. Left are those of the alternative that is meant, or that there is
 * none; an 'if' says nothing of its own.
 */
function withoutAlternatives(errors: readonly ErrorObject[]): ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf');
  const left = errors.filter(({ keyword, schemaPath }) => {
    if (['if', 'oneOf', 'anyOf'].includes(keyword)) return false;
    return choices.every((choice) => {
      if (!schemaPath.startsWith(`${choice.schemaPath}/`)) return true;
      const meant = alternativeOf(choice);
      return meant !== undefined && schemaPath.startsWith(`${choice.schemaPath}/${meant}/`);
    });
  });
  const nothingMeant = choices.filter((choice) => {
    const meant = alternativeOf(choice);
    const prefix = `${choice.schemaPath}/${meant}/`;
    return meant === undefined || !errors.some(({ schemaPath }) => schemaPath.startsWith(prefix));
  });
  return [...left, ...nothingMeant];
}

/** The alternative that a value is of: by a key with a constant value, or by the keys that only one of them has. */
function alternativeOf({ data, parentSchema }: ErrorObject): number | undefined {
  const alternatives = (parentSchema as Schema).oneOf ?? [];
  if (typeof data !== 'object' || data === null) return undefined;
  const fits = alternatives.map(({ properties = {} }) => {
    const constants = Object.entries(properties).filter(([, schema]) => schema.const !== undefined);
    if (constants.some(([key, schema]) => Reflect.get(data, key) !== schema.const)) return 0;
    return Object.keys(data).filter((key) => key in properties).length;
  });
  const best = Math.max(...fits);
  const index = fits.indexOf(best);
  return best > 0 && fits.lastIndexOf(best) === index ? index : undefined;
}

function describe(error: ErrorObject): string {
  const shown = JSON.stringify(error.data) ?? 'nothing';
  const value = shown.length > 60 ? `${shown.slice(0, 57)}...` : shown;
  const schema = error.parentSchema as Schema;
  switch (error.keyword) {
    case 'additionalProperties': {
      const known = Object.keys(schema.properties ?? {});
      const unknown = String(error.params.additionalProperty);
      const fix = didYouMean(unknown, known) ?? 'Take it out: nothing reads it.';
      return `has the unknown key '${unknown}'; allowed: ${known.join(', ')}. ${fix}`;
    }
    case 'required': {
      const key = String(error.params.missingProperty);
      const description = schema.properties?.[key]?.description;
      return `lacks the key '${key}'${description ? ` (${description})` : ''}. Add it.`;
    }
    case 'enum':
      return oneOf(value, error.data, error.params.allowedValues as unknown[]);
    case 'const':
      return oneOf(value, error.data, [error.params.allowedValue]);
    case 'oneOf':
    case 'anyOf':
      return noAlternative(value, error.data, schema);
    default:
      return `is ${value}; allowed: ${allowed(error, schema)}. ${fixOf(error)}`;
  }
}

/** A value of which nobody can tell which alternative it is. */
function noAlternative(
  value: string,
  data: unknown,
  { oneOf: alternatives = [], description }: Schema,
): string {
  const given = typeof data === 'object' && data !== null ? Object.keys(data) : [];
  const known = [...new Set(alternatives.flatMap(({ properties = {} }) => Object.keys(properties)))];
  const unknown = given.find((key) => !known.includes(key));
  if (unknown !== undefined && didYouMean(unknown, known)) {
    return `has the unknown key '${unknown}'; allowed: ${known.join(', ')}. ${didYouMean(unknown, known)}`;
  }
  const kinds = alternatives.map(({ properties }) => properties?.kind?.const).filter(Boolean);
  if (kinds.length > 0 && given.includes('kind')) {
    const kind = (data as { readonly kind: unknown }).kind;
    return `.kind ${oneOf(JSON.stringify(kind), kind, kinds)}`;
  }
  return `is ${value}; allowed: ${description ?? 'one of its kinds'}. Choose exactly one of these.`;
}

function oneOf(value: string, data: unknown, values: readonly unknown[]): string {
  return `is ${value}; allowed: ${values.join(', ')}. ${didYouMean(data, values) ?? 'Choose one of these.'}`;
}

function didYouMean(word: unknown, values: readonly unknown[]): string | undefined {
  const meant = typeof word === 'string' ? nearest(word, values.map(String)) : undefined;
  return meant && `Did you mean ${meant}?`;
}

/** What a value may be, from the schema that rejected it; its description says it best. */
function allowed(error: ErrorObject, { description, minimum, maximum, type }: Schema): string {
  const range =
    minimum !== undefined || maximum !== undefined
      ? `${type ?? 'a number'} from ${minimum ?? 'any'} to ${maximum ?? 'any'}`
      : undefined;
  return [range ?? (error.keyword === 'type' ? String(error.params.type) : error.message), description]
    .filter(Boolean)
    .join('; ');
}

function fixOf({ keyword, data, params }: ErrorObject): string {
  if (keyword !== 'type') return 'Correct it.';
  if (data === null) return 'Fill it in, or take the key out.';
  if (params.type === 'string') return 'Put it in quotes.';
  if (params.type === 'array') return 'Write it as a list, such as [first, second].';
  if (params.type === 'object') return 'Write its keys below it.';
  return typeof data === 'string' ? 'Write it without quotes.' : 'Correct it.';
}
