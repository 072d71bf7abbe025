import { existsSync } from 'node:fs';
import { join } from 'node:path';

// constructs/private in the sources, dist/private in the package: the root is two levels up in both.
const ROOT = join(__dirname, '..', '..');

/** The folder with the bundled code of one Lambda function. */
export function lambdaBundle(name: string): string {
  const folder = join(ROOT, 'build', 'lambda', name);
  if (!existsSync(join(folder, 'index.js'))) {
    throw new Error(
      `${folder} holds no bundle of the Lambda function '${name}'; run 'npm run bundle' first.`,
    );
  }
  return folder;
}

/** The folder with the host software as it lies on a target. */
export function hostFiles(): string {
  return join(ROOT, 'constructs', 'host');
}
