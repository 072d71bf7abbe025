import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ebsVolumeProblems, SERVICE_LIMITS } from '../../../constructs/sizing';
import { createCatalog } from '../../../lib/service-catalog/catalog';
import { catalogNames, loadCatalog } from '../../../lib/service-catalog/catalog-config';
import { LAUNCH_ACTIONS } from '../../../lib/service-catalog/launch-actions';
import { testApp } from '../../helpers/app';
import { judgedStateMachines } from '../../helpers/state-machines';
import { outline } from '../../outline/outline';
import { text } from '../../outline/section';

type Resource = {
  Type: string;
  DependsOn?: string[];
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  Properties: Record<string, unknown>;
};

interface Parameter {
  readonly Type: string;
  readonly Default?: string | number;
  readonly Description: string;
  readonly AllowedValues?: string[];
  readonly AllowedPattern?: string;
  readonly MinValue?: number;
  readonly MaxValue?: number;
}

interface Template {
  readonly Parameters: Record<string, Parameter>;
  readonly [section: string]: unknown;
  readonly Resources: Record<string, Resource>;
  readonly Mappings?: Record<string, Record<string, Record<string, unknown>>>;
  readonly Metadata: Record<string, { ParameterGroups: { Parameters: string[] }[]; ParameterLabels: object }>;
}

const NAME = 'service-catalog';
const SURROUNDINGS = { account: '111122223333', region: 'eu-central-1', versions: '/nonexistent' };
const OF_A_GRID = ['Zone', 'VpcRange', 'GridImage', 'MountPoint'];
const FIXED: Record<string, string[]> = {
  'nfs-storage-server': ['VpcId', 'SubnetId', 'AvailabilityZone', 'SecurityGroupId'],
  'sas-server-io2': ['Zone', 'VpcRange'],
  'sas-grid-gfs2': ['Zone', 'VpcRange', 'VolumeGiB'],
};
// Types of this table hold data, or are what data is reached by.
const HOLDING = ['AWS::EC2::Volume', 'AWS::FSx::FileSystem', 'AWS::DynamoDB::Table', 'AWS::KMS::Key'];

// Synthesis throws on a cdk-nag finding that nobody acknowledged, in the catalog and in the products.
const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
const app = testApp({}, { outdir: folder });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
// With a version that no release changes.
const catalog = { ...loadCatalog(NAME), version: '1.0.0' };
const stack = createCatalog(app, NAME, catalog, SURROUNDINGS);
const template = app.synth().getStackByName(NAME).template as Template;
const products = Object.fromEntries(
  Object.entries(stack.products).map(([name, { templateFile }]) => [
    name,
    JSON.parse(readFileSync(join(folder, templateFile), 'utf8')) as Template,
  ]),
);
afterAll(() => rmSync(folder, { recursive: true }));

const ofType = ({ Resources }: Template, type: string): [string, Resource][] =>
  Object.entries(Resources).filter(([, { Type }]) => Type === type);

describe('the catalog', () => {
  test('is there, with a product for each reference deployment', () => {
    expect(catalogNames()).toContain(NAME);
    expect(Object.keys(products).sort()).toEqual(catalog.products.map(({ deployment }) => deployment).sort());
  });

  test('is as recorded', () => {
    expect(text(outline(template))).toMatchSnapshot();
  });

  test('gives each product a launch role, a notification and rules of tags, and the portfolio who may launch', () => {
    const count = (type: string) => ofType(template, `AWS::ServiceCatalog::${type}`).length;
    const each = Object.keys(products).length;
    expect(
      ['LaunchRoleConstraint', 'LaunchNotificationConstraint', 'ResourceUpdateConstraint'].map(count),
    ).toEqual([each, each, each]);
    expect(
      ofType(template, 'AWS::ServiceCatalog::PortfolioPrincipalAssociation')[0]![1].Properties,
    ).toMatchObject({
      PrincipalType: 'IAM_PATTERN',
      PrincipalARN: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':iam:::role/SasGridUsers']] },
    });
    expect(count('TagOption')).toBe(2);
  });

  test('encrypts its notifications, and keeps the code that launched products are updated with', () => {
    expect(ofType(template, 'AWS::SNS::Topic')[0]![1].Properties.KmsMasterKeyId).toBeDefined();
    const [, bucket] = ofType(template, 'AWS::S3::Bucket')[0]!;
    expect([bucket.DeletionPolicy, bucket.UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
    expect(ofType(template, 'Custom::CDKBucketDeployment')[0]![1].Properties).toMatchObject({
      Prune: false,
      RetainOnDelete: true,
    });
  });
});

