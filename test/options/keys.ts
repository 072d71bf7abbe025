import { CONFIG_SCHEMA, type Schema } from '../../lib/config-schema';

/** A key of the configuration, from the top, by dots: `network.nat`. */
export interface Key {
  readonly path: string;
  /** Whether a file may leave it out where its parent is. */
  readonly optional: boolean;
}

/** All keys that the schema knows, those of each kind of a part too. What has one value only is no choice. */
export function keysOf(
  { properties = {}, required = [], oneOf = [] }: Schema = CONFIG_SCHEMA,
  parent = '',
): Key[] {
  const own = Object.entries(properties)
    .filter(([, each]) => each.const === undefined)
    .flatMap(([name, each]) => {
      const path = parent + name;
      return [{ path, optional: !required.includes(name) }, ...keysOf(each, `${path}.`)];
    });
  const ofKinds = oneOf.flatMap((kind) => keysOf(kind, parent));
  return [...own, ...ofKinds].filter(
    ({ path }, index, all) => all.findIndex((one) => one.path === path) === index,
  );
}

type Part = Record<string, unknown>;

/** The configuration with another value at a key; without one, without the key. */
export function withKey<T extends object>(config: T, path: string, value: unknown): T {
  const copy = structuredClone(config) as Part;
  const names = path.split('.');
  const last = names.pop()!;
  let part = copy;
  for (const name of names) {
    if (part[name] === undefined && value === undefined) return copy as T;
    part[name] ??= {};
    part = part[name] as Part;
  }
  if (value === undefined) delete part[last];
  else part[last] = structuredClone(value);
  return copy as T;
}

/** What a configuration has at a key. */
export const valueAt = (config: object, path: string): unknown =>
  path.split('.').reduce<unknown>((part, name) => (part as Part | undefined)?.[name], config);
