// Has the compiled package load a module when something of it is first used, as aws-cdk-lib does: the last step of the
// build. In each compiled barrel a getter for each name takes the place of "export * from". The names stand there as
// assignments, too, since that is where an ESM import, which cannot run the getters, looks for them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const EXPORT_STAR = /^__exportStar\(require\("(\.[^"]*)"\), exports\);$/gm;

const LAZILY = `function lazily(load, names) {
    for (const name of names) {
        const define = (how) => Object.defineProperty(exports, name, { enumerable: true, configurable: true, ...how });
        define({ get: () => { const value = load()[name]; define({ value, writable: true }); return value; } });
    }
}`;

const load = createRequire(import.meta.url);

/** The text of a barrel, with what it exports from other modules loaded on first use. */
function lazyBarrel(file, text) {
  const parts = [...text.matchAll(EXPORT_STAR)].map(([line, module]) => ({
    line,
    module,
    names: Object.keys(load(join(dirname(file), module))),
  }));
  const all = parts.flatMap(({ names }) => names);
  const twice = all.filter((name, index) => all.indexOf(name) !== index);
  if (twice.length) throw new Error(`${file} exports ${twice.join(', ')} from two modules`);
  let lazy = text;
  for (const { line, module, names } of parts) {
    const hints = names.map((name) => `exports.${name} = `).join('');
    const getters = `lazily(() => require("${module}"), ${JSON.stringify(names)});`;
    lazy = lazy.replace(line, () => (names.length ? `${hints}void 0;\n${getters}` : ''));
  }
  return lazy.replace(/^var __exportStar = [\s\S]*?^};$/m, () => LAZILY);
}

const barrels = readdirSync(DIST, { recursive: true })
  .filter((file) => file.endsWith('.js'))
  .map((file) => join(DIST, file))
  .map((file) => [file, readFileSync(file, 'utf8')])
  .filter(([, text]) => text.match(EXPORT_STAR))
  // All are read before the first is written: they load each other.
  .map(([file, text]) => [file, lazyBarrel(file, text)]);
if (!barrels.some(([file]) => file === join(DIST, 'index.js')))
  throw new Error(`${DIST}/index.js exports no modules: run 'npm run jsii', which compiles it first`);
for (const [file, text] of barrels) writeFileSync(file, text);