describe.each(Object.entries(products))('the product %s', (name, product) => {
  // A cluster has another one, for itself.
  const [guard, { Properties: guarded }] = ofType(product, 'Custom::SasGridFixedValues').find(([id]) =>
    id.startsWith('LaunchGuard'),
  )!;
  const fixed = guarded.Values as Record<string, unknown>;

  test('has parameters as recorded', () => {
    const { Parameters, Metadata } = product;
    expect(text(outline({ Resources: {}, Parameters, ...Metadata }))).toMatchSnapshot();
  });

  test('has state machines that Step Functions takes', () => {
    expect(judgedStateMachines(product).problems).toEqual([]);
  });

  test('stays within the limits of CloudFormation', () => {
    expect(Object.keys(product.Resources).length).toBeLessThanOrEqual(SERVICE_LIMITS.stackResources.value);
    const { templateFile } = stack.products[name]!;
    expect(readFileSync(join(folder, templateFile)).length).toBeLessThanOrEqual(
      SERVICE_LIMITS.templateBytes.value,
    );
    expect(Object.keys(product.Parameters).length).toBeLessThanOrEqual(
      SERVICE_LIMITS.templateParameters.value,
    );
  });

  test('shows every parameter in a group, with a label and what an update does', () => {
    const { ParameterGroups, ParameterLabels } = product.Metadata['AWS::CloudFormation::Interface']!;
    const names = Object.keys(product.Parameters);
    expect(ParameterGroups.flatMap(({ Parameters }) => Parameters).sort()).toEqual([...names].sort());
    expect(Object.keys(ParameterLabels).sort()).toEqual([...names].sort());
    for (const [id, { Type, Description }] of Object.entries(product.Parameters)) {
      if (Type.startsWith('AWS::SSM::')) continue;
      expect([id, Description]).toEqual([id, expect.stringMatching(/(update|Fixed at launch)/)]);
    }
  });

  test('takes its own defaults', () => {
    for (const [id, { Default, AllowedValues, AllowedPattern, MinValue, MaxValue }] of Object.entries(
      product.Parameters,
    )) {
      if (Default === undefined) continue;
      if (AllowedValues) expect(AllowedValues).toContain(String(Default));
      if (AllowedPattern)
        expect([id, new RegExp(`^(?:${AllowedPattern})$`).test(String(Default))]).toEqual([id, true]);
      if (MinValue !== undefined) expect(Number(Default)).toBeGreaterThanOrEqual(MinValue);
      if (MaxValue !== undefined) expect(Number(Default)).toBeLessThanOrEqual(MaxValue);
    }
  });

  test('keeps all that holds data, whatever happens to it', () => {
    const kept = HOLDING.flatMap((type) => ofType(product, type));
    expect(kept.length).toBeGreaterThanOrEqual(2);
    for (const [id, { DeletionPolicy, UpdateReplacePolicy }] of kept) {
      expect([id, DeletionPolicy, UpdateReplacePolicy]).toEqual([id, 'Retain', 'Retain']);
    }
  });

  test('lets the guard see each parameter whose change would replace what holds data, before it happens', () => {
    // What these say of the update is what the guard does.
    const refused = Object.entries(product.Parameters).filter(([, { Description }]) =>
      Description?.includes('Fixed at launch'),
    );
    expect(Object.keys(fixed).sort()).toEqual(refused.map(([id]) => id).sort());
    expect(Object.keys(fixed)).toEqual(expect.arrayContaining(FIXED[name] ?? OF_A_GRID));
    for (const [id, resource] of Object.entries(product.Resources)) {
      const text = JSON.stringify(resource);
      const uses = Object.keys(fixed).some((each) => text.includes(`{"Ref":"${each}"}`));
      if (uses && id !== guard) {
        expect([id, resource.DependsOn]).toEqual([id, expect.arrayContaining([guard])]);
      }
    }
  });

  test('refers from what holds data only to parameters that are fixed, or that only make it larger or faster', () => {
    const harmless = ['VolumeGiB', 'VolumeThroughput', 'CapacityGiB', 'BackupRetentionDays'];
    for (const [id, { Properties }] of HOLDING.flatMap((type) => ofType(product, type))) {
      const used = Object.keys(product.Parameters).filter((each) =>
        JSON.stringify(Properties).includes(`{"Ref":"${each}"}`),
      );
      expect([id, used.filter((each) => !(each in fixed) && !harmless.includes(each))]).toEqual([id, []]);
    }
  });

  test('has volumes that EC2 accepts in every combination of size and throughput', () => {
    const { VolumeGiB, VolumeThroughput } = product.Parameters;
    if (!VolumeGiB) return;
    const [, { Properties }] = ofType(product, 'AWS::EC2::Volume').find(([, each]) =>
      JSON.stringify(each).includes('"Ref":"VolumeGiB"'),
    )!;
    for (const sizeGiB of [VolumeGiB.MinValue!, Number(VolumeGiB.Default), VolumeGiB.MaxValue!]) {
      for (const throughput of VolumeThroughput?.AllowedValues ?? [undefined]) {
        const volume = {
          type: String(Properties.VolumeType),
          sizeGiB,
          iops: throughput
            ? Number(product.Mappings!.VolumeSpeeds![throughput]!.Iops)
            : (Properties.Iops as number | undefined),
          throughputMiBps: throughput ? Number(throughput) : undefined,
        };
        expect([volume, ebsVolumeProblems(volume)]).toEqual([volume, []]);
      }
    }
  });

  test('is launched by a role that has a right for each of its types, and cannot delete what holds data', () => {
    const types = new Set(Object.values(product.Resources).map(({ Type }) => Type));
    expect([...types].filter((type) => !(type in LAUNCH_ACTIONS))).toEqual([]);
    const statements = statementsOf(name);
    const denied = statements.filter(({ Effect }) => Effect === 'Deny').flatMap(({ Action }) => Action);
    const deletes: Record<string, string> = {
      'AWS::EC2::Volume': 'ec2:DeleteVolume',
      'AWS::FSx::FileSystem': 'fsx:DeleteFileSystem',
      'AWS::DynamoDB::Table': 'dynamodb:DeleteTable',
      'AWS::KMS::Key': 'kms:ScheduleKeyDeletion',
    };
    const here = HOLDING.filter((type) => types.has(type)).map((type) => deletes[type]);
    expect(denied).toEqual(expect.arrayContaining(here));
    const allowed = statements.filter(({ Effect }) => Effect === 'Allow').flatMap(({ Action }) => Action);
    expect(allowed.filter((action) => here.includes(action))).toEqual([]);
    expect(allowed.filter((action) => action === '*' || /:\*$/.test(action))).toEqual([]);
  });

  test('is launched by a role that does not wait until the tag of a new key counts', () => {
    if (!Object.values(product.Resources).some(({ Type }) => Type === 'AWS::KMS::Key')) return;
    const conditions = (action: string) =>
      statementsOf(name)
        .filter(({ Action }) => Action.includes(action))
        .map(({ Condition }) => JSON.stringify(Condition ?? {}))
        .join();
    // What CloudFormation's schema says that it calls to make a key, and what services do with it then.
    for (const action of ['kms:EnableKeyRotation', 'kms:PutKeyPolicy'])
      expect(conditions(action)).toMatch(/^(?!.*ResourceTag).*aws:CalledVia.*cloudformation/);
    for (const action of ['kms:CreateGrant', 'kms:Decrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'])
      expect(conditions(action)).toMatch(/^(?!.*ResourceTag).*kms:ViaService.*dynamodb.*ec2/);
    expect(conditions('kms:UpdateKeyDescription')).toContain('ResourceTag');
  });

  test('is launched by a role that passes only roles of products, to the services that the product has', () => {
    const pass = statementsOf(name).filter(({ Action }) => [Action].flat().includes('iam:PassRole'));
    expect(pass).toHaveLength(1);
    expect(JSON.stringify(pass[0]!.Resource)).toContain(':role/SC-111122223333-*');
    expect(JSON.stringify(pass[0]!.Condition)).toContain('lambda.amazonaws.com');
  });

  test('has nothing that is open to the world', () => {
    const rules = [
      ...ofType(product, 'AWS::EC2::SecurityGroupIngress'),
      ...ofType(product, 'AWS::EC2::SecurityGroup'),
    ];
    const ingress = rules.map(([, { Type, Properties }]) =>
      Type.endsWith('Ingress') ? Properties : Properties.SecurityGroupIngress,
    );
    expect(JSON.stringify(ingress)).not.toMatch(/0\.0\.0\.0\/0|::\/0/);
  });
});

interface Statement {
  readonly Effect: string;
  readonly Action: string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** All statements of a product's launch role, which the CDK spreads over several policies. */
function statementsOf(product: string): Statement[] {
  const role = Object.keys(template.Resources).find(
    (id) =>
      id.startsWith(`${product.replaceAll('-', '')}LaunchRole`) &&
      template.Resources[id]!.Type === 'AWS::IAM::Role',
  );
  return [...ofType(template, 'AWS::IAM::Policy'), ...ofType(template, 'AWS::IAM::ManagedPolicy')]
    .filter(([, { Properties }]) => JSON.stringify(Properties.Roles).includes(`"${role}"`))
    .flatMap(([, { Properties }]) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement)
    .map((statement) => ({ ...statement, Action: [statement.Action].flat() }));
}

test('the folder of the assembly has the templates', () => {
  expect(readdirSync(folder).filter((file) => file.endsWith('.product.template.json'))).toHaveLength(
    Object.keys(products).length,
  );
});
