import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../package-root';

/** A type as text: '?' in front when it can be left out, '[]' or '{}' behind for a list or a map of it. */
export type TypeText = string;

/** What the public API takes, as scripts/input-table.js reads it from the sources. */
export interface InputTable {
  readonly structs: {
    readonly [name: string]: {
      readonly bases: string[];
      readonly members: { readonly [name: string]: TypeText };
    };
  };
  readonly enums: { readonly [name: string]: { readonly [member: string]: string } };
  readonly classes: { readonly [name: string]: { readonly bases: string[]; readonly members: string[] } };
  readonly calls: { readonly [name: string]: { readonly [parameter: string]: TypeText } };
}

let table: InputTable | undefined;
const flattened = new Map<string, { readonly [name: string]: TypeText }>();

/** The table, read when it is first asked for. */
export function inputTable(): InputTable {
  table ??= JSON.parse(readFileSync(join(PACKAGE_ROOT, 'build', 'input-table.json'), 'utf8')) as InputTable;
  return table;
}

/** All properties of a struct, those of its bases with them; undefined when there is no such struct. */
export function propertiesOf(name: string): { readonly [name: string]: TypeText } | undefined {
  const struct = inputTable().structs[name];
  if (!struct) return undefined;
  let members = flattened.get(name);
  if (!members) {
    members = Object.assign({}, ...struct.bases.map(propertiesOf), struct.members) as typeof members;
    flattened.set(name, members!);
  }
  return members;
}
