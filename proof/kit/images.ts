import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DescribeImagesCommand } from '@aws-sdk/client-ec2';
import { BASE_IMAGES } from '../../constructs/facts/lustre-builds';
import { assemblyFolder, type CdkSettings, cdk } from './cdk';
import type { Clients } from './clients';
import { withoutAws } from './localcloud';
import { DemoError, run, tail } from './processes';

interface Template {
  readonly Parameters?: { readonly [name: string]: { readonly Description?: string } };
}

/**
 * Has the images built that the deployment launches from, as `make deploy` does.
 *
 * @returns what the synthesis that follows is told; nothing where the deployment builds none
 */
export async function bringImages(
  settings: CdkSettings,
  deployment: string,
  { ec2 }: Pick<Clients, 'ec2'>,
): Promise<string[]> {
  const assembly = assemblyFolder(settings);
  const file = join(assembly, `${deployment}-images.template.json`);
  if (!existsSync(file)) return [];
  const { Parameters = {} } = JSON.parse(readFileSync(file, 'utf8')) as Template;
  const parameters: string[] = [];
  for (const [name, { Description = '' }] of Object.entries(Parameters)) {
    if (!name.startsWith('BaseImageOf')) continue;
    const [, release] = /EL ([\d.]+)/.exec(Description)!;
    parameters.push('--parameters', `${deployment}-images:${name}=${await newestBase(ec2, release!)}`);
  }
  const args = [
    'deploy',
    `${deployment}-images`,
    '--app',
    assembly,
    '--require-approval',
    'never',
    ...parameters,
  ];
  await cdk(settings, 'deploy-images', [...args, '--progress', 'events'], {
    done: 'deployed',
    doing: 'deploying',
  });
  const record = join(settings.out, 'images.json');
  await build(settings, deployment, record);
  return ['-c', `images=${record}`];
}

async function newestBase(ec2: Clients['ec2'], release: string): Promise<string> {
  const { owner, pattern } = BASE_IMAGES.value.almalinux!;
  const name = pattern.replace('RELEASE', release).replace('ARCHITECTURE', 'x86_64');
  const found = await ec2.send(
    new DescribeImagesCommand({ Owners: [owner], Filters: [{ Name: 'name', Values: [name] }] }),
  );
  const [newest] = (found.Images ?? []).sort((a, b) => b.CreationDate!.localeCompare(a.CreationDate!));
  if (!newest) throw new DemoError(`the embedded AWS has no image ${name} of ${owner}`);
  return newest.ImageId!;
}

async function build(settings: CdkSettings, deployment: string, record: string): Promise<void> {
  const { root, out, cloud, terminal } = settings;
  const started = Date.now();
  const logFile = join(out, 'images.log');
  const code = await run({
    program: process.execPath,
    args: [join(root, 'build/cli/main.js'), 'images', deployment, '--record', record],
    cwd: root,
    env: { ...withoutAws(process.env), ...cloud.environment, NO_COLOR: '1' },
    logFile,
  });
  if (code !== 0)
    throw new DemoError(`the images were not built (${code}):\n${tail(logFile, 25).join('\n')}`);
  terminal.line(`  images built in ${((Date.now() - started) / 1000).toFixed(1)} s: ${record}`);
}
