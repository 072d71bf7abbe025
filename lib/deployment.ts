import { join } from 'node:path';
import { type App, Tags } from 'aws-cdk-lib';
import { CONFIG_FOLDER } from './config';
import type { DeploymentConfig } from './config-types';
import { GridStack } from './grid-stack';
import { checkKeptResources, keptResources } from './kept-resources';
import { NetworkStack } from './network-stack';
import { StorageStack } from './storage-stack';

/** The stacks of a deployment, in the order in which they are deployed. */
export interface Deployment {
  readonly network: NetworkStack;
  readonly storage: StorageStack;
  readonly grid: GridStack;
}

/** The file that records what of a deployment must not be left behind. */
export const recordFile = (name: string, folder: string = CONFIG_FOLDER): string =>
  join(folder, `${name}.volumes.json`);

/**
 * Composes the stacks of a deployment: the network, the shared file system, the grid.
 *
 * @param name The deployment; the names of its stacks begin with it
 * @throws KeptResourceError when a volume that was recorded as deployed would be left behind
 */
export function createDeployment(
  app: App,
  name: string,
  config: DeploymentConfig,
  record = recordFile(name),
): Deployment {
  const common = {
    description: config.description,
    env: { account: config.account, region: config.region },
  };
  const network = new NetworkStack(app, `${name}-network`, { ...common, network: config.network });
  const storage = new StorageStack(app, `${name}-storage`, {
    ...common,
    network: network.network,
    storage: config.storage,
    alarmEmail: config.alarmEmail,
  });
  const grid = new GridStack(app, `${name}-grid`, {
    ...common,
    network: network.network,
    sharedFileSystem: storage.lustre,
    grid: config.grid,
    alarmTopic: storage.alarmTopic,
  });
  // A grid node mounts at its first start, and waits in vain when there is nothing to mount.
  grid.addStackDependency(storage);
  Tags.of(app).add('cdk-sas-grid:deployment', name);
  for (const [key, value] of Object.entries(config.tags ?? {})) Tags.of(app).add(key, value);
  checkKeptResources(record, keptResources(app));
  return { network, storage, grid };
}
