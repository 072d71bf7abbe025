import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aws_iam as iam, Stack } from 'aws-cdk-lib';
import { KeptResourceError } from '../../../constructs/deployed-data/kept-resources';
import { createCatalog } from '../../../lib/service-catalog/catalog';
import { parseCatalog } from '../../../lib/service-catalog/catalog-config';
import {
  incompatibilities,
  recordedVersions,
  recordVersion,
  requireCompatible,
  type Template,
} from '../../../lib/service-catalog/versions';
import { testApp } from '../../helpers/app';

const folder = mkdtempSync(join(tmpdir(), 'versions-'));
afterAll(() => rmSync(folder, { recursive: true }));

const template = (
  resources: Record<string, [type: string, properties: Record<string, unknown>]>,
): Template => ({
  Resources: Object.fromEntries(
    Object.entries(resources).map(([id, [Type, Properties]]) => [id, { Type, Properties }]),
  ),
});
const volume = (properties: Record<string, unknown> = {}): [string, Record<string, unknown>] => [
  'AWS::EC2::Volume',
  { AvailabilityZone: 'a', Encrypted: true, Size: 100, ...properties },
];
const lustre = (configuration: Record<string, unknown>): [string, Record<string, unknown>] => [
  'AWS::FSx::FileSystem',
  { StorageCapacity: 1200, LustreConfiguration: { PerUnitStorageThroughput: 125, ...configuration } },
];
const map = (slots: number): [string, Record<string, unknown>] => [
  'Custom::SasGridVolumeMap',
  { Tier: 'oss', Slots: Array.from({ length: slots }, (_, index) => ({ slot: `oss-0${index}` })) },
];
const nic = (tag?: string): [string, Record<string, unknown>] => [
  'AWS::EC2::NetworkInterface',
  { SubnetId: 's', Tags: tag ? [{ Key: tag, Value: 'nfs-00' }] : [] },
];

test('an update that would restart hosts needs consent, but once', () => {
  const own = join(folder, 'restarts');
  const host = (userData: string) => template({ H: ['AWS::EC2::Instance', { UserData: userData }] });
  recordVersion(own, 'nfs', '1.0.0', host('before'));
  const offer = (version: string, consented?: boolean) => () =>
    requireCompatible('nfs', version, host('after'), recordedVersions(own, 'nfs'), consented);
  expect(offer('2.0.0')).toThrow(/stop and start H,.*CONSENT=restart-hosts/);
  expect(offer('2.0.0', true)).not.toThrow();
  recordVersion(own, 'nfs', '2.0.0', host('after'));
  expect(offer('3.0.0')).not.toThrow();
});

describe('an update from one version to the next', () => {
  test.each<[string, Template, Template]>([
    [
      'larger and faster volumes',
      template({ V: volume() }),
      template({ V: volume({ Size: 200, Iops: 4000 }) }),
    ],
    ['more of them', template({ V: volume() }), template({ V: volume(), W: volume() })],
    ['fewer hosts of the grid', template({ N: nic() }), template({})],
    [
      'more backups',
      template({ F: lustre({}) }),
      template({ F: lustre({ AutomaticBackupRetentionDays: 30 }) }),
    ],
  ])('may bring %s', (_, before, after) => {
    expect(incompatibilities(before, after)).toEqual([]);
  });

  test.each<[string, Template, Template, string]>([
    [
      'a volume away',
      template({ V: volume() }),
      template({}),
      'V (AWS::EC2::Volume) is no longer in the template',
    ],
    [
      'a volume to another zone',
      template({ V: volume() }),
      template({ V: volume({ AvailabilityZone: 'b' }) }),
      'AvailabilityZone of V changes from "a" to "b"',
    ],
    [
      'a volume of a snapshot',
      template({ V: volume() }),
      template({ V: volume({ SnapshotId: 'snap-1' }) }),
      'SnapshotId of V changes from undefined to "snap-1"',
    ],
    [
      'another throughput to FSx',
      template({ F: lustre({}) }),
      template({ F: lustre({ PerUnitStorageThroughput: 250 }) }),
      'PerUnitStorageThroughput of F changes from 125 to 250',
    ],
    [
      'tags to the backups of FSx',
      template({ F: lustre({}) }),
      template({ F: lustre({ CopyTagsToBackups: true }) }),
      'CopyTagsToBackups of F changes from undefined to true',
    ],
    [
      'another version of Lustre to FSx',
      template({ F: ['AWS::FSx::FileSystem', { FileSystemTypeVersion: '2.12' }] }),
      template({ F: ['AWS::FSx::FileSystem', { FileSystemTypeVersion: '2.15' }] }),
      'FileSystemTypeVersion of F changes from "2.12" to "2.15"',
    ],
    [
      'the address of a server away',
      template({ N: nic('cdk-sas-grid:slot') }),
      template({}),
      'N (AWS::EC2::NetworkInterface)',
    ],
    [
      'more servers, which a rollback would take out again,',
      template({ M: map(3) }),
      template({ M: map(4) }),
      'the number of Slots of M changes from 3 to 4',
    ],
    [
      'a subnet to another range',
      template({ S: ['AWS::EC2::Subnet', { CidrBlock: '10.0.0.0/24' }] }),
      template({ S: ['AWS::EC2::Subnet', { CidrBlock: '10.0.1.0/24' }] }),
      'CidrBlock of S changes',
    ],
  ])('may not bring %s', (_, before, after, problem) => {
    expect(incompatibilities(before, after)).toEqual([expect.stringContaining(problem)]);
  });
});

