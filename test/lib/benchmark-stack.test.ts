import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { ConfigError, loadConfig, parseConfig } from '../../lib/config';
import { CONFIG_SCHEMA } from '../../lib/config-schema';
import type { BenchmarkConfig, DeploymentConfig } from '../../lib/config-types';
import { createDeployment } from '../../lib/deployment';
import { testApp } from '../helpers/app';

// biome-ignore lint/suspicious/noExplicitAny: parts of a template
type Json = any;

const NAME = 'mine';

/** What the benchmark of a deployment measures where, which documents it has, and what it may do with whom. */
function made(reference: string, benchmark: BenchmarkConfig, change: Partial<DeploymentConfig> = {}) {
  const app = testApp();
  const config = { ...loadConfig(reference), ...change, benchmark };
  const deployment = createDeployment(app, NAME, config, '/nonexistent/no-record.json');
  const template = Template.fromStack(deployment.benchmark!);
  const of = (type: string): Json[] => Object.values(template.findResources(type));
  const statements: Json[] = of('AWS::IAM::Policy').flatMap(
    ({ Properties }) => Properties.PolicyDocument.Statement,
  );
  const prepare = definitionIn(of('AWS::StepFunctions::StateMachine'));
  return {
    deployment,
    outputs: Object.keys(template.findOutputs('*')),
    tests: prepare.tests.map(({ id, on, parameters }: Json) => ({ id, on, parameters })),
    servers: prepare.servers as { key: string; values: string[] }[],
    documents: of('AWS::SSM::Document').map(
      ({ Properties }) => Properties.Content.mainSteps[0].name as string,
    ),
    sends: statements.filter(({ Action }) => Action === 'ssm:SendCommand'),
    /** The roles that may put outputs. */
    putters: of('AWS::IAM::Policy')
      .filter(({ Properties }) => JSON.stringify(Properties.PolicyDocument).includes('outputs/*'))
      .map(({ Properties }) => JSON.stringify(Properties.Roles)),
  };
}

/** What the workflow tells the runner, with a mark for each value that CloudFormation fills in. */
function definitionIn(machines: Json[]): Json {
  const parts: unknown[] = machines[0].Properties.DefinitionString['Fn::Join'][1];
  const text = parts.map((part) => (typeof part === 'string' ? part : '<token>')).join('');
  return JSON.parse(text).States.Prepare.Parameters.definition;
}

const TIER = 'ssm:resourceTag/cdk-sas-grid:tier';
const GROUP = 'ssm:resourceTag/aws:autoscaling:groupName';

/** The conditions under which the runner sends something to an instance. */
const conditionsOf = (sends: Json[]): string[] =>
  sends.flatMap(({ Condition }) => Object.keys(Condition?.StringEquals ?? {}));

test('without a choice it measures on the hosts only, and has no right on a storage server', () => {
  const { tests, servers, documents, sends, putters } = made('sas-grid-lustre', {});
  expect(tests.map(({ id }: Json) => id)).toEqual(['1-sas-io-saswork', '2-sas-io-sasdata']);
  expect(servers).toEqual([]);
  expect(documents.sort()).toEqual(['clean_up', 'install', 'sas_io']);
  expect(conditionsOf(sends)).toHaveLength(1);
  expect(conditionsOf(sends)).not.toContain(TIER);
  expect(putters).toHaveLength(1);
});

describe('raw-device', () => {
  const benchmark: BenchmarkConfig = { tests: ['sas-io', 'raw-device'] };

  test('reads the disks of the object storage servers of Lustre, with rights on those and no others', () => {
    const { tests, servers, documents, sends, putters, deployment } = made('sas-grid-lustre', benchmark);
    expect(tests.at(-1)).toMatchObject({ id: '3-raw-device', on: 'servers', parameters: { MaxMiB: '4096' } });
    expect(documents.sort()).toEqual(['clean_up', 'install', 'raw_device', 'sas_io']);
    expect(servers).toEqual([
      { key: 'cdk-sas-grid:tier', values: [`${NAME}-storage/Lustre/ObjectStorageServers`] },
    ]);
    const [condition] = sends.filter((each) => TIER in (each.Condition?.StringEquals ?? {}));
    expect(condition.Condition.StringEquals[TIER]).toEqual(servers[0]!.values);
    // One of the grid, one of the object storage servers: neither the management nor the metadata server.
    expect(putters).toHaveLength(2);
    expect(putters.filter((roles) => roles.includes('LustreObjectStorageServers'))).toHaveLength(1);
    expect(deployment.benchmark!.dependencies).toContain(deployment.storage);
  });

  test('reads those of the one NFS server, whether it has volumes or instance store', () => {
    const onVolumes = made('sas-grid-nfs', benchmark);
    expect(onVolumes.tests.at(-1)).toMatchObject({ on: 'servers' });
    expect(conditionsOf(onVolumes.sends)).toContain(TIER);
    expect(onVolumes.putters).toHaveLength(2);

    const nfs = { instanceStore: { instanceType: 'i4i.8xlarge', dataLossAcceptableBecause: 'it is a copy' } };
    const onDisks = made('sas-grid-nfs', benchmark, { nfs, gameDay: undefined });
    expect(onDisks.tests.at(-1)).toMatchObject({ on: 'servers' });
    expect(conditionsOf(onDisks.sends)).toContain(GROUP);
    expect(conditionsOf(onDisks.sends)).not.toContain(TIER);
    expect(onDisks.putters).toHaveLength(2);
  });

  test.each(['sas-grid-fsx', 'sas-server-io2'])(
    'reads those of the hosts where no server is ours: %s',
    (name) => {
      const { tests, servers, putters } = made(name, benchmark);
      expect(tests.at(-1)).toMatchObject({ on: 'hosts', parameters: { MaxMiB: '4096' } });
      expect(servers).toEqual([]);
      expect(putters).toHaveLength(1);
    },
  );
});

