import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Aspects, type IAspect, RemovalPolicies, Stack, Tags } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ManagedPolicy, PermissionsBoundary, Role } from 'aws-cdk-lib/aws-iam';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { loadConfig } from '../../lib/config';
import type { DeploymentConfig } from '../../lib/config-types';
import { createDeployment } from '../../lib/deployment';
import { testApp } from '../helpers/app';

const NAMES = ['sas-grid-lustre', 'sas-grid-nfs', 'sas-grid-gfs2', 'sas-grid-fsx'];
const configOf = (name: string): DeploymentConfig => {
  const config = loadConfig(name);
  const network = { ...config.network, availabilityZone: 'eu-central-1a' };
  return { ...config, network, account: '111122223333', region: 'eu-central-1' };
};

// biome-ignore lint/suspicious/noExplicitAny: templates have no type
type Resource = { Type: string; DeletionPolicy?: string; UpdateReplacePolicy?: string; Properties?: any };

/** All resources of a deployment by stack and logical id, in an app of which somebody else has a say. */
function resourcesOf(name: string, say: (app: App) => void): Record<string, Resource> {
  const app = testApp();
  createDeployment(app, name, configOf(name));
  say(app);
  const stacks = app.node.findAll().filter((each) => Stack.isStack(each));
  return Object.fromEntries(
    stacks.flatMap((stack) =>
      Object.entries(Template.fromStack(stack).toJSON().Resources as Record<string, Resource>).map(
        ([id, resource]) => [`${stack.node.path}/${id}`, resource],
      ),
    ),
  );
}

const KEYS = ['tier', 'slot', 'position', 'cluster'].map((name) => `cdk-sas-grid:${name}`);

/** The library's tags, as they stand in a resource. */
const ownTags = ({ Properties }: Resource) =>
  // Image Builder's are a map.
  (Array.isArray(Properties?.Tags) ? Properties.Tags : []).filter(({ Key }: { Key: string }) =>
    KEYS.includes(Key),
  );

const IN_VPC: IAspect = {
  visit: (node) => {
    if (node instanceof CfnFunction) node.vpcConfig = { subnetIds: ['subnet-1'], securityGroupIds: ['sg-1'] };
  },
};

describe.each(NAMES)('%s in an app that has its own rules', (name) => {
  let plain: Record<string, Resource>;
  let ruled: Record<string, Resource>;
  beforeAll(() => {
    plain = resourcesOf(name, () => undefined);
    ruled = resourcesOf(name, (app) => {
      for (const key of KEYS) Tags.of(app).remove(key);
      RemovalPolicies.of(app).destroy();
      Aspects.of(app).add(IN_VPC);
      PermissionsBoundary.of(app).apply(
        ManagedPolicy.fromManagedPolicyArn(app, 'Boundary', 'arn:aws:iam::111122223333:policy/Boundary'),
      );
    });
  });

  test('keeps the tags that its permissions rest on', () => {
    const tagged = Object.entries(plain).filter(([, each]) => ownTags(each).length > 0);
    if (name !== 'sas-grid-fsx') expect(tagged.length).toBeGreaterThan(1);
    for (const [id, resource] of tagged) expect([id, ownTags(ruled[id]!)]).toEqual([id, ownTags(resource)]);
  });

  test('keeps its data', () => {
    const data = ['AWS::EC2::Volume', 'AWS::DynamoDB::Table', 'AWS::FSx::FileSystem'];
    const kept = Object.entries(plain).filter(
      ([, { Type, DeletionPolicy }]) => data.includes(Type) && DeletionPolicy === 'Retain',
    );
    expect(kept.length).toBeGreaterThan(0);
    for (const [id] of kept) {
      expect([id, ruled[id]]).toEqual([
        id,
        expect.objectContaining({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' }),
      ]);
    }
  });

  test('lets functions into the VPC that the app has put them in', () => {
    const functions = Object.values(ruled).filter(({ Type }) => Type === 'AWS::Lambda::Function');
    const policies = Object.values(ruled).filter(({ Type }) => Type === 'AWS::IAM::Policy');
    expect(functions.length).toBeGreaterThan(0);
    for (const { Properties } of functions) {
      const role = Properties.Role['Fn::GetAtt'][0];
      const own = policies.filter(({ Properties: { Roles } }) =>
        Roles.some(({ Ref }: { Ref: string }) => Ref === role),
      );
      expect(JSON.stringify(own)).toContain('ec2:DeleteNetworkInterface');
    }
    expect(JSON.stringify(plain)).not.toContain('InterfacesInVpc');
  });

  test('has the boundary on each role', () => {
    const roles = Object.values(ruled).filter(({ Type }) => Type === 'AWS::IAM::Role');
    for (const { Properties } of roles) expect(Properties.PermissionsBoundary).toMatch(/Boundary$/);
  });
});

describe('roles that somebody else makes', () => {
  test.each(NAMES)('%s: the report has every permission, and the template no role and no policy', (name) => {
    const own = statementsOf(resourcesOf(name, () => undefined));
    const outdir = mkdtempSync(join(tmpdir(), 'precreated-'));
    try {
      const app = new App({ outdir, builtinCloudFormationValidation: false });
      Role.customizeRoles(app);
      createDeployment(app, name, configOf(name));
      const assembly = app.synth();
      const types = assembly.stacksRecursively.flatMap(({ template }) =>
        Object.values(template.Resources as Record<string, Resource>).map(({ Type }) => Type),
      );
      expect(types.filter((type) => ['AWS::IAM::Role', 'AWS::IAM::Policy'].includes(type))).toEqual([]);
      const report = JSON.parse(readFileSync(join(outdir, 'iam-policy-report.json'), 'utf8'));
      const listed = report.roles.flatMap((role: { identityPolicyStatements: object[] }) =>
        role.identityPolicyStatements.flatMap((each) => (each as { Action: string | string[] }).Action),
      );
      expect([...new Set(listed)].sort()).toEqual(own);
    } finally {
      rmSync(outdir, { recursive: true });
    }
  });

  const statementsOf = (resources: Record<string, Resource>): string[] => {
    const policies = Object.values(resources).filter(({ Type }) => Type === 'AWS::IAM::Policy');
    const actions = policies.flatMap(({ Properties }) =>
      Properties.PolicyDocument.Statement.flatMap(({ Action }: { Action: string | string[] }) => Action),
    );
    return [...new Set<string>(actions)].sort();
  };
});