describe('recorded versions', () => {
  const now = template({ V: volume() });
  beforeAll(() => {
    recordVersion(folder, 'nfs', '1.0.0', now);
    recordVersion(folder, 'nfs', '1.1.0', template({ V: volume({ Size: 200 }) }));
  });

  test('are found again', () => {
    expect(recordedVersions(folder, 'nfs').map(({ version }) => version)).toEqual(['1.0.0', '1.1.0']);
    expect(recordedVersions(folder, 'other')).toEqual([]);
  });

  test('never change under their name', () => {
    const recorded = recordedVersions(folder, 'nfs');
    expect(() => requireCompatible('nfs', '1.0.0', now, recorded)).not.toThrow();
    const other = template({ V: volume(), W: volume() });
    expect(() => requireCompatible('nfs', '1.0.0', other, recorded)).toThrow(KeptResourceError);
    expect(() => requireCompatible('nfs', '1.0.0', other, recorded)).toThrow(
      /give the new one another name with the key version/,
    );
    expect(() => requireCompatible('nfs', '2.0.0', other, recorded)).not.toThrow();
  });

  test('can be updated from, or the new one is refused with the version and the reason', () => {
    const recorded = recordedVersions(folder, 'nfs');
    expect(() => requireCompatible('nfs', '2.0.0', template({}), recorded)).toThrow(
      /cannot be offered in version 2\.0\.0: .*\n {2}- since 1\.0\.0: V \(AWS::EC2::Volume\) is no longer/,
    );
  });
});

describe('the products of a catalog', () => {
  const text = `
portfolio: { name: SAS, provider: me }
launchableBy: [Users]
version: '2.0.0'
products: [{ deployment: sas-grid-fsx, name: On FSx }]
`;
  const make = () => {
    const app = testApp();
    const surroundings = { account: '111122223333', region: 'us-east-1', versions: folder };
    return { app, stack: createCatalog(app, 'mine', parseCatalog(text, 'mine.yaml'), surroundings) };
  };

  test('are offered in their earlier versions too', () => {
    const { app, stack } = make();
    app.synth();
    recordVersion(folder, 'sas-grid-fsx', '1.0.0', stack.products['sas-grid-fsx']!.toTemplate());
    const again = make();
    const versions = JSON.stringify(again.app.synth().getStackByName('mine').template);
    expect(versions).toMatch(/"Name":"2\.0\.0".*"Name":"1\.0\.0"/);
  });

  test('are not offered when an update would leave the file system behind', () => {
    const { app, stack } = make();
    app.synth();
    const before = stack.products['sas-grid-fsx']!.toTemplate();
    const renamed = Object.entries(before.Resources).map(([id, each]) => [
      each.Type === 'AWS::FSx::FileSystem' ? 'Elsewhere' : id,
      each,
    ]);
    recordVersion(folder, 'sas-grid-fsx', '1.0.0', { Resources: Object.fromEntries(renamed) });
    expect(() => make().app.synth()).toThrow(
      /Elsewhere \(AWS::FSx::FileSystem\) is no longer in the template/,
    );
  });
});

test('an earlier version can still be terminated by the launch role, and nothing that it kept can be deleted', () => {
  const own = mkdtempSync(join(tmpdir(), 'versions-'));
  const trust = { Statement: [{ Principal: { Service: 'scheduler.amazonaws.com' } }] };
  recordVersion(own, 'sas-grid-fsx', '1.0.0', {
    Resources: {
      Role: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: trust } },
      Queue: { Type: 'AWS::SQS::Queue' },
      Table: { Type: 'AWS::DynamoDB::Table', DeletionPolicy: 'Retain' },
    },
  });
  const text =
    'portfolio: { name: a, provider: b }\nlaunchableBy: [c]\nproducts: [{ deployment: sas-grid-fsx, name: d }]\n';
  const app = testApp();
  const surroundings = { account: '111122223333', region: 'us-east-1', versions: own };
  const stack = createCatalog(app, 'mine', parseCatalog(text, 'mine.yaml'), surroundings);
  rmSync(own, { recursive: true });
  const policies = rolePolicies(stack);
  expect(policies).toContain('scheduler.amazonaws.com');
  expect(policies).toContain('sqs:DeleteQueue');
  expect(policies).toContain('"dynamodb:DeleteTable"');
  expect(policies).toMatch(/"Action":\["dynamodb:DeleteTable"[^\]]*\],"Effect":"Deny"/);
});

/** The policies of the catalog itself, not of its products. */
function rolePolicies(stack: Stack): string {
  const policies = stack.node
    .findAll()
    .filter((node) => Stack.of(node) === stack)
    .filter((node) => node instanceof iam.Policy || node instanceof iam.ManagedPolicy)
    .map(({ document }) => document);
  return JSON.stringify(stack.resolve(policies));
}
