import { matching } from './wildcards';

/** Permissions that are left out on purpose. */
export interface Unneeded {
  readonly actions: readonly string[];
  /**
   * Properties, or attributes of the resource, that none of the products use; `UpdatePolicy.<name>` for one of a
   * property's own.
   */
  readonly unless?: readonly string[];
  /** Why, when no property decides it. */
  readonly because?: string;
}

/** What is left out, by resource type. */
export type UnneededByType = Readonly<Record<string, readonly Unneeded[]>>;

/**
 * The permissions that the handlers of a type name, each once; undefined for a type that has no schema, or none with
 * handlers.
 */
export type HandlerPermissions = (type: string) => readonly string[] | undefined;

interface Resource {
  readonly Type: string;
  readonly Properties?: object;
}

/** A template that is launched, with the actions that its launch role allows; `*` stands for any part of one. */
export interface Launched {
  readonly name: string;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly allowed: readonly string[];
}

/** What is wrong with the roles, as text; and the types that no schema speaks of. */
export interface Verdict {
  readonly missing: readonly string[];
  readonly unused: readonly string[];
  readonly withoutHandlers: readonly string[];
}

function uses(resource: Resource, path: string): boolean {
  const names = path.split('.');
  const within = (whole: object | undefined): boolean => {
    let value: unknown = whole;
    for (const name of names) value = (value as Record<string, unknown> | undefined)?.[name];
    return value !== undefined;
  };
  return within(resource) || within(resource.Properties);
}

/**
 * Holds launch roles against what CloudFormation's handlers say that they call. Only the names of actions: whether the
 * resources and conditions of a statement fit a call is not decided here.
 */
export function judgeRights(
  launched: readonly Launched[],
  permissionsOf: HandlerPermissions,
  unneeded: UnneededByType,
): Verdict {
  const missing = new Set<string>();
  const withoutHandlers = new Set<string>();
  const used = new Set<Unneeded>();
  for (const { name, resources, allowed } of launched) {
    for (const resource of Object.values(resources)) {
      const { Type: type } = resource;
      const permissions = type.startsWith('Custom::') ? [] : permissionsOf(type);
      if (permissions === undefined) withoutHandlers.add(type);
      for (const action of permissions ?? []) {
        if (allowed.some((pattern) => matching(pattern, action))) continue;
        const entry = unneeded[type]?.find(({ actions }) =>
          actions.some((pattern) => matching(pattern, action)),
        );
        if (entry) used.add(entry);
        const property = entry?.unless?.find((each) => uses(resource, each));
        if (!entry) missing.add(`${name}: the launch role does not allow ${action}, which ${type} takes`);
        if (property) {
          missing.add(
            `${name}: the launch role does not allow ${action}, which ${type} takes with ${property}`,
          );
        }
      }
    }
  }
  const unused = Object.entries(unneeded).flatMap(([type, entries]) =>
    entries.filter((entry) => !used.has(entry)).map(({ actions }) => `${type}: ${actions.join(', ')}`),
  );
  return { missing: [...missing].sort(), unused, withoutHandlers: [...withoutHandlers].sort() };
}
