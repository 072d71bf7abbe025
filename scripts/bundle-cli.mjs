// Bundles cli/main.ts to build/cli/main.js, the program of the package, with the licences of what is bundled.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const entryPoint = join('cli', 'main.ts');
if (!existsSync(join(root, entryPoint))) process.exit(0); // the published package carries the bundle, not its source
const { build } = await import('esbuild');
const output = join(root, 'build', 'cli');
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });

// What only `compare` needs, a reader of YAML and a compiler of schemas, is a file of its own: whoever plans does not
// wait for it. So are the clients of AWS, which only the verbs in with-aws.ts need.
const comparing = join('cli', 'run-compare.ts');
const withAws = join('cli', 'with-aws.ts');
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { main: entryPoint, 'run-compare': comparing, 'with-aws': withAws },
  outdir: output,
  external: ['./run-compare', './with-aws'],
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  mainFields: ['module', 'main'],
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});
chmodSync(join(output, 'main.js'), 0o755);

const folders = new Set(
  Object.keys(metafile.inputs).flatMap((file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
);
const title = (name) => name.slice(name.lastIndexOf('node_modules/') + 'node_modules/'.length);
const fileIn = (name) => readdirSync(join(root, name)).find((one) => /^licen[cs]e/i.test(one));
const licenceOf = (name) => JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')).license;

/** The package's own, or that of another one by the same authors under the same licence. */
function withLicence(name) {
  if (fileIn(name)) return name;
  const [scope] = title(name).split('/');
  const other = [...folders].find(
    (one) => title(one).startsWith(`${scope}/`) && licenceOf(one) === licenceOf(name) && fileIn(one),
  );
  if (!other) throw new Error(`${name} is bundled and has no licence file`);
  return other;
}

// Packages by the same authors have the same text: it is there once, below the names of all of them.
const texts = new Map();
for (const name of [...folders].sort()) {
  const from = withLicence(name);
  const text = readFileSync(join(root, from, fileIn(from)), 'utf8').trim();
  texts.set(text, [...(texts.get(text) ?? []), title(name)]);
}
const licences = [...texts].map(([text, names]) => `${names.sort().join('\n')}\n\n${text}\n`);
writeFileSync(join(output, 'THIRD-PARTY-LICENSES.txt'), licences.sort().join(`\n${'-'.repeat(80)}\n\n`));
// scripts/setup.sh bundles again when one of these is newer than this.
const sources = Object.keys(metafile.inputs).filter((file) => !file.includes('node_modules/'));
writeFileSync(join(output, '.stamp'), `${sources.sort().join('\n')}\n`);
console.log(`bundled the command to build/cli, with ${folders.size} package(s)`);
