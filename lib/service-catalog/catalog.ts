import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Annotations, type App, Tags } from 'aws-cdk-lib';
import { PACKAGE_ROOT } from '../../constructs/private/package-root';
import { ConfigError, loadConfig } from '../config';
import type { DeploymentConfig } from '../config-types';
import { imagesFile } from '../deployment';
import { readImages } from '../image-record';
import { withBuiltImages } from '../image-stack';
import { fallbackTypesIn, newReservationIn } from '../new-reservations';
import { consentsToRestart } from '../running-hosts';
import type { CatalogConfig } from './catalog-config';
import { ServiceCatalogStack } from './catalog-stack';
import { recordedVersions, versionsFolder } from './versions';

/** What is given besides the configuration. */
export interface CatalogSurroundings {
  /** The account and the region of the credentials; the cdk command sets these variables. */
  readonly account?: string;
  readonly region?: string;
  /** The folder with the versions that were deployed; beside the catalog's file when it is left out. */
  readonly versions?: string;
  /** The folder with the records of images; that of the configurations when it is left out. */
  readonly images?: string;
}

/** What the cdk command tells the app, and what its context says. */
function surroundingsOf(app: App): CatalogSurroundings {
  return {
    account: process.env.CDK_DEFAULT_ACCOUNT,
    region: process.env.CDK_DEFAULT_REGION,
    versions: app.node.tryGetContext('catalog-versions'),
  };
}

/** S3 takes names of up to this many characters. */
const LONGEST_BUCKET_NAME = 63;

/**
 * Composes the stack of a catalog, with the configurations of the deployments that it offers.
 *
 * @param name The catalog, which is also the name of the stack
 * @throws ConfigError when the configuration of a deployment cannot be used
 */
export function createCatalog(
  app: App,
  name: string,
  catalog: CatalogConfig,
  surroundings: CatalogSurroundings = surroundingsOf(app),
): ServiceCatalogStack {
  const account = catalog.account ?? surroundings.account;
  const region = catalog.region ?? surroundings.region;
  const versions = surroundings.versions ?? versionsFolder(name);
  const names = catalog.products.map(({ deployment }) => deployment);
  const imagesOf = (each: string) => readImages(imagesFile(each, surroundings.images)).images;
  const deployments = Object.fromEntries(
    names.map((each) => [each, withBuiltImages(loadConfig(each), imagesOf(each))]),
  );
  for (const [deployment, config] of Object.entries(deployments)) requireNoFixedTypes(deployment, config);
  const stack = new ServiceCatalogStack(app, name, {
    env: { account, region },
    description: catalog.portfolio.description ?? catalog.portfolio.name,
    catalog,
    deployments,
    version: catalog.version ?? PACKAGE_VERSION,
    // Its name is written into the templates of the products, where nothing stands for what is known at deployment
    // only.
    assetBucketName: catalog.assetBucketName ?? defaultBucketName(name, account, region),
    restartConsent: consentsToRestart(app),
    recorded: Object.fromEntries(names.map((each) => [each, recordedVersions(versions, each)])),
  });
  if (!catalog.assetBucketName && !(account && region)) {
    Annotations.of(stack).addWarningV2(
      'cdk-sas-grid:assetBucketName',
      'Neither the file of the catalog nor the credentials name account and region, so the name of the bucket ' +
        'for the code of the products has neither in it, and somebody else may have taken it. Name account and ' +
        'region, or assetBucketName, before you deploy.',
    );
  }
  for (const [key, value] of Object.entries(catalog.tags ?? {})) Tags.of(app).add(key, value);
  return stack;
}

const defaultBucketName = (...parts: (string | undefined)[]): string =>
  ['products', ...parts].filter(Boolean).join('-').slice(0, LONGEST_BUCKET_NAME);

/** The version of the products, where the catalog names none. */
export const PACKAGE_VERSION: string = JSON.parse(
  readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'),
).version;

/** A product has its types as parameters: what is of the type that a file names would be of another one. */
function requireNoFixedTypes(deployment: string, config: DeploymentConfig): void {
  const types = fallbackTypesIn(config);
  if (types !== undefined) {
    throw new ConfigError(
      `config/${deployment}.yaml: ${types} is there; allowed in a product: none. Whoever launches it may choose ` +
        'one of these types for all servers. Take it out.',
    );
  }
  const key = newReservationIn(config);
  if (key === undefined) return;
  throw new ConfigError(
    `config/${deployment}.yaml: ${key} asks for a new reservation; allowed in a product: the ARN of a resource ` +
      'group of reservations. Whoever launches it may choose other types.',
  );
}
