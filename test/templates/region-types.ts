import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REGIONS_WITHOUT_SCHEMAS, REGIONS_WITHOUT_TYPES } from '../../constructs/facts/regions';
import { REGIONS } from '../matrix/cases';

const SCHEMAS = 'lib/python3.11/site-packages/cfnlint/data/schemas';

/** The part of a schema that says which properties there are. */
interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: unknown }>>;
}

/**
 * Holds the types and properties of templates against CloudFormation's schemas of each region, and what is missing
 * against the facts.
 *
 * @returns what is wrong, as lines for people; [] when nothing is
 */
export function missingInRegions(templates: readonly Template[], venv: string): string[] {
  const folder = join(venv, SCHEMAS);
  // By its text: many templates have the same one, each with its texts of user data and documents.
  const used = new Map(
    templates
      .flatMap(({ Resources }) => Object.values(Resources))
      .filter(({ Type }) => Type.startsWith('AWS::'))
      .map(({ Type, Properties }) => [`${Type} ${JSON.stringify(Properties)}`, { Type, Properties }]),
  );
  const known = new Set(readdirSync(join(folder, 'providers')).map((file) => file.replace(/\.json$/, '')));
  const unknown = REGIONS.filter((region) => !known.has(region));
  const found: string[] = [];
  if (String(unknown) !== String(REGIONS_WITHOUT_SCHEMAS.value))
    found.push(`regions without schemas are ${unknown.join(', ')}: correct constructs/facts/regions.ts`);
  // Regions share schemas: each is read, and each resource held against it, once.
  const judged = new Map<string, Set<string>>();
  for (const region of REGIONS.filter((each) => known.has(each))) {
    const provider = JSON.parse(readFileSync(join(folder, 'providers', `${region}.json`), 'utf8')) as Record<
      string,
      string
    >;
    for (const [text, { Type, Properties }] of used) {
      const lacks = isMissing(Type, region);
      if ((provider[Type] === undefined) !== lacks)
        found.push(
          `${region} ${lacks ? 'has' : 'lacks'} ${Type}: correct constructs/facts/regions.ts and docs/regions.md`,
        );
      const hash = provider[Type];
      if (hash === undefined) continue;
      const done = judged.get(hash) ?? new Set();
      judged.set(hash, done);
      if (done.has(text)) continue;
      done.add(text);
      const schema = schemaOf(folder, hash);
      for (const path of unknownProperties(Properties, schema, schema))
        found.push(`${region}: ${Type} has no property ${path}`);
    }
  }
  return [...new Set(found)];
}

const isMissing = (type: string, region: string): boolean =>
  Object.entries(REGIONS_WITHOUT_TYPES.value).some(
    ([prefix, regions]) => type.startsWith(prefix) && regions.includes(region),
  );

const SCHEMA_OF = new Map<string, Schema>();

function schemaOf(folder: string, hash: string): Schema {
  const known = SCHEMA_OF.get(hash);
  if (known) return known;
  const schema = JSON.parse(readFileSync(join(folder, 'resources', `${hash}.json`), 'utf8')) as Schema;
  SCHEMA_OF.set(hash, schema);
  return schema;
}

/**
 * Paths of properties that a schema does not have. What it does not describe, as free maps and functions, is not
 * judged.
 */
function unknownProperties(value: unknown, part: Schema | undefined, root: Schema, path = ''): string[] {
  const schema = part?.$ref ? root.definitions?.[part.$ref.replace('#/definitions/', '')] : part;
  if (!schema || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => unknownProperties(each, schema.items, root, path));
  const { properties } = schema;
  if (!properties) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === 'Ref' || name.startsWith('Fn::')) return [];
    const known = properties[name];
    return known ? unknownProperties(inner, known, root, `${path}${name}.`) : [`${path}${name}`];
  });
}
