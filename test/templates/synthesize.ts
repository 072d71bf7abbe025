import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { fillApplication } from '../../lib/application';

/**
 * Synthesizes a deployment or a catalog into a folder, with the context of cdk.json and the library's own validation,
 * as its users do. In this process, since loading the libraries takes longer than the synthesis.
 *
 * @returns The paths of its templates, of those of a catalog's products too
 * @throws When the app is refused, or a construct reports an error
 */
export function synthesize(name: string, folder: string): string[] {
  rmSync(folder, { recursive: true, force: true });
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
  const app = new App({
    outdir: folder,
    context: { ...context, deployment: name },
    analyticsReporting: false,
  });
  fillApplication(app);
  const assembly = app.synth();
  const errors = assembly.stacks.flatMap((stack) =>
    stack.messages.filter(({ level }) => level === 'error').map(({ id, entry }) => `${id}: ${entry.data}`),
  );
  if (errors.length > 0) throw new Error(`${name} could not be synthesized:\n${errors.join('\n')}`);
  const files = readdirSync(folder).filter((file) => file.endsWith('.template.json'));
  if (files.length === 0) throw new Error(`${name} has no template in ${folder}`);
  return files.map((file) => join(folder, file));
}
