import { readFileSync } from 'node:fs';
import Ajv from 'ajv/dist/2020';
import { deploymentNames, loadConfig } from '../../lib/config';
import {
  CONFIG_SCHEMA,
  definitionOf,
  keySchema,
  resolved,
  type Schema,
  WRITTEN_SCHEMA,
} from '../../lib/config-schema';
import { configTypes, TYPES_FILE } from '../../scripts/config-types';

interface Place {
  readonly path: string;
  readonly part: Schema;
}

/** Each part of the schema as it is written. */
function* partsOf(part: Schema, path: string): Generator<Place> {
  yield { path, part };
  const { properties = {}, oneOf = [], items, additionalProperties } = part;
  for (const [key, each] of Object.entries(properties)) yield* partsOf(each, `${path}.${key}`);
  for (const [index, each] of oneOf.entries()) yield* partsOf(each, `${path}.oneOf.${index}`);
  if (items) yield* partsOf(items, `${path}.items`);
  if (typeof additionalProperties === 'object') yield* partsOf(additionalProperties, `${path}.*`);
}

const { $defs, ...root } = WRITTEN_SCHEMA;
const PARTS = [
  ...partsOf(root, 'the file'),
  ...Object.entries($defs).flatMap(([name, definition]) => [...partsOf(definition, name)]),
];
const KEYS = PARTS.flatMap(({ path, part }) =>
  Object.entries(part.properties ?? {}).map(([key, each]) => ({ path: `${path}.${key}`, key, part: each })),
);

test('config-types.ts is what the schema says; npx tsx scripts/config-types.ts makes it', () => {
  expect(readFileSync(TYPES_FILE, 'utf8')).toBe(configTypes());
});

describe('definitions', () => {
  // A validator adds what is beside a $ref to the definition; here it comes in its place.
  test('have nothing beside their $ref but a description', () => {
    const refs = PARTS.filter(({ part }) => part.$ref !== undefined);
    expect(refs.length).toBeGreaterThan(80);
    const keys = refs.flatMap(({ part }) => Object.keys(part));
    expect([...new Set(keys)].sort()).toEqual(['$ref', 'description']);
  });

  test('are all used', () => {
    const used = new Set(PARTS.map(({ part }) => definitionOf(part)));
    expect(Object.keys($defs).filter((name) => !used.has(name))).toEqual([]);
  });

  test('say once what a value looks like', () => {
    const patterns = PARTS.flatMap(({ part }) => part.pattern ?? []);
    expect(patterns.filter((pattern, index) => patterns.indexOf(pattern) !== index)).toEqual([]);
  });

  test('that are not there are no part of a schema', () => {
    expect(() => resolved({ $ref: '#/$defs/nothing' })).toThrow('no definition #/$defs/nothing');
    expect(() => resolved({ $ref: 'other.json' })).toThrow('no definition other.json');
    expect(JSON.stringify(CONFIG_SCHEMA)).not.toContain('$ref');
  });
});

test('a key is found by its path, with what its definition says', () => {
  expect(keySchema('grid.nodes')).toMatchObject({ type: 'integer', minimum: 1 });
  expect(() => keySchema('grid.hosts')).toThrow('config.schema.json has no key grid.hosts');
  expect(() => keySchema('region.name')).toThrow('config.schema.json has no key region.name');
});

/** The end of a key's name, and how its description says that. */
const UNITS: readonly (readonly [RegExp, RegExp])[] = [
  [/KiB$/, /KiB/],
  [/MiB$/, /MiB/],
  [/GiB$/, /GiB/],
  [/MiBps$/, /MiB\/s/],
  [/MBps(PerCore)?$|throughputPer/, /MB\/s/],
  [/Iops$/i, /IOPS|operations per second/],
  [/Minutes$/, /minutes/],
  [/Hours$/, /hours/],
  [/Days$/, /days/],
  [/Usd$/, /USD/],
];

test('each key has a description, with the unit of its value', () => {
  const choices = KEYS.filter(({ part }) => part.const === undefined);
  const silent = choices.filter(({ part }) => !resolved(part).description);
  expect(silent.map(({ path }) => path)).toEqual([]);
  const wrong = choices.filter(({ key, part }) =>
    UNITS.some(([name, unit]) => name.test(key) && !unit.test(resolved(part).description!)),
  );
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

type Node = { [key: string]: unknown };

/** Each way to a key or an item of a configuration. */
function* waysIn(node: unknown, way: string[] = []): Generator<string[]> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    yield [...way, key];
    yield* waysIn(value, [...way, key]);
  }
}

function withValue(config: object, way: string[], value: unknown): object {
  const copy = structuredClone(config) as Node;
  const parent = way.slice(0, -1).reduce((node, key) => node[key] as Node, copy);
  parent[way.at(-1)!] = value;
  return copy;
}

const VALUES = [
  null,
  'text',
  0,
  1,
  50_000,
  true,
  [],
  ['text'],
  {},
  { kind: 'none' },
  'm6in.large',
  '10.0.0.1',
];

// An editor reads the schema as it is written, such as the one that '# yaml-language-server: $schema=' asks.
test('an editor takes and refuses what synthesis does', () => {
  const ajv = new Ajv({ allErrors: true });
  const editor = ajv.compile(WRITTEN_SCHEMA);
  const synthesis = ajv.compile(CONFIG_SCHEMA);
  const verdicts = { taken: 0, refused: 0 };
  const faults: string[] = [];
  for (const name of deploymentNames()) {
    const config = loadConfig(name);
    for (const way of waysIn(config)) {
      for (const value of VALUES) {
        const changed = withValue(config, way, value);
        const taken = synthesis(changed);
        verdicts[taken ? 'taken' : 'refused']++;
        if (editor(changed) !== taken) faults.push(`${name}: ${way.join('.')} = ${JSON.stringify(value)}`);
      }
    }
  }
  expect(faults).toEqual([]);
  expect(Math.min(verdicts.taken, verdicts.refused)).toBeGreaterThan(50);
});
