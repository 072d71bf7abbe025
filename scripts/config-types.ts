// Writes lib/config-types.ts, the types of what lib/config.schema.json allows.
// npx tsx scripts/config-types.ts
//
// json-schema-to-typescript 16.0.0 was tried. It makes a second type of a definition wherever a use describes it
// (HostedZone1), a type with a name of each plain value (VolumeCount), and nothing readonly; it brings prettier and
// lodash.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definitionOf, resolved, type Schema, WRITTEN_SCHEMA } from '../lib/config-schema';

export const TYPES_FILE = join(__dirname, '..', 'lib', 'config-types.ts');

const HEADER = `// Generated from config.schema.json by 'npx tsx scripts/config-types.ts'; do not edit it. Change the
// schema, and run that. A test fails while this file is not what the schema says.
`;

/** Of comments, and of code as biome.json formats it. */
const WIDTH = 120;
const FORMATTED_WIDTH = 110;

/** As many words as fit on each line. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function docstring(text: string | undefined, indent: string): string {
  if (!text) return '';
  const safe = text.replaceAll('*/', '*\\/');
  const line = `${indent}/** ${safe} */\n`;
  if (line.length <= WIDTH + 1) return line;
  const lines = wrapped(safe, WIDTH - indent.length - ' * '.length);
  return `${indent}/**\n${lines.map((each) => `${indent} * ${each}\n`).join('')}${indent} */\n`;
}

const pascal = (name: string): string => name[0]!.toUpperCase() + name.slice(1);

/** What has keys, or alternatives, has a type with a name; what is a plain value is written where it is used. */
const isNamed = ({ properties, oneOf }: Schema): boolean => properties !== undefined || oneOf !== undefined;

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
};

function typeOf(part: Schema, indent: string): string {
  const definition = definitionOf(part);
  const schema = resolved(part);
  if (definition && isNamed(schema)) return `${pascal(definition)}Config`;
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.properties) return keysOf(schema, indent);
  if (typeof schema.additionalProperties === 'object')
    return `Readonly<Record<string, ${typeOf(schema.additionalProperties, indent)}>>`;
  if (schema.items) {
    const item = typeOf(schema.items, indent);
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  const plain = PLAIN[schema.type ?? ''];
  if (!plain) throw new Error(`there is no type for this part of the schema: ${JSON.stringify(schema)}`);
  return plain;
}

/** Keys with their types; `never` are those that must not be there beside them. */
function keysOf({ properties = {}, required = [] }: Schema, indent: string, never: string[] = []): string {
  const inner = `${indent}  `;
  const keys = Object.entries(properties).map(([key, part]) => {
    const optional = required.includes(key) ? '' : '?';
    const text = docstring(resolved(part).description, inner);
    return `${text}${inner}readonly ${key}${optional}: ${typeOf(part, inner)};\n`;
  });
  const absent = never.map((key) => `${inner}readonly ${key}?: never;\n`);
  return `{\n${[...keys, ...absent].join('')}${indent}}`;
}

/** One of several. Those written in place exclude each other's keys, so that any key can be read of the whole. */
function alternatives(parts: readonly Schema[]): string[] {
  if (parts.every((part) => definitionOf(part))) return parts.map((part) => typeOf(part, ''));
  const all = parts.flatMap(({ properties = {} }) => Object.keys(properties));
  return parts.map((part) => {
    const others = all.filter((key) => !(key in (part.properties ?? {})));
    return keysOf(part, '    ', others);
  });
}

function declaration(name: string, schema: Schema): string {
  const text = docstring(schema.description, '');
  if (!schema.oneOf) return `${text}export interface ${name} ${keysOf(schema, '')}\n`;
  const each = alternatives(schema.oneOf);
  const line = `export type ${name} = ${each.join(' | ')};\n`;
  const fits = line.length <= FORMATTED_WIDTH + 1 && !each.some((type) => type.includes('\n'));
  return `${text}${fits ? line : `export type ${name} =\n  | ${each.join('\n  | ')};\n`}`;
}

/** The text of lib/config-types.ts. */
export function configTypes(): string {
  const { $defs, ...root } = WRITTEN_SCHEMA;
  const named = Object.entries($defs).filter(([, schema]) => isNamed(schema));
  return [
    HEADER,
    declaration('DeploymentConfig', root),
    ...named.map(([name, schema]) => declaration(`${pascal(name)}Config`, schema)),
  ].join('\n');
}

if (require.main === module) writeFileSync(TYPES_FILE, configTypes());
