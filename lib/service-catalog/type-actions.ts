/** How the actions of a resource type can be limited. */
export interface TypeActions {
  /** Reads, and creations that know neither a name nor a tag beforehand: on anything. */
  readonly any?: readonly string[];
  /** On what carries the product's tag. */
  readonly tagged?: readonly string[];
  /** Right after the creation, when the tag may not count yet: on anything, called by CloudFormation only. */
  readonly atOnce?: readonly string[];
  /** By services of AWS, for whoever makes something that needs it: on anything, through these services only. */
  readonly byServices?: { readonly services: readonly string[]; readonly actions: readonly string[] };
  /** On what bears a name that CloudFormation begins with the stack's: the ARN, `<name>` standing for the names. */
  readonly named?: { readonly arns: readonly string[]; readonly actions: readonly string[] };
  /** Delete what holds data. Left out of the role, and denied, when everything of the type is kept in the template. */
  readonly delete?: readonly string[];
}

/** Actions by resource type. */
export type ActionTable = Readonly<Record<string, TypeActions>>;

/** Actions of a service by their names. */
export const actionsOf = (service: string, ...names: string[]): string[] =>
  names.map((name) => `${service}:${name}`);
