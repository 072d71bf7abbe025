import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { KeptResourceError } from '../../constructs/deployed-data/kept-resources';
import { RESTART_HOSTS } from '../running-hosts';
import { CATALOG_FOLDER } from './catalog-config';

/** A version of a product as it was deployed: its template is what those who launched it have. */
export interface RecordedVersion {
  readonly version: string;
  /** The template. */
  readonly file: string;
}

interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** A template, as far as versions are compared. */
export interface Template {
  readonly Metadata?: Readonly<Record<string, unknown>>;
  readonly Parameters?: Readonly<Record<string, { readonly Type: string; readonly Default?: unknown }>>;
  readonly Resources: Readonly<Record<string, Resource>>;
}

const ENDING = '.template.json';

/**
 * What makes CloudFormation replace a resource that holds data, or that such a resource stands on, when it changes
 * (CloudFormation template reference, "Update requires: Replacement").
 */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema'],
  'AWS::EC2::NetworkInterface': ['SubnetId', 'PrivateIpAddress'],
  'AWS::EC2::Subnet': ['VpcId', 'CidrBlock', 'AvailabilityZone'],
  'AWS::EC2::VPC': ['CidrBlock'],
  'AWS::EC2::Volume': ['AvailabilityZone', 'Encrypted', 'KmsKeyId', 'SnapshotId', 'MultiAttachEnabled'],
  'AWS::FSx::FileSystem': [
    'FileSystemType',
    'FileSystemTypeVersion',
    'StorageType',
    'SubnetIds',
    'SecurityGroupIds',
    'KmsKeyId',
  ],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage', 'MultiRegion'],
  'Custom::SasGridVolumeMap': ['Tier', 'Table', 'SeededFor'],
};

const FIXED_OF_LUSTRE = ['DeploymentType', 'PerUnitStorageThroughput', 'CopyTagsToBackups'];

/** On the interfaces that storage is known by; those of grid hosts come and go with them. */
const STORAGE_TAG = 'cdk-sas-grid:slot';

/** The folder with the versions of a catalog's products. */
export const versionsFolder = (catalog: string, folder: string = CATALOG_FOLDER): string =>
  join(folder, `${catalog}.versions`);

/** The recorded versions of a deployment's product, in the order of their names. */
export function recordedVersions(folder: string, deployment: string): RecordedVersion[] {
  const own = join(folder, deployment);
  if (!existsSync(own)) return [];
  return readdirSync(own)
    .filter((file) => file.endsWith(ENDING))
    .sort()
    .map((file) => ({ version: file.slice(0, -ENDING.length), file: join(own, file) }));
}

/** The template of a recorded version. */
export const templateOf = ({ file }: RecordedVersion): Template =>
  JSON.parse(readFileSync(file, 'utf8')) as Template;

/** Writes down a version that was deployed. */
export function recordVersion(folder: string, deployment: string, version: string, template: Template): void {
  const own = join(folder, deployment);
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, `${version}${ENDING}`), `${JSON.stringify(template, null, 1)}\n`);
}

/**
 * Refuses a version that would be another one than was deployed under its name, and one to which a launched product
 * could not be updated without leaving data behind, or without a restart of its hosts that nobody has agreed on.
 *
 * @param consented whether the context `consent` allows the restart
 * @throws KeptResourceError naming each problem, and what to do
 */
export function requireCompatible(
  deployment: string,
  version: string,
  template: Template,
  earlier: readonly RecordedVersion[],
  consented = false,
): void {
  const left = earlier.flatMap((each) => {
    const recorded = templateOf(each);
    if (each.version !== version) {
      return incompatibilities(recorded, template).map(
        (text) =>
          `since ${each.version}: ${text}. Undo the change, or offer it as a product of its own: another deployment`,
      );
    }
    return JSON.stringify(recorded) === JSON.stringify(template)
      ? []
      : [
          `the template of version ${version} is not the one that was deployed ` +
            `(${relative(process.cwd(), each.file)}): give the new one another name with the ` +
            'key version of the catalog',
        ];
  });
  const others = earlier.filter((each) => each.version !== version).map(templateOf);
  const problems = [...left, ...(consented ? [] : problemsOfRestarts(others, template))];
  if (problems.length === 0) return;
  throw new KeptResourceError(
    [
      `The product ${deployment} cannot be offered in version ${version}: whoever has launched it and updates ` +
        'to this version would get what was not agreed on, or leave the data behind:',
      ...problems.map((problem) => `  - ${problem}`),
      'A recorded version that nobody has launched can be deleted from its folder.',
    ].join('\n'),
  );
}

/**
 * Hosts that an update from every earlier version would stop and start: when one is as now, its restart was agreed on
 * before.
 */
function problemsOfRestarts(earlier: readonly Template[], now: Template): string[] {
  const lists = earlier.map((before) =>
    Object.entries(before.Resources)
      .filter(([id, { Type }]) => Type === 'AWS::EC2::Instance' && now.Resources[id]?.Type === Type)
      .filter(([id, host]) => JSON.stringify(userData(host)) !== JSON.stringify(userData(now.Resources[id]!)))
      .map(([id]) => id),
  );
  const [fewest] = lists.sort((a, b) => a.length - b.length);
  if (!fewest?.length) return [];
  return [
    `an update would stop and start ${fewest.join(', ')}, since what these hosts start with has changed. Undo ` +
      `the change, or offer it with CONSENT=${RESTART_HOSTS} (cdk: -c consent=${RESTART_HOSTS}) and tell those ` +
      'who have launched the product',
  ];
}

const userData = ({ Properties }: Resource): unknown => Properties?.UserData;

/** What an update from one template to another would replace or let go of, among what data rests on. */
export function incompatibilities(before: Template, after: Template): string[] {
  return Object.entries(before.Resources).flatMap(([id, resource]) => {
    if (!holdsData(resource)) return [];
    const now = after.Resources[id];
    if (now?.Type !== resource.Type) return [`${id} (${resource.Type}) is no longer in the template`];
    const [was, is] = [fixedOf(resource), fixedOf(now)];
    return Object.keys({ ...was, ...is })
      .filter((key) => JSON.stringify(was[key]) !== JSON.stringify(is[key]))
      .map((key) => `${key} of ${id} changes from ${JSON.stringify(was[key])} to ${JSON.stringify(is[key])}`);
  });
}

function holdsData({ Type, Properties }: Resource): boolean {
  if (!(Type in FIXED)) return false;
  if (Type !== 'AWS::EC2::NetworkInterface') return true;
  return JSON.stringify(Properties?.Tags ?? []).includes(STORAGE_TAG);
}

function fixedOf({ Type, Properties = {} }: Resource): Record<string, unknown> {
  const lustre = (Properties.LustreConfiguration ?? {}) as Record<string, unknown>;
  return Object.fromEntries([
    ...FIXED[Type]!.map((key) => [key, Properties[key]]),
    // Service Catalog always rolls a failed update back, which would take servers out of a tier that has just grown.
    ...(Type === 'Custom::SasGridVolumeMap'
      ? [['the number of Slots', (Properties.Slots as unknown[]).length]]
      : []),
    ...(Type === 'AWS::FSx::FileSystem' ? FIXED_OF_LUSTRE.map((key) => [key, lustre[key]]) : []),
  ]);
}
