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
// wait for it.
const comparing = join('cli', 'run-compare.ts');
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { main: entryPoint, 'run-compare': comparing },
  outdir: output,
  external: ['./run-compare'],
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
const licences = [...folders].map((name) => {
  const folder = join(root, name);
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (!file) throw new Error(`${name} is bundled and has no licence file`);
  const title = name.slice(name.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return `${title}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
});
writeFileSync(join(output, 'THIRD-PARTY-LICENSES.txt'), licences.sort().join(`\n${'-'.repeat(80)}\n\n`));
// scripts/setup.sh bundles again when one of these is newer than this.
const sources = Object.keys(metafile.inputs).filter((file) => !file.includes('node_modules/'));
writeFileSync(join(output, '.stamp'), `${sources.sort().join('\n')}\n`);
console.log(`bundled the command to build/cli, with ${folders.size} package(s)`);
