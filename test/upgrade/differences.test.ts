import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAnnounced, malformed, upgrades } from './announced';
import { differences, type Template } from './differences';
import { type Templates, templatesOf, unpackStored } from './stored';

const folder = mkdtempSync(join(tmpdir(), 'stored-'));
unpackStored(folder);
afterAll(() => rmSync(folder, { recursive: true }));

const LUSTRE = 'sas-grid-lustre';
const stored = (deployment: string): Templates => templatesOf(join(folder, deployment));

type Loose = { Type: string; DeletionPolicy?: string; Properties: Record<string, unknown> };
type Change = (resource: Loose) => void;

/** The stored storage and grid stacks, with the resources of a type changed. */
function changed(type: string, change: Change): { before: Template; after: Template }[] {
  return Object.values(stored(LUSTRE))
    .filter(({ Resources }) => Object.values(Resources).some(({ Type }) => Type === type))
    .map((before) => {
      const after = structuredClone(before);
      for (const resource of Object.values(after.Resources))
        if (resource.Type === type) change(resource as unknown as Loose);
      return { before, after };
    });
}

test('what is stored is all deployments and products, unmasked', () => {
  expect(Object.keys(stored(LUSTRE))).toEqual(
    ['benchmark', 'grid', 'network', 'storage'].map((stack) => `${LUSTRE}-${stack}.template.json`),
  );
  const products = Object.keys(stored('service-catalog')).filter((file) => file.includes('.product.'));
  expect(products).toHaveLength(7);
  expect(JSON.stringify(stored(LUSTRE))).toMatch(/"UserData":\{"Fn::Base64":.*SAS_UID/);
});

test('the same templates differ in nothing', () => {
  expect(upgrades(stored(LUSTRE), stored(LUSTRE))).toEqual([]);
});

test.each<[effect: string, type: string, change: Change]>([
  [
    'replaces',
    'AWS::EC2::NetworkInterface',
    ({ Properties }) => (Properties.PrivateIpAddress = '172.16.4.99'),
  ],
  ['replaces', 'AWS::DynamoDB::Table', ({ Properties }) => (Properties.TableName = 'another')],
  ['replaces', 'AWS::EC2::SecurityGroup', ({ Properties }) => (Properties.GroupDescription = 'another')],
  ['replaces', 'AWS::Route53::HostedZone', ({ Properties }) => (Properties.Name = 'another.internal')],
  ['is refused', 'AWS::EC2::Volume', ({ Properties }) => (Properties.AvailabilityZone = 'us-east-1b')],
  ['restarts', 'AWS::EC2::Instance', ({ Properties }) => (Properties.UserData = 'other software')],
])('a change that %s %s is told', (effect, type, change) => {
  for (const { before, after } of changed(type, change)) {
    const found = differences(before, after).filter((each) => each.type === type);
    expect(found.length).toBeGreaterThan(0);
    expect(found.map((each) => each.effect)).toEqual(found.map(() => effect));
  }
});

test('a volume that grows, and a description that changes, are changes in place', () => {
  const grown = changed('AWS::EC2::Volume', ({ Properties }) => (Properties.Size = 16_384));
  const described = changed('AWS::KMS::Key', ({ Properties }) => (Properties.Description = 'another'));
  for (const { before, after } of [...grown, ...described]) expect(differences(before, after)).toEqual([]);
});

test('another content of a document is another version of it, where it says so', () => {
  const document = (content: string, UpdateMethod?: string): Template => ({
    Resources: {
      Document: { Type: 'AWS::SSM::Document', Properties: { Content: { content }, UpdateMethod } } as Loose,
    },
  });
  expect(differences(document('a', 'NewVersion'), document('b', 'NewVersion'))).toEqual([]);
  expect(differences(document('a'), document('b'))).toMatchObject([{ effect: 'may replace' }]);
});

test('a stack that is gone lets go of its volumes, and an export that is gone is told', () => {
  const before = stored(LUSTRE);
  const storage = `${LUSTRE}-storage.template.json`;
  const gone = upgrades({ [storage]: before[storage]! }, {});
  const effects = gone.filter(({ difference }) => difference.type === 'AWS::EC2::Volume');
  expect(new Set(effects.map(({ difference }) => difference.effect))).toEqual(new Set(['lets go of']));
  expect(gone.some(({ difference }) => difference.effect === 'drops the export')).toBe(true);
});

test('a literal that becomes a new parameter of the same value stays, and one of another value is told', () => {
  const zone = (name: unknown, parameters?: Template['Parameters']): Template => ({
    Parameters: { Domain: { Default: 'internal' }, ...parameters },
    Resources: { Zone: { Type: 'AWS::Route53::HostedZone', Properties: { Name: name } } as Loose },
  });
  const before = zone('storage1.internal.');
  const joined = { 'Fn::Join': ['', [{ Ref: 'Host' }, '.internal.']] };
  expect(differences(before, zone(joined, { Host: { Default: 'storage1' } }))).toEqual([]);
  expect(differences(before, zone(joined, { Host: { Default: 'storage2' } }))).toMatchObject([
    { effect: 'replaces', id: 'Zone', properties: ['Name'] },
  ]);
  // A parameter that is deployed has the value that somebody gave it.
  const given = { 'Fn::Join': ['.', ['storage1', { Ref: 'Domain' }, '']] };
  expect(differences(before, zone(given))).toMatchObject([{ effect: 'replaces', id: 'Zone' }]);
});

test('an announcement covers its effect, type and properties only', () => {
  const upgrade = (effect: 'restarts' | 'replaces', properties: string[]) => ({
    file: 'x.template.json',
    difference: { effect, id: 'Server', type: 'AWS::EC2::Instance', properties },
  });
  const announced = {
    effect: 'restarts',
    type: 'AWS::EC2::Instance',
    properties: ['UserData'],
    adr: '0007',
    why: 'as it must be',
  };
  expect(isAnnounced(upgrade('restarts', ['UserData']), announced)).toBe(true);
  expect(isAnnounced(upgrade('restarts', ['InstanceType']), announced)).toBe(false);
  expect(isAnnounced(upgrade('replaces', ['UserData']), announced)).toBe(false);
  expect(malformed([announced])).toEqual([]);
});

test('no announcement makes a volume replaceable, and each needs a decision that exists', () => {
  const volume = { effect: 'replaces', type: 'AWS::EC2::Volume', adr: '0007', why: 'no reason is enough' };
  expect(malformed([volume])).toEqual([expect.stringContaining('nothing that holds data')]);
  const rule = { effect: 'replaces', type: 'AWS::Events::Rule', adr: '9999', why: 'a reason' };
  expect(malformed([rule])).toEqual([expect.stringContaining("adr is '9999'")]);
});
