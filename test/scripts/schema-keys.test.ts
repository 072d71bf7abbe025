import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// A part of the build, without types.
const { withLiteralKeys } = require('../../scripts/schema-keys.js') as {
  withLiteralKeys(text: string): string;
};

const root = join(__dirname, '../..');

/** The clients that functions import. */
const CLIENTS = [
  ...new Set(
    readdirSync(join(root, 'lambda'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(join(root, 'lambda', file), 'utf8').matchAll(/'(@aws-sdk\/client-[^'/]+)'/g),
      ])
      .map(([, name]) => name!),
  ),
].sort();

function schemasOf(client: string): string {
  const folder = join(dirname(require.resolve(`${client}/package.json`)), 'dist-es/schemas');
  return readFileSync(join(folder, 'schemas_0.js'), 'utf8');
}

/** What a module imports: whatever is done with it comes to the same. */
const anything: unknown = new Proxy(() => {}, {
  get: () => anything,
  apply: () => anything,
});

/** All that a module of schemas names, run with nothing around it. */
function run(text: string): Record<string, unknown> {
  const imports = [...text.matchAll(/^import \{([^}]+)\} from .*$/gm)].flatMap(([, names]) =>
    names!.split(','),
  );
  const names = imports.map((name) => name.trim()).filter(Boolean);
  const own = [...text.matchAll(/^(?:export )?(?:var|const) ([\w$]+) = /gm)].map(([, name]) => name!);
  const body = text
    .replace(/^import .*$/gm, '')
    .replace(/^export /gm, '')
    .replace(/\bnew (?=[A-Z])/g, '');
  return new Function(...names, `${body}\nreturn { ${own.join(', ')} };`)(...names.map(() => anything));
}

/** The first difference; shapes name each other by functions, which say what they name when they are called. */
function difference(a: unknown, b: unknown, where: string, seen: Map<unknown, unknown>): string | undefined {
  if (seen.get(a) === b && seen.has(a)) return undefined;
  if (a === b) return undefined;
  if (typeof a === 'function' && typeof b === 'function') {
    if (a.length > 0 || String(a).startsWith('function')) return String(a) === String(b) ? undefined : where;
    seen.set(a, b);
    return difference(a(), b(), `${where}()`, seen);
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return Object.is(a, b) ? undefined : where;
  seen.set(a, b);
  const [keys, others] = [Reflect.ownKeys(a), Reflect.ownKeys(b)];
  if (keys.join() !== others.join()) return where;
  for (const key of keys) {
    const found = difference(Reflect.get(a, key), Reflect.get(b, key), `${where}.${String(key)}`, seen);
    if (found) return found;
  }
  return undefined;
}

test.each(CLIENTS)(
  'the schemas of %s say the same with keys written out, and have no other ones',
  (client) => {
    const text = schemasOf(client);
    const changed = withLiteralKeys(text);
    expect(changed).not.toMatch(/\[_\w+\]:/);
    const [before, after] = [run(text), run(changed)];
    expect(Object.keys(before).length).toBeGreaterThan(20);
    expect(difference(before, after, client, new Map())).toBeUndefined();
  },
);

test('nothing is written out that is no constant text of the module, or that would mean something else', () => {
  const text = (value: string) => `const _k = ${value};\nexport var shape = [{ [_k]: 1, [other]: 2 }];\n`;
  expect(withLiteralKeys(text('"xmlName"'))).toContain('{ "xmlName": 1, [other]: 2 }');
  for (const value of ['call()', '"a" + b', '"__proto__"', "'x'"])
    expect(withLiteralKeys(text(value))).toBe(text(value));
});
