import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesInGit } from '../helpers/reference-deployments';
import type { Templates } from './findings';
import { synthesize } from './synthesize';

export const ROOT = join(__dirname, '..', '..');
export const OUT = join('out', 'test');

/** All reference deployments and catalogs, synthesized. */
export interface Assemblies {
  /** Cloud assemblies by deployment. */
  readonly folders: Readonly<Record<string, string>>;
  readonly templates: Templates;
}

/** Runs a step, and says how long it took. */
export function timed<T>(what: string, step: () => T): T {
  const start = Date.now();
  const result = step();
  console.log(`${what}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

/** The deployments and catalogs of this repository. */
const deployments = (): string[] => namesInGit('config/*.yaml');

/** Synthesizes each once, as its users do and with the library's own validation, into out/test/cdk.out-<name>. */
export function synthesizeAll(): Assemblies {
  mkdirSync(OUT, { recursive: true });
  // As the CDK's command sets it: the name of a catalog's bucket has it, in the stored templates too.
  process.env.CDK_DEFAULT_REGION = 'us-east-1';
  const folders = Object.fromEntries(deployments().map((name) => [name, join(OUT, `cdk.out-${name}`)]));
  const files = Object.entries(folders).flatMap(([name, folder]) =>
    timed(name, () => synthesize(name, folder)),
  );
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Templates[string];
  return { folders, templates: Object.fromEntries(files.map((file) => [file, read(file)])) };
}

/** Runs a check of templates in the project's folder, and sets the exit code. */
export function start(main: () => number): void {
  process.chdir(ROOT);
  if (!existsSync(join('.venv-templates', 'bin', 'checkov'))) {
    console.error('cfn-lint and checkov are not installed; run: bash scripts/setup.sh --template-checks');
    process.exitCode = 1;
    return;
  }
  try {
    process.exitCode = main();
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
