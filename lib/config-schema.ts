import schema from './config.schema.json';

/** What config.schema.json is made of. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
}

/** The schema as it is written, with its definitions by name. */
export const WRITTEN_SCHEMA = schema as unknown as Schema & {
  readonly $defs: Readonly<Record<string, Schema>>;
};

const DEFINITION = /^#\/\$defs\/(\w+)$/;

/** The name of the definition that stands here, if one does. */
export const definitionOf = ({ $ref }: Schema): string | undefined => DEFINITION.exec($ref ?? '')?.[1];

/** A part of the schema, with its definition in place of its `$ref`. What the part says itself comes first. */
export function resolved(part: Schema): Schema {
  if (part.$ref === undefined) return part;
  const definition = WRITTEN_SCHEMA.$defs[definitionOf(part) ?? ''];
  if (!definition) throw new Error(`config.schema.json has no definition ${part.$ref}`);
  const { $ref: _, ...own } = part;
  return { ...resolved(definition), ...own };
}

function withoutRefs(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(withoutRefs);
  return Object.fromEntries(Object.entries(resolved(part)).map(([key, value]) => [key, withoutRefs(value)]));
}

const { $defs: _, ...top } = WRITTEN_SCHEMA;

/**
 * The schema without `$ref`: what a definition says lies where it is used, with the description of that use. A
 * validator names in its errors the part that refused a value, and messages quote the description.
 */
export const CONFIG_SCHEMA = withoutRefs(top) as Schema & Required<Pick<Schema, 'properties'>>;

/** What the schema says of a key, such as `grid.nodes`. */
export function keySchema(path: string): Schema {
  return path.split('.').reduce<Schema>((part, key) => {
    const next = part.properties?.[key];
    if (!next) throw new Error(`config.schema.json has no key ${path}`);
    return next;
  }, CONFIG_SCHEMA);
}
