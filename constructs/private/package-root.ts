import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The folder of the project or of the installed package: two levels up from constructs/private in the sources, from
 * dist/private in the package and from build/app, where bin/start.mjs bundles the application.
 */
export const PACKAGE_ROOT = join(__dirname, '..', '..');

/** The folder with the bundled code of one Lambda function. */
export function lambdaBundle(name: string): string {
  const folder = join(PACKAGE_ROOT, 'build', 'lambda', name);
  if (!existsSync(join(folder, 'index.js'))) {
    throw new Error(
      `${folder} holds no bundle of the Lambda function '${name}'; run 'npm run bundle' first.`,
    );
  }
  return folder;
}

/** The folder with the host software as it lies on a target. */
export function hostFiles(): string {
  return join(PACKAGE_ROOT, 'constructs', 'host');
}

/** The folder with the programs that build an image, as they lie on the build instance. */
export function imagePrograms(): string {
  return join(PACKAGE_ROOT, 'constructs', 'machine-image', 'scripts');
}
