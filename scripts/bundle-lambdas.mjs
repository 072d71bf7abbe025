// Bundles every lambda/<name>/index.ts to build/lambda/<name>/index.js, so that neither synthesis nor the users
// of the published package need esbuild or Docker.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'lambda');
if (!existsSync(source)) process.exit(0); // the published package carries the bundles, not their sources
const { build } = await import('esbuild');
const { literalSchemaKeys } = (await import('./schema-keys.js')).default;
const output = join(root, 'build', 'lambda');
rmSync(output, { recursive: true, force: true });

// A Lambda function gets its credentials from the environment. The SDK loads these other ways lazily, and never here.
const unusedCredentials = ['ini', 'process', 'sso', 'web-identity', 'login'].map(
  (way) => `@aws-sdk/credential-provider-${way}`,
);

const names = readdirSync(source).filter((name) => existsSync(join(source, name, 'index.ts')));
/** Folders of the packages that went into a bundle. */
const bundled = new Set();
/** The project's own files that did. */
const sources = new Set();
for (const name of names) {
  const { metafile } = await build({
    absWorkingDir: root,
    metafile: true,
    entryPoints: [join(source, name, 'index.ts')],
    outfile: join(output, name, 'index.js'),
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    external: unusedCredentials,
    plugins: [literalSchemaKeys],
    logLevel: 'warning',
  });
  for (const file of Object.keys(metafile.inputs)) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
    if (folder !== undefined) bundled.add(join(root, folder));
    else sources.add(file);
  }
}

// Minified code has lost what its licences want to be kept with it. Most of the packages have the same text: it stands
// there once.
const packagesOf = new Map();
for (const folder of [...bundled].sort()) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)(\.(md|txt))?$/i.test(file));
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  packagesOf.set(text, [...(packagesOf.get(text) ?? []), `${name} ${version} (${license})`]);
}
const parts = [...packagesOf].map(([text, packages]) => `${[...new Set(packages)].join('\n')}\n\n${text}\n`);
writeFileSync(join(output, 'THIRD-PARTY-LICENSES.txt'), parts.join(`\n${'-'.repeat(80)}\n\n`));

// scripts/setup.sh bundles again when one of these is newer than this.
writeFileSync(join(output, '.stamp'), `${[...sources].sort().join('\n')}\n`);
console.log(`bundled ${names.length} Lambda function(s) to build/lambda`);