describe('lustre-server', () => {
  const asked: BenchmarkConfig = { tests: ['lustre-server'], acceptRiskForDataOnTargets: true };

  test('writes to the targets of the object storage servers, when the risk is accepted', () => {
    const { tests, documents, sends, putters } = made('sas-grid-lustre', asked);
    expect(tests).toMatchObject([
      { id: '1-lustre-server', on: 'servers', parameters: { AllowOnTargets: 'yes' } },
    ]);
    expect(documents).toContain('lustre_server');
    expect(conditionsOf(sends)).toContain(TIER);
    expect(putters.some((roles) => roles.includes('LustreObjectStorageServers'))).toBe(true);
  });

  const LUSTRE = 'description: a test\nstorage: { preset: current, fileSystemName: sasfs }\n';
  const GRID = 'grid: { nodes: 2, instanceType: i4i.8xlarge }\n';
  const messageOf = (text: string): string => {
    try {
      parseConfig(text, 'f');
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      return (error as Error).message;
    }
    throw new Error('the configuration was accepted');
  };
  const TEST = 'tests: [lustre-server]';
  const ACCEPTED = `${TEST}, acceptRiskForDataOnTargets: true`;

  test.each([
    ['silence', TEST, /acceptRiskForDataOnTargets is not there, .*allowed: true\. Set it where/],
    ['a no', `${TEST}, acceptRiskForDataOnTargets: false`, /acceptRiskForDataOnTargets is false, /],
    ['a risk without the test', 'acceptRiskForDataOnTargets: true', /no lustre-server; .*Take accept/],
    ['a schedule', `${ACCEPTED}, schedule: rate(7 days)`, /benchmark\.schedule is rate\(7 days\), .*by hand/],
    ['each deployment', `${ACCEPTED}, runAfterDeployment: true`, /runAfterDeployment is true, .*by hand/],
    ['a gate', `${ACCEPTED}, gateDeployment: true`, /gateDeployment is true, .*by hand/],
  ])('is not chosen by %s', (_, keys, words) => {
    expect(messageOf(`${LUSTRE}${GRID}benchmark: { ${keys} }\n`)).toMatch(words);
  });

  test('is not there for another file system', () => {
    const nfs = `description: a test\nnfs: { ebs: { } }\n${GRID}benchmark: { ${ACCEPTED} }\n`;
    expect(messageOf(nfs)).toMatch(/the file has no key storage; allowed: .*choose raw-device/);
  });

  test('is chosen by both words', () => {
    expect(parseConfig(`${LUSTRE}${GRID}benchmark: { ${ACCEPTED} }\n`, 'f').benchmark).toEqual(asked);
  });
});

test('the documentation has every key, every test and every output, and its example is a configuration', () => {
  const text = readFileSync(join(__dirname, '../../constructs/storage-benchmark/README.md'), 'utf8');
  const { properties = {} } = CONFIG_SCHEMA.properties.benchmark!;
  const outputs = made('sas-grid-nfs', {}).outputs.filter((name) => name.startsWith('Benchmark'));
  expect(outputs.length).toBeGreaterThan(4);
  const words = [...Object.keys(properties), ...(properties.tests!.items!.enum as string[]), ...outputs];
  expect(words.filter((word) => !text.includes(`\`${word}\``))).toEqual([]);
  const example = /^```yaml\n(.*?)^```/ms.exec(text)![1]!;
  const whole = `description: a test\nnfs: { ebs: { } }\ngrid: { nodes: 2, instanceType: i4i.8xlarge }\n${example}`;
  expect(parseConfig(whole, 'f').benchmark).toEqual({
    tests: ['sas-io', 'network', 'raw-device'],
    schedule: 'cron(0 3 ? * SUN *)',
  });
});
