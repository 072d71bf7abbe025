import { App, Validations } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ConfigError, loadConfig, parseConfig } from '../../lib/config';
import type { BenchmarkConfig } from '../../lib/config-types';
import { createDeployment } from '../../lib/deployment';

/** A reference deployment with a benchmark; its stack, after cdk-nag has looked at all. */
function deployment(name: string, benchmark: BenchmarkConfig): Template {
  const app = new App({ builtinCloudFormationValidation: false });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const made = createDeployment(app, name, { ...loadConfig(name), benchmark }, '/nonexistent/no-record.json');
  app.synth();
  return Template.fromStack(made.benchmark!);
}

const definitionOf = (template: Template) => {
  const [machine] = Object.values(template.findResources('AWS::StepFunctions::StateMachine'));
  const parts: unknown[] = machine!.Properties.DefinitionString['Fn::Join'][1];
  const text = parts.map((part) => (typeof part === 'string' ? part : '<token>')).join('');
  return JSON.parse(text).States.Prepare.Parameters.definition;
};

test('on NFS the grid measures its scratch and, as the account sas, the shared file system', () => {
  const template = deployment('sas-grid-nfs', {
    schedule: 'cron(0 3 ? * SUN *)',
    tests: ['sas-io', 'raw-device'],
  });
  const { tests, servers, benchmark } = definitionOf(template);
  expect(benchmark).toBe('sas-grid-nfs-benchmark');
  expect(tests).toMatchObject([
    { path: { directory: '/saswork', use: 'temporary', writeMBpsPerCore: 100, storage: { kind: 'xfs' } } },
    {
      path: {
        directory: '/sasdata/lsf',
        use: 'shared',
        writeMBpsPerCore: 50,
        storage: {
          kind: 'nfs',
          servers: 1,
          devices: [{ count: 2, type: 'gp3', sizeGiB: 5000, iops: 4000, throughputMiBps: 500 }],
        },
      },
      parameters: { User: 'sas' },
    },
    { test: 'raw-device', on: 'servers' },
  ]);
  expect(servers).toEqual([{ key: 'cdk-sas-grid:tier', values: ['sas-grid-nfs-storage/Nfs/Server'] }]);
  template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'cron(0 3 ? * SUN *)' });
  template.hasOutput('BenchmarkEstimate', { Value: Match.stringLikeRegexp('^about \\d+ minutes') });
});

test('on Lustre the object storage servers are known', () => {
  const { tests } = definitionOf(
    deployment('sas-grid-lustre', { fileMiB: 512, parallel: false, sharedMBpsPerCore: 75 }),
  );
  expect(tests[1]).toMatchObject({
    path: { writeMBpsPerCore: 75, storage: { kind: 'lustre', servers: 3, serverType: expect.any(String) } },
    parameters: { FileMiB: '512' },
  });
});

test('on FSx what was bought is known', () => {
  const { tests } = definitionOf(deployment('sas-grid-fsx', {}));
  expect(tests[1].path.storage).toMatchObject({ kind: 'fsx-lustre', provisionedMBps: expect.any(Number) });
});

test.each([
  ['sas-server-io2', 'xfs', 1],
  ['sas-grid-gfs2', 'gfs2', 3],
])('%s measures on the hosts that have the volumes', (name, kind, count) => {
  const template = deployment(name, {});
  const { tests, hosts } = definitionOf(template);
  expect(tests).toMatchObject([
    { path: { directory: '/sasdata', use: 'io2', writeMBpsPerCore: 100, storage: { kind } } },
  ]);
  expect(hosts).toHaveLength(count);
  expect(
    Object.keys(template.findResources('AWS::IAM::Policy')).filter((id) => /BenchmarkHost\d/.test(id)),
  ).toHaveLength(1);
});

describe('the key benchmark', () => {
  const text = (
    benchmark: string,
    more = 'nfs: { ebs: {} }\ngrid: { nodes: 2, instanceType: i4i.8xlarge }',
  ) => `description: a test\n${more}\nbenchmark: ${benchmark}\n`;

  test.each([
    ['{ tests: [dd] }', /benchmark.tests.0 is "dd"; allowed: sas-io, iozone/],
    ['{ tests: [] }', /benchmark.tests is \[\]/],
    ['{ schedule: daily }', /benchmark.schedule is "daily"; allowed: .*an expression of EventBridge/],
    ['{ fileMiB: 0 }', /benchmark.fileMiB is 0; allowed: integer from 1/],
    ['{ gateDeployment: true }', /benchmark.gateDeployment is true; allowed: with runAfterDeployment: true/],
    ['{ gate: true }', /benchmark has the unknown key 'gate'/],
  ])('%s is refused', (benchmark, words) => {
    expect(() => parseConfig(text(benchmark), 'f')).toThrow(words);
  });

  test('is for deployments with hosts', () => {
    const alone = 'existingNetwork: { subnetId: subnet-0123456789abcdef0 }\nnfs: { ebs: {} }';
    expect(() => parseConfig(text('{}', alone), 'f')).toThrow(ConfigError);
    expect(parseConfig(text('{}'), 'f').benchmark).toEqual({});
  });
});
