// Bundles every lambda/<name>/index.ts to build/lambda/<name>/index.js, so that neither synthesis nor the users
// of the published package need esbuild or Docker.
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'lambda');
if (!existsSync(source)) process.exit(0); // the published package carries the bundles, not their sources
const { build } = await import('esbuild');
const output = join(root, 'build', 'lambda');
rmSync(output, { recursive: true, force: true });

// A Lambda function gets its credentials from the environment. The SDK loads these other ways lazily, and never here.
const unusedCredentials = ['ini', 'process', 'sso', 'web-identity', 'login'].map(
  (way) => `@aws-sdk/credential-provider-${way}`,
);

const names = readdirSync(source).filter((name) => existsSync(join(source, name, 'index.ts')));
for (const name of names) {
  await build({
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
    logLevel: 'warning',
  });
}
// scripts/setup.sh bundles again when a source is newer than this.
writeFileSync(join(output, '.stamp'), '');
console.log(`bundled ${names.length} Lambda function(s) to build/lambda`);
