import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { type Edit, type Mutation, mutate } from './mutations/mutation';

const ROOT = resolve(__dirname, '..', '..');

/**
 * Each command of the SDK makes itself a stack of middleware when it is constructed, which takes longer than most of
 * what a service does with it here. Nothing in a simulation resolves that stack: a command's `send` is the
 * simulation's. Its other field is assigned right afterwards.
 */
const COMMAND = /[\\/]@smithy[\\/]core[\\/].*smithy-client[\\/]command\.js$/;
const LEAN_COMMAND: readonly Edit[] = [
  ['middlewareStack = constructStack();', 'get middlewareStack() { return constructStack(); }'],
  ['    schema;\n', ''],
  ['            input;\n', ''],
].map(([find, replace]) => ({ file: '@smithy/core: command.js', find: find!, replace: replace! }));

/**
 * Bundles the worker with the real code into one file, and with the bug of a mutation in it if there is one. One file
 * starts faster than hundreds, and a bug that is put into the text of the source is in every place that uses it.
 *
 * @throws when a place that the mutation replaces is not there
 * @returns the path of the file
 */
export async function bundleWorker(mutation?: Mutation): Promise<string> {
  const edits = new Map<string, Edit[]>();
  for (const edit of mutation?.edits ?? []) edits.set(edit.file, [...(edits.get(edit.file) ?? []), edit]);
  const applied = new Set<string>();
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['proof/simulation/worker.ts'],
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    // The simulation reads the tier's template from the parent; a worker needs no CDK.
    external: ['aws-cdk-lib', 'constructs', 'esbuild'],
    mainFields: ['module', 'main'],
    // What is run is known by this text (soak.ts): it names files as they lie here, not where a link to them leads.
    preserveSymlinks: true,
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [
      {
        name: 'lean-commands',
        setup: (bundler) =>
          bundler.onLoad({ filter: COMMAND }, ({ path }) => ({
            contents: LEAN_COMMAND.reduce(mutate, readFileSync(path, 'utf8')),
            loader: 'js',
          })),
      },
      {
        name: 'mutation',
        setup: (bundler) =>
          bundler.onLoad({ filter: /\/lambda\/.*\.ts$/ }, ({ path }) => {
            const file = relative(ROOT, path);
            const found = edits.get(file);
            if (found === undefined) return undefined;
            applied.add(file);
            return { contents: found.reduce(mutate, readFileSync(path, 'utf8')), loader: 'ts' };
          }),
      },
    ],
  });
  const idle = [...edits.keys()].filter((file) => !applied.has(file));
  if (idle.length > 0)
    throw new Error(`mutation ${mutation?.name} changes ${idle.join(', ')}, which is not used`);
  return write(outputFiles[0]!.contents);
}

/** By its contents: others that run at the same time may read the same file. */
function write(contents: Uint8Array): string {
  const folder = join(ROOT, 'out', 'simulation', 'bundles');
  const file = join(folder, `${createHash('sha256').update(contents).digest('hex').slice(0, 16)}.js`);
  mkdirSync(folder, { recursive: true });
  const written = `${file}.${process.pid}`;
  writeFileSync(written, contents);
  renameSync(written, file);
  forgetOld(folder);
  return file;
}

/**
 * Each state of the code leaves a file, and one for each bug. A week is longer than anything runs that still reads one.
 */
const KEPT_MS = 7 * 24 * 3600 * 1000;

function forgetOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (written !== undefined && Date.now() - written > KEPT_MS) rmSync(file, { force: true });
  }
}
