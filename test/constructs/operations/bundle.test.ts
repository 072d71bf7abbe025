import { execFileSync } from 'node:child_process';
import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { OperationBundle } from '../../../constructs/operations';
import { nagFindings, testApp } from '../../helpers/app';

const stack = new Stack(testApp(), 'mine-operations');
new OperationBundle(stack, 'Bundle', { deploymentName: 'mine' });
const template = Template.fromStack(stack);

interface Statement {
  readonly Sid: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: object;
}

/** What the function may do. */
const statements: Statement[] = Object.entries(template.findResources('AWS::IAM::Policy'))
  .filter(([id]) => id.startsWith('BundleFunction'))
  .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement);
const statement = (sid: string) => statements.find(({ Sid }) => Sid === sid)!;

test('the bucket is encrypted, closed to the public, for TLS only, and empties itself', () => {
  template.hasResourceProperties('AWS::S3::Bucket', {
    BucketEncryption: Match.anyValue(),
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    LifecycleConfiguration: { Rules: [Match.objectLike({ ExpirationInDays: 14, Status: 'Enabled' })] },
  });
  template.hasResourceProperties('AWS::S3::BucketPolicy', {
    PolicyDocument: {
      Statement: [
        Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      ],
    },
  });
});

test('the function only reads, asks hosts of this deployment, and writes bundles', () => {
  const actions = statements.flatMap(({ Action }) => [Action].flat());
  const changing = actions.filter(
    (action) => !/:(Describe|List|Get|Filter|Scan|Decrypt|PutLogEvents|CreateLogStream)/.test(action),
  );
  expect(changing.sort()).toEqual(
    [
      's3:PutObject',
      'ssm:SendCommand',
      'ssm:SendCommand',
      'xray:PutTelemetryRecords',
      'xray:PutTraceSegments',
    ].filter((action) => actions.includes(action)),
  );
  expect(statement('AskWhom').Condition).toEqual({
    StringEquals: { 'ssm:resourceTag/cdk-sas-grid:deployment': 'mine' },
  });
  expect(JSON.stringify(statement('KeepBundles').Resource)).toContain('/bundles/*');
});

test('stacks and logs are those of this deployment, and not of one whose name begins with it', () => {
  const resources = JSON.stringify([statement('LookAtStacks').Resource, statement('ReadLogs').Resource]);
  expect(resources).toContain('stack/mine-storage/*');
  expect(resources).toContain('log-group:mine-storage-*');
  expect(resources).not.toMatch(/[/:]mine-\*/);
});

describe('the programs of hosts', () => {
  const documents = Object.values(template.findResources('AWS::SSM::Document')).map(
    ({ Properties }) => Properties.Content,
  );

  test('have their parameters, which mean nothing to a shell, and no other braces', () => {
    const names = documents.map(({ parameters }) => Object.keys(parameters));
    expect(names).toEqual([['Address', 'Since'], ['Since']]);
    for (const { mainSteps, parameters } of documents) {
      // Systems Manager takes any two braces for a parameter.
      const found = JSON.stringify(mainSteps).match(/\{\{[^}]*\}\}?/g) ?? [];
      expect(found.sort()).toEqual(Object.keys(parameters).map((name) => `{{ ${name} }}`));
      for (const { allowedPattern } of Object.values(parameters) as { allowedPattern: string }[])
        expect(`'; rm -rf / '`).not.toMatch(new RegExp(allowedPattern));
    }
  });

  test('begin with bash, have the list of secrets, and are valid', () => {
    for (const { mainSteps } of documents) {
      const lines: string[] = mainSteps[0].inputs.runCommand;
      expect(lines[0]).toBe('#!/bin/bash');
      expect(lines[1]).toMatch(/^export SECRETS=[A-Za-z0-9+/=]{500,}$/);
      execFileSync('bash', ['-n'], { input: lines.join('\n') });
    }
  });
});

test('the workflow ends with the list whatever fails on the way', () => {
  const [machine] = Object.values(template.findResources('AWS::StepFunctions::StateMachine'));
  const { States } = JSON.parse(
    machine!.Properties.DefinitionString['Fn::Join'][1]
      .map((part: unknown) => (typeof part === 'string' ? part : 'X'))
      .join(''),
  );
  expect(States['Ask the hosts'].Catch[0].Next).toBe('Is a part left?');
  expect(States.Collect.Catch[0].Next).toBe('Leave the part out');
  expect(States['Look at the hosts'].Catch[0].Next).toBe('Write what is there');
  expect(States['Look what there is'].Retry[0]).toMatchObject({
    ErrorEquals: ['BundleRefused'],
    MaxAttempts: 0,
  });
});

test('cdk-nag has nothing to say that nobody answered', () => {
  expect(
    nagFindings((scope) => void new OperationBundle(scope, 'Bundle', { deploymentName: 'mine' })),
  ).toEqual([]);
});
