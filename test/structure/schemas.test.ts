import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import Ajv from 'ajv/dist/2020';

const FILES = execFileSync('git', ['ls-files', '*.schema.json'], { encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);

/** All that a schema refers to. */
const refsOf = (text: string): string[] => [...text.matchAll(/"\$ref": "([^"]+)"/g)].map(([, ref]) => ref!);

test.each(FILES)('%s is of the draft that all are, and uses each of its definitions', (file) => {
  const text = readFileSync(file, 'utf8');
  const schema = JSON.parse(text);
  expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
  // An earlier draft's word for $defs.
  expect(schema).not.toHaveProperty('definitions');
  const definitions = Object.keys(schema.$defs ?? {}).map((name) => `#/$defs/${name}`);
  expect([...new Set(refsOf(text))].sort()).toEqual(definitions.sort());
  expect(() => new Ajv({ strict: false }).compile(schema)).not.toThrow();
});

test('there are schemas', () => {
  expect(FILES).toContain('lib/config.schema.json');
  expect(FILES.length).toBeGreaterThan(2);
});
