import type { Template } from './differences';

/**
 * The template with the defaults of parameters in their place, where the deployed one does not have these parameters:
 * an update gives them their defaults, and CloudFormation compares values, not how they are written.
 */
export function withNewParameters(before: Template, after: Template): Template {
  const fresh = Object.entries(after.Parameters ?? {}).filter(
    ([name, { Default }]) => !(name in (before.Parameters ?? {})) && Default !== undefined,
  );
  const values = new Map(fresh.map(([name, { Default }]) => [name, Default]));
  return values.size === 0 ? after : (substituted(after, values) as Template);
}

function substituted(value: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((each) => substituted(each, values));
  if (typeof value !== 'object' || value === null) return value;
  const [[key, argument] = [], ...others] = Object.entries(value);
  if (others.length === 0 && key === 'Ref' && values.has(argument as string))
    return values.get(argument as string);
  const inside = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, substituted(each, values)]),
  );
  return joined(inside) ?? inside;
}

/** The text of a Fn::Join of literals. */
function joined(value: Readonly<Record<string, unknown>>): string | undefined {
  const [delimiter, parts] = (value['Fn::Join'] as [string, unknown] | undefined) ?? [];
  if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string')) return undefined;
  return parts.join(delimiter);
}
