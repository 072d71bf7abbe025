import { judgeRights, type Launched, type UnneededByType } from './launch-rights';
import { matching } from './wildcards';

const permissions = (type: string) =>
  type === 'AWS::IAM::Role' ? ['iam:CreateRole', 'iam:AttachRolePolicy'] : undefined;
const product = (allowed: string[], properties: object = {}): Launched => ({
  name: 'grid',
  resources: { Role: { Type: 'AWS::IAM::Role', Properties: { ...properties } } },
  allowed,
});
const unneeded: UnneededByType = {
  'AWS::IAM::Role': [{ actions: ['iam:*RolePolicy'], unless: ['ManagedPolicyArns'] }],
};

test('a role that allows what the handlers call lacks nothing', () => {
  const { missing } = judgeRights([product(['iam:CreateRole', 'iam:Attach*'])], permissions, {});
  expect(missing).toEqual([]);
});

test('what a role does not allow is named, with the type that takes it', () => {
  const { missing } = judgeRights([product(['iam:CreateRole'])], permissions, {});
  expect(missing).toEqual([
    'grid: the launch role does not allow iam:AttachRolePolicy, which AWS::IAM::Role takes',
  ]);
});

test('what was left out is needed as soon as a product uses the property it is for', () => {
  const left = (properties: object) =>
    judgeRights([product(['iam:CreateRole'], properties)], permissions, unneeded).missing;
  expect(left({})).toEqual([]);
  expect(left({ ManagedPolicyArns: ['arn'] })).toEqual([
    'grid: the launch role does not allow iam:AttachRolePolicy, which AWS::IAM::Role takes with ManagedPolicyArns',
  ]);
});

test('an attribute of the resource counts as a property of it, and so does a part of one', () => {
  const entries = {
    'AWS::IAM::Role': [{ actions: ['iam:AttachRolePolicy'], unless: ['UpdatePolicy.Refresh'] }],
  };
  const missing = (UpdatePolicy: object) => {
    const resources = { Role: { Type: 'AWS::IAM::Role', UpdatePolicy } };
    return judgeRights([{ name: 'grid', resources, allowed: ['iam:CreateRole'] }], permissions, entries)
      .missing;
  };
  expect(missing({ Refresh: {} })).toHaveLength(1);
  expect(missing({ Other: {} })).toHaveLength(0);
});

test('an entry that nothing needs is told, and so are types without a schema', () => {
  const { unused } = judgeRights([product(['iam:*'])], permissions, unneeded);
  expect(unused).toEqual(['AWS::IAM::Role: iam:*RolePolicy']);
  const other = { name: 'grid', resources: { A: { Type: 'AWS::New::Type' } }, allowed: [] };
  expect(judgeRights([other], permissions, {}).withoutHandlers).toEqual(['AWS::New::Type']);
});

test('patterns cover actions as IAM reads them', () => {
  expect(matching('s3:Get*', 's3:GetObject')).toBe(true);
  expect(matching('S3:getobject', 's3:GetObject')).toBe(true);
  expect(matching('s3:Get*', 's3:PutObject')).toBe(false);
  expect(matching('s3:GetObject', 's3:GetObjectVersion')).toBe(false);
  expect(matching('s3.GetObject', 's3:GetObject')).toBe(false);
});
