import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Design, Need, Plan } from '../../constructs/sizing/plan';
import type { DeploymentConfig } from '../../lib/config-types';
import { OptionError } from '../arguments';
import { configurationOf, type PlannedConfiguration } from './configuration';

/** The cheapest design that there is a reference deployment for; undefined when there is none. */
export function cheapestToDeploy({ designs, need }: Plan): Design | undefined {
  const [best] = designs
    .filter((one) => one.cost?.usd !== undefined && typeof configurationOf(one, need!) !== 'string')
    .sort((a, b) => a.cost!.usd! - b.cost!.usd!);
  return best;
}

/** The configuration of a design under the name of the file that it goes to; a sentence when there is none. */
export function namedConfiguration(design: Design, need: Need, file: string): PlannedConfiguration | string {
  const planned = configurationOf(design, need);
  if (typeof planned === 'string') return planned;
  const name = basename(file, '.yaml');
  // The comment says how it is deployed, by its name.
  return { ...planned, name, yaml: planned.yaml.replaceAll(planned.name, name) };
}

/** @throws OptionError when the file is there and must not be overwritten */
export function requireFree(file: string, force: boolean): void {
  if (force || !existsSync(file)) return;
  throw new OptionError(
    `${file} is there already. Type --force to overwrite it, or --write with another name.`,
  );
}

/** @throws OptionError when the file cannot be written */
export function writeConfiguration(file: string, yaml: string, force: boolean): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, yaml, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    throw new OptionError(
      `${file} cannot be written: ${(error as Error).message}. Type --write with another name.`,
    );
  }
}

/** What a configuration leaves open, one sentence each, and how it is deployed. */
export function stillToDecide({ name, config }: PlannedConfiguration, file: string): string[] {
  return [
    image(config),
    'Account: it is that of your AWS credentials unless the file says account.',
    'Zone: it is the first one of the region unless the file says network.availabilityZone. It has to have the types.',
    ...(basename(dirname(resolve(file))) === 'config'
      ? []
      : ['Folder: deployments are read from config/ of the project. Move the file there.']),
    `Then, in the project: make deploy DEPLOYMENT=${name}`,
  ];
}

function image({ storage, io2 }: DeploymentConfig): string {
  if (storage) {
    return (
      'Images: name one that can run Lustre servers in storage.image, and yours with SAS in grid.image. Without ' +
      'them hosts start from Amazon Linux.'
    );
  }
  return io2
    ? 'Image: name yours with SAS in io2.image. Without it the hosts start without SAS.'
    : 'Image: name yours with SAS in grid.image. Without it the hosts start from Amazon Linux.';
}
