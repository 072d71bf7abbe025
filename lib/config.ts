import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ValidateFunction } from 'ajv';
import Ajv from 'ajv/dist/2020';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { PACKAGE_ROOT } from '../constructs/private/package-root';
import { problemsOf } from './config-problems';
import { CONFIG_SCHEMA } from './config-schema';
import type { BenchmarkConfig, DeploymentConfig } from './config-types';
import { KEYS, keyOf } from './file-systems/keys';
import { newReservationIn } from './new-reservations';

/** The folder that holds one configuration file per deployment. */
export const CONFIG_FOLDER = join(PACKAGE_ROOT, 'config');

/** The keys that name a shared file system. */
const FILE_SYSTEMS = KEYS.map(({ key }) => key);

const validate = new Ajv({ allErrors: true, verbose: true }).compile<DeploymentConfig>(CONFIG_SCHEMA);

/** A configuration that cannot be used. The message has one line per problem: file, key, value, what is allowed. */
export class ConfigError extends Error {
  public override readonly name = 'ConfigError';
}

/** The names of the deployments that have a configuration file. */
export function deploymentNames(folder: string = CONFIG_FOLDER): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort();
}

/**
 * Reads and validates the configuration of a deployment.
 *
 * @param name The deployment: the file's name without .yaml
 * @throws ConfigError when there is no such file, it is no YAML, or it does not fit the schema
 */
export function loadConfig(name: string, folder: string = CONFIG_FOLDER): DeploymentConfig {
  const file = join(folder, `${name}.yaml`);
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(name) || !existsSync(file)) {
    throw new ConfigError(
      `There is no configuration for the deployment '${name}'; there are: ${deploymentNames(folder).join(', ')}. ` +
        'Choose one with -c deployment=<name>, or add config/<name>.yaml (lower-case letters, digits and hyphens).',
    );
  }
  return parseConfig(readFileSync(file, 'utf8'), relative(process.cwd(), file));
}

/** Parses and validates the text of a configuration file; `file` is what the messages call it. */
export function parseConfig(text: string, file: string): DeploymentConfig {
  const value = parseFile(text, file, validate);
  requireOne(value, FILE_SYSTEMS, file, 'the file');
  requireParts(value, file);
  const { key, oneOf, failsOver } = keyOf(value);
  if (oneOf) requireOne(value[key]!, oneOf, file, key);
  if (value.benchmark) requireMeasurable(value, value.benchmark, file);
  if (value.gameDay && !failsOver(value)) {
    throw new ConfigError(
      `${file}: the file has the key gameDay; allowed: gameDay with storage or with nfs.ebs, whose servers are ` +
        'replaced with their volumes. Take gameDay out.',
    );
  }
  if (value.operations?.sleep && value.nfs?.instanceStore) {
    throw new ConfigError(
      `${file}: the file has the key operations.sleep, and nfs.instanceStore, whose data is lost when the server ` +
        'stops; allowed: operations.sleep with whatever keeps its data on volumes. Take operations.sleep out.',
    );
  }
  return value;
}

/**
 * Parses the text of a file and validates it by a schema, compiled with `allErrors` and `verbose`.
 *
 * @throws ConfigError when it is no YAML, or does not fit the schema
 */
export function parseFile<T>(text: string, file: string, fits: ValidateFunction<T>): T {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  if (document.errors.length) {
    throw new ConfigError(document.errors.map((error) => `${file}: ${error.message}`).join('\n'));
  }
  const value = plainOf(document, file);
  if (fits(value)) return value;

  const lineOf = (path: string[]): string => {
    const node = path.length ? document.getIn(path, true) : document.contents;
    const range = (node as { range?: [number, number, number] } | undefined)?.range;
    return range ? `:${lines.linePos(range[0]).line}` : '';
  };
  throw new ConfigError(problemsOf(fits.errors ?? [], file, lineOf).join('\n'));
}

/** Exactly one of the keys: a schema's 'oneOf' cannot say what to do. */
function requireOne(value: object, keys: readonly string[], file: string, what: string): void {
  const found = keys.filter((key) => key in value);
  if (found.length === 1) return;
  const fix = found.length ? 'Take the others out.' : 'Add the one that you want.';
  throw new ConfigError(
    `${file}: ${what} has ${found.length ? found.join(' and ') : 'none'} of the keys ${keys.join(', ')}; ` +
      `allowed: exactly one. ${fix}`,
  );
}

