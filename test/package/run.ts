/**
 * Packs the library, installs the tarball into empty CDK apps outside the repository, one in TypeScript and one in
 * plain JavaScript, and synthesizes every construct from it: what users do with `npm install cdk-sas-grid`. Others see
 * what it loads when, and that an ESM import finds its names. Then runs the program that is in it.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from '../../package.json';

const ROOT = join(__dirname, '..', '..');
const FIXTURES = join(__dirname, 'fixtures');
const VERSIONS = manifest.devDependencies;

function run(folder: string, command: string, ...args: string[]): void {
  console.log(`${command} ${args.join(' ')}`);
  // NODE_PATH and npm's own variables would let the app find this repository's modules.
  const { NODE_PATH: _, ...environment } = process.env;
  const clean = Object.fromEntries(Object.entries(environment).filter(([key]) => !key.startsWith('npm_')));
  execFileSync(command, args, { cwd: folder, stdio: 'inherit', timeout: 3_600_000, env: clean });
}

function pack(destination: string): string {
  if (!existsSync(join(ROOT, 'dist', 'index.js'))) run(ROOT, 'npm', 'run', '--silent', 'jsii');
  // jsii has just been run, by the check of that name or above.
  run(ROOT, 'npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', destination);
  const tarball = readdirSync(destination).find((file) => file.endsWith('.tgz'));
  if (!tarball) throw new Error('npm pack made no tarball');
  return join(destination, tarball);
}

/** The other end of the range of peers: the oldest versions that the package says it works with. */
function inOldestRange(app: string, tarball: string): void {
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'oldest-app', private: true }));
  const peers = Object.entries(manifest.peerDependencies).map(([name, range]) => `${name}@${range.slice(1)}`);
  run(
    app,
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    '--loglevel=error',
    tarball,
    ...peers,
  );
  for (const file of ['javascript-app.js', 'coverage.js'])
    copyFileSync(join(FIXTURES, file), join(app, file));
  run(app, process.execPath, 'javascript-app.js');
}

function main(): void {
  const folder = mkdtempSync(join(tmpdir(), 'cdk-sas-grid-package-'));
  try {
    const tarball = pack(folder);
    const app = join(folder, 'app');
    mkdirSync(app);
    writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'empty-app', private: true }));
    const packages = ['aws-cdk-lib', 'constructs', 'typescript', '@types/node'] as const;
    run(
      app,
      'npm',
      'install',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--loglevel=error',
      tarball,
      ...packages.map((name) => `${name}@${VERSIONS[name]}`),
    );
    for (const file of readdirSync(FIXTURES)) copyFileSync(join(FIXTURES, file), join(app, file));
    const strict = ['--strict', '--module', 'node16', '--moduleResolution', 'node16', '--target', 'es2022'];
    run(
      app,
      join('node_modules', '.bin', 'tsc'),
      ...strict,
      '--types',
      'node',
      '--allowJs',
      'false',
      '--outDir',
      'compiled',
      'typescript-app.ts',
    );
    copyFileSync(join(FIXTURES, 'coverage.js'), join(app, 'compiled', 'coverage.js'));
    run(app, process.execPath, 'compiled/typescript-app.js');
    for (const file of ['javascript-app.js', 'lazy-app.js', 'module-app.mjs'])
      run(app, process.execPath, file);
    inOldestRange(join(folder, 'oldest'), tarball);
    const program = join('node_modules', '.bin', 'cdk-sas-grid');
    const wish = ['--nodes', '4', '--type', 'i4i.8xlarge', '--shared', '75', '--capacity', '50TB'];
    run(app, program, 'plan', ...wish, '--write', join('config', 'mine.yaml'));
    run(app, program, 'compare', join('config', 'mine.yaml'), join('config', 'mine.yaml'));
    console.log('the packed library works in a TypeScript app and in a JavaScript app, and its program runs');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main();
