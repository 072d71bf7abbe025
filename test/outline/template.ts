/** A resource of a template. */
export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: string | readonly string[];
  /** CreationPolicy, UpdatePolicy, Condition, Metadata. */
  readonly [attribute: string]: unknown;
}

export type Resources = Readonly<Record<string, Resource>>;

/** A CloudFormation template. */
export interface Template {
  readonly Resources: Resources;
  /** Parameters, Rules, Mappings, Conditions, Outputs, Metadata, Description. */
  readonly [section: string]: unknown;
}

/** The resources in the order of their names: CloudFormation knows no other. */
export const sorted = (resources: Resources): [id: string, resource: Resource][] =>
  Object.entries(resources).sort(([a], [b]) => (a < b ? -1 : 1));