/** What is measured is there, and nothing on it is put at risk by the way. */
function requireMeasurable(value: DeploymentConfig, benchmark: BenchmarkConfig, file: string): void {
  if (value.existingNetwork) {
    throw new ConfigError(
      `${file}: the file has existingNetwork and benchmark; allowed: benchmark where the deployment has hosts. ` +
        'Take benchmark out, and use the construct StorageBenchmark in the app of the hosts.',
    );
  }
  const accepted = benchmark.acceptRiskForDataOnTargets ?? false;
  if (!benchmark.tests?.includes('lustre-server')) {
    if (!accepted) return;
    throw new ConfigError(
      `${file}: benchmark.acceptRiskForDataOnTargets is true, and benchmark.tests has no lustre-server; ` +
        'allowed: true only together with it, so that nobody accepts the risk by adding a test. Take ' +
        'acceptRiskForDataOnTargets out.',
    );
  }
  if (!keyOf(value).hasLustreServers) {
    throw new ConfigError(
      `${file}: benchmark.tests has lustre-server, and the file has no key storage; allowed: lustre-server with ` +
        "Lustre on servers of the deployment's own. Take it out, or choose raw-device, which reads the disks of " +
        'other servers, too.',
    );
  }
  if (!accepted) {
    throw new ConfigError(
      `${file}: benchmark.acceptRiskForDataOnTargets is ${benchmark.acceptRiskForDataOnTargets ?? 'not there'}, ` +
        'and benchmark.tests has lustre-server, which writes to the targets past the clients; allowed: true. Set ' +
        'it where the data may be lost, or take lustre-server out.',
    );
  }
  const by = (['schedule', 'runAfterDeployment', 'gateDeployment'] as const).find((key) => benchmark[key]);
  if (by === undefined) return;
  throw new ConfigError(
    `${file}: benchmark.${by} is ${benchmark[by]}, and benchmark.tests has lustre-server; allowed: ` +
      `lustre-server started by hand, since data may have come since the risk was accepted. Take ${by} out, or ` +
      'lustre-server.',
  );
}

/**
 * Who mounts the file system: a grid; the hosts that have its volumes; or, in an existing network, whoever is there.
 */
function requireParts(value: DeploymentConfig, file: string): void {
  const { key, hostsAreGrid } = keyOf(value);
  if (value.existingNetwork) requireAlone(value, file);
  else if (hostsAreGrid && value.grid) {
    throw new ConfigError(
      `${file}: the file has the keys ${key} and grid; allowed: ${key} without grid. No other hosts can reach ` +
        `the volumes: the hosts of ${key} are the grid. Say there what they are for (nodes, sasUid, sasGid, ` +
        'additionalPorts, scratch), and take grid out.',
    );
  } else if (!hostsAreGrid && !value.grid) {
    const { description } = CONFIG_SCHEMA.properties.grid!;
    throw new ConfigError(`${file}: the file lacks the key 'grid' (${description}). Add it.`);
  }
}

/** What stands in an existing network has no network and no grid of its own. */
function requireAlone(value: DeploymentConfig, file: string): void {
  requireNoNewReservation(value, file);
  const alone = KEYS.filter(({ standsAlone }) => standsAlone).map(({ key }) => key as string);
  const others = ['network', 'grid', ...FILE_SYSTEMS].filter((key) => !alone.includes(key) && key in value);
  if (others.length === 0) return;
  throw new ConfigError(
    `${file}: the file has existingNetwork and ${others.join(' and ')}; allowed: existingNetwork with nfs ` +
      'alone, the server in a network that exists. For a grid with a network of its own leave existingNetwork out.',
  );
}

/**
 * Which placement group the server will be in, a template of an existing network learns when it is deployed: a
 * reservation has to know.
 */
function requireNoNewReservation(value: DeploymentConfig, file: string): void {
  const key = newReservationIn(value);
  if (key === undefined) return;
  throw new ConfigError(
    `${file}: the file has existingNetwork, and ${key} asks for a new reservation; allowed: the id of one, or ` +
      'the ARN of a resource group. Reserve capacity in the placement group that the server ' +
      'will be in, and name it.',
  );
}

/** The document as plain data; an alias without an anchor shows only now. */
function plainOf(document: Document.Parsed, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new ConfigError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
