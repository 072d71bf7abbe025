import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import Ajv from 'ajv/dist/2020';
import { CONFIG_FOLDER, ConfigError, deploymentNames, parseFile } from '../config';
import schema from './catalog.schema.json';

/** The configuration of a catalog: config/catalogs/<name>.yaml, as catalog.schema.json allows it. */
export interface CatalogConfig {
  readonly portfolio: { readonly name: string; readonly provider: string; readonly description?: string };
  readonly support?: { readonly email?: string; readonly url?: string; readonly description?: string };
  readonly region?: string;
  readonly account?: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** Names of IAM roles, with * and ? for characters. */
  readonly launchableBy: readonly string[];
  readonly notificationEmail?: string;
  readonly tagOptions?: Readonly<Record<string, readonly string[]>>;
  readonly tagUpdates?: boolean;
  readonly assetBucketName?: string;
  readonly version?: string;
  readonly products: readonly CatalogProduct[];
}

/** A product of the catalog. */
export interface CatalogProduct {
  /** The deployment that it is. */
  readonly deployment: string;
  readonly name: string;
  readonly description?: string;
}

/** The folder that holds one configuration file per catalog. */
export const CATALOG_FOLDER = join(CONFIG_FOLDER, 'catalogs');

const validate = new Ajv({ allErrors: true, verbose: true }).compile<CatalogConfig>(schema);

/** The names of the catalogs that have a configuration file. */
export const catalogNames = (folder: string = CATALOG_FOLDER): string[] => deploymentNames(folder);

/**
 * Reads and validates the configuration of a catalog.
 *
 * @throws ConfigError when there is no such file, it is no YAML, or it does not fit the schema
 */
export function loadCatalog(name: string, folder: string = CATALOG_FOLDER): CatalogConfig {
  const file = join(folder, `${name}.yaml`);
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(name) || !existsSync(file)) {
    throw new ConfigError(
      `There is no configuration for the catalog '${name}'; there are: ${catalogNames(folder).join(', ')}. ` +
        'Choose one with -c deployment=<name>, or add config/catalogs/<name>.yaml (lower-case ' +
        'letters, digits and hyphens).',
    );
  }
  return parseCatalog(readFileSync(file, 'utf8'), relative(process.cwd(), file));
}

/** Parses and validates the text of a catalog's file; `file` is what the messages call it. */
export function parseCatalog(text: string, file: string): CatalogConfig {
  const config = parseFile(text, file, validate);
  for (const key of ['deployment', 'name'] as const) {
    const values = config.products.map((product) => product[key]);
    const twice = values.find((value, index) => values.indexOf(value) !== index);
    if (twice === undefined) continue;
    throw new ConfigError(
      `${file}: two products have the ${key} '${twice}'; allowed: a different one for each`,
    );
  }
  return config;
}
