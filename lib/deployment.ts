import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type App, type StackProps, Tags } from 'aws-cdk-lib';
import { checkKeptResources, keptResources } from '../constructs/deployed-data/kept-resources';
import { invalid } from '../constructs/private/validation';
import { BenchmarkStack } from './benchmark-stack';
import { CONFIG_FOLDER } from './config';
import { addTags } from './config-tags';
import type { DeploymentConfig } from './config-types';
import { addGameDay } from './game-day';
import { GridStack } from './grid-stack';
import { readImages } from './image-record';
import { buildsOf, ImageStack } from './image-stack';
import { keepExports } from './kept-exports';
import { NetworkStack } from './network-stack';
import { OperationsStack } from './operations-stack';
import { addPredictions } from './predictions';
import { StorageStack } from './storage-stack';

/** The stacks of a deployment, in the order in which they are deployed. */
export interface Deployment {
  /** Undefined where the network exists. */
  readonly network?: NetworkStack;
  /** The pipelines of the images that the configuration has built; undefined where it has none built. */
  readonly images?: ImageStack;
  readonly storage: StorageStack;
  /**
   * The hosts that mount the file system; undefined where those that have the volumes are the grid, and where the
   * storage stands alone.
   */
  readonly grid?: GridStack;
  /** Only where the configuration has one. */
  readonly benchmark?: BenchmarkStack;
  /** What administrators do with it. */
  readonly operations: OperationsStack;
}

/** The file that records what of a deployment must not be left behind. */
export const recordFile = (name: string, folder: string = CONFIG_FOLDER): string =>
  join(folder, `${name}.volumes.json`);

/** The file that records the images of a deployment, and the packages that they were built from. */
export const imagesFile = (name: string, folder: string = CONFIG_FOLDER): string =>
  join(folder, `${name}.images.json`);

/** The file that records what the hosts of a deployment were started with. */
export const hostsFile = (name: string, folder: string = CONFIG_FOLDER): string =>
  join(folder, `${name}.hosts.json`);

/**
 * Composes the stacks of a deployment: the network, the shared file system, the grid; or an NFS server alone.
 *
 * @param name The deployment; the names of its stacks begin with it
 * @throws KeptResourceError when a volume that was recorded as deployed would be left behind
 */
export function createDeployment(
  app: App,
  name: string,
  config: DeploymentConfig,
  record = recordFile(name),
  images = imagesFile(name),
): Deployment {
  checkZoneIsNamed(config, record);
  const common = {
    description: config.description,
    env: { account: config.account, region: config.region },
  };
  const deployment = createStacks(app, name, config, common, images);
  addPredictions(deployment.storage, deployment.grid);
  keepExports(deployment);
  Tags.of(app).add('cdk-sas-grid:deployment', name);
  addTags(app, config.tags, record);
  checkKeptResources(record, keptResources(app));
  return deployment;
}

/**
 * A configuration for an account has to name its zone before it is deployed: letters of zones differ between accounts,
 * and the first zone may lack the instance types. One that is deployed has a zone, and goes on with a warning.
 */
function checkZoneIsNamed({ account, existingNetwork, network }: DeploymentConfig, record: string): void {
  if (!account || existingNetwork || network?.availabilityZone || existsSync(record)) return;
  throw invalid(
    undefined,
    'network.availabilityZone',
    'missing',
    'the name of a zone, once account is set',
    'Choose one that offers your instance types: aws ec2 describe-instance-type-offerings --location-type ' +
      'availability-zone --filters Name=instance-type,Values=<types> --query ' +
      "'InstanceTypeOfferings[].[Location,InstanceType]'. What is deployed already keeps its zone when you name " +
      'the one it is in: aws ec2 describe-subnets --filters ' +
      "Name=tag:aws:cloudformation:stack-name,Values=<name>-network --query 'Subnets[].AvailabilityZone'.",
  );
}

function createStacks(
  app: App,
  name: string,
  config: DeploymentConfig,
  common: StackProps,
  images: string,
): Deployment {
  const { existingNetwork, gameDay } = config;
  const network = existingNetwork
    ? undefined
    : new NetworkStack(app, `${name}-network`, { ...common, network: config.network });
  const record = readImages(images);
  const built =
    network && Object.keys(buildsOf(config)).length > 0
      ? new ImageStack(app, `${name}-images`, { ...common, config, network: network.network, record })
      : undefined;
  const storage = new StorageStack(app, `${name}-storage`, {
    ...common,
    config,
    network: network?.network,
    built: built?.storage,
  });
  const grid =
    network &&
    config.grid &&
    new GridStack(app, `${name}-grid`, {
      ...common,
      network: network.network,
      sharedFileSystem: storage.sharedFileSystem,
      grid: config.grid,
      alarmTopic: storage.alarmTopic,
      built: built?.grid,
    });
  // A grid node mounts at its first start, and waits in vain when there is nothing to mount.
  grid?.addStackDependency(storage);
  if (gameDay) addGameDay(storage, grid, gameDay);
  const benchmark =
    config.benchmark &&
    new BenchmarkStack(app, `${name}-benchmark`, {
      ...common,
      benchmark: config.benchmark,
      storage: storage.made,
      grid,
      alarmTopic: storage.alarmTopic,
    });
  const others = [network, built, storage, grid, benchmark].filter((stack) => stack !== undefined);
  const operations = new OperationsStack(app, `${name}-operations`, {
    ...common,
    deployment: name,
    storage: storage.made,
    storageStack: storage.stackName,
    nodeStack: grid?.stackName,
    stacks: others.map(({ stackName }) => stackName),
    operations: config.operations,
    alarmTopic: storage.alarmTopic,
  });
  return { network, images: built, storage, grid, benchmark, operations };
}
