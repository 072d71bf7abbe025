import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Source } from '../../constructs/sizing/facts';
import { reviewDay } from './review';

/** A fact as it is listed. */
export interface ListedFact {
  /** Where it is: the file, and the name in it. */
  readonly file: string;
  readonly name: string;
  /** What it says; of a table that it is one. */
  readonly value: string;
  readonly source: string;
  /** The day it was read, yyyy-mm-dd. */
  readonly read: string;
  /** The day to look again; undefined: never. */
  readonly review?: string;
  readonly unverified: boolean;
  readonly writtenIn: readonly string[];
}

const ROOT = join(__dirname, '../..');

/** Folders whose modules and data files hold facts. A new file there is listed without being named anywhere. */
export const FOLDERS = ['constructs/facts', 'constructs/sizing'];

/** Every fact of the project, by file and name. */
export function collectFacts(root = ROOT, folders: readonly string[] = FOLDERS): ListedFact[] {
  const found = folders.flatMap((folder) =>
    filesIn(join(root, folder)).flatMap((file) => {
      const name = relative(root, file);
      if (file.endsWith('.json')) return factsOf(name, JSON.parse(readFileSync(file, 'utf8')));
      return Object.entries(require(file) as object).flatMap(([key, value]) => factsOf(name, value, key));
    }),
  );
  return distinct(found).sort((a, b) => a.file.localeCompare(b.file) || a.name.localeCompare(b.name));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|json)$/.test(name) && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name));
}

/** Whatever has a source, alone, in a list or as a part of something. */
function factsOf(file: string, value: unknown, name = '', depth = 0): ListedFact[] {
  if (typeof value !== 'object' || value === null || depth > 5) return [];
  if (isSource(value)) return [listed(file, name, 'what this file rests on', value)];
  const { source, ...rest } = value as { source?: unknown };
  const own = isSource(source) ? [listed(file, name, wordsOf(rest), source, rest)] : [];
  const parts = Object.entries(rest).flatMap(([key, part]) =>
    factsOf(file, part, Array.isArray(value) ? name : [name, key].filter(Boolean).join('.'), depth + 1),
  );
  return [...own, ...parts];
}

function isSource(value: unknown): value is Source {
  const { title, reference, checked } = (value ?? {}) as Partial<Source>;
  return [title, reference, checked].every((one) => typeof one === 'string');
}

function listed(
  file: string,
  name: string,
  value: string,
  source: Source,
  { writtenIn = [] }: { writtenIn?: readonly string[] } = {},
): ListedFact {
  return {
    file,
    name,
    value,
    source: `${source.title}: ${source.reference}`,
    read: source.checked,
    review: reviewDay(source),
    unverified: source.unverified ?? false,
    writtenIn,
  };
}

/** A single value as it is, a table by its size. */
function wordsOf(rest: { value?: unknown; unit?: unknown }): string {
  if (rest.value === undefined) return `${Object.keys(rest).length} entries`;
  const { value } = rest;
  const text =
    typeof value === 'object' && !Array.isArray(value)
      ? `${Object.keys(value as object).length} entries`
      : String(value);
  return `${text} ${typeof rest.unit === 'string' ? rest.unit : ''}`.trim();
}

/** A module that passes on what another one has is not listed a second time. */
function distinct(found: ListedFact[]): ListedFact[] {
  const seen = new Set<string>();
  const deepestFirst = [...found].sort((a, b) => b.file.split('/').length - a.file.split('/').length);
  return deepestFirst.filter(({ name, source }) => {
    const key = `${name} ${source}`;
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}
