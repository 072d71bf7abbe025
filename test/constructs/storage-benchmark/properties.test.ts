import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CfnResource, Duration } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CfnEventInvokeConfig, type CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import {
  BenchmarkHosts,
  MeasuredPath,
  StorageBenchmark,
  type StorageBenchmarkProps,
  StorageTest,
} from '../../../constructs';
import {
  CLEAN_UP_SECONDS,
  CLOUDFORMATION_WAITS,
  KEPT_SECONDS,
  MARGIN,
  STOP_SECONDS,
  TESTS_SECONDS,
} from '../../../constructs/private/benchmark-deadline';
import type { BenchmarkDefinition } from '../../../constructs/private/benchmark-definition';
import { PARAMETERS, SHARED_PARAMETERS } from '../../../constructs/storage-benchmark/document-parameters';
import { testApp, testStack } from '../../helpers/app';
import fc from '../../helpers/fast-check';
import { NUMBERS, validProps } from './valid-props';
import { type Answer, type Call, walk } from './walk';

// biome-ignore lint/suspicious/noExplicitAny: parts of a definition
type Json = any;

// Synthesis of a template takes longer than many constructs, so that all accepted ones stand in one.
const stack = testStack(testApp({ '@aws-cdk/core:stackResourceLimit': 0 }));
let made = 0;

/** The workflow of a benchmark as Step Functions gets it, with a mark for each value that CloudFormation fills in. */
function workflowOf(benchmark: StorageBenchmark): {
  text: string;
  startAt: string;
  states: Record<string, Json>;
} {
  const machine = benchmark.node.findAll().find((node) => node instanceof CfnStateMachine)!;
  const parts: unknown[] = stack.resolve((machine as CfnStateMachine).definitionString)['Fn::Join'][1];
  const text = parts.map((part) => (typeof part === 'string' ? part : '<token>')).join('');
  const { StartAt, States } = JSON.parse(text);
  return { text, startAt: StartAt, states: States };
}

const names = new Set<string>();

/** Makes it, or takes away what is half made and throws. */
function make({ benchmarkName, ...props }: StorageBenchmarkProps): StorageBenchmark {
  const id = `Benchmark${made++}`;
  // All of them are in one app, in which each name is there once.
  const name =
    benchmarkName && (names.has(benchmarkName) ? `${benchmarkName.slice(0, 90)}-${made}` : benchmarkName);
  if (name) names.add(name);
  try {
    return new StorageBenchmark(stack, id, { ...props, benchmarkName: name });
  } catch (error) {
    stack.node.tryRemoveChild(id);
    throw error;
  }
}

/** The ranges that the programs on the hosts take, from the programs. */
function rangesOf(document: string): Record<string, [number, number]> {
  const programs = join(__dirname, '../../../constructs/storage-benchmark/programs');
  const text = [`${document}.sh`, 'common/place.sh', 'common/busy.sh']
    .map((file) => readFileSync(join(programs, file), 'utf8'))
    .join('\n');
  const found = text.matchAll(/^ *number (\w+) (\d+) (\d+)$/gm);
  return Object.fromEntries([...found].map(([, name, min, max]) => [name!, [Number(min), Number(max)]]));
}

/** What only the runner knows. */
const OF_A_RUN = ['RunId', 'TestId', 'StartAt', 'TimeoutSeconds', 'Hosts', 'Peers', 'Clients'];

/** What Systems Manager and the programs would not take of what a benchmark sends. */
function wrongParameters({ tests, tools }: BenchmarkDefinition): string[] {
  const install = new RegExp(PARAMETERS.install.Tools.allowedPattern);
  const wrong = install.test(tools.join(',')) ? [] : [`install: ${tools}`];
  for (const { id, test, parameters } of tests) {
    const known: Record<string, { default?: string; allowedPattern: string; maxChars?: number }> = {
      ...SHARED_PARAMETERS,
      ...PARAMETERS[test as keyof typeof PARAMETERS],
    };
    const ranges = rangesOf(test);
    for (const [name, value] of Object.entries(parameters)) {
      const { allowedPattern, maxChars = 1024 } = known[name] ?? { allowedPattern: '$^' };
      const [min, max] = ranges[name] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
      const fits =
        typeof value === 'string' &&
        new RegExp(allowedPattern).test(value) &&
        value.length <= maxChars &&
        !(Number(value) < min || Number(value) > max);
      if (!fits) wrong.push(`${id}: ${name} ${value}`);
    }
    for (const [name, { default: otherwise }] of Object.entries(known)) {
      if (otherwise === undefined && !(name in parameters) && !OF_A_RUN.includes(name))
        wrong.push(`${id}: no ${name}`);
    }
    if (!/^[A-Za-z0-9_-]{1,48}$/.test(id)) wrong.push(`the id ${id}`);
  }
  if (new Set(tests.map(({ id }) => id)).size < tests.length) wrong.push('an id twice');
  return wrong;
}

function unreachable(startAt: string, states: Record<string, Json>): string[] {
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const { Next, Default, Choices = [], Catch = [] } = states[name];
    for (const next of [Next, Default, ...[...Choices, ...Catch].map((one: Json) => one.Next)])
      if (next) visit(next);
  };
  visit(startAt);
  return Object.keys(states).filter((name) => !seen.has(name));
}

const MAX_DEFINITION = 2 ** 20;
const MAX_PAYLOAD = 2 ** 18;

const TAKES_TOO_LONG =
  /The time that the benchmark is expected to take, .*; allowed: at most .*smaller files/;
const WAITS_TOO_LONG =
  /hostsTimeout, in minutes, with gateDeployment is \d+; allowed: 1 to \d+, .* Give Duration/;
const NOT_IN_AN_HOUR = new RegExp(`${TAKES_TOO_LONG.source}|${WAITS_TOO_LONG.source}`);

/** The longest that a state's calls take, with its retries. */
function longestOf({ TimeoutSeconds, Retry }: Json): number {
  const { MaxAttempts, IntervalSeconds, BackoffRate } = Retry.at(-1);
  const pauses = Array.from({ length: MaxAttempts }, (_, index) => IntervalSeconds * BackoffRate ** index);
  return TimeoutSeconds * (MaxAttempts + 1) + pauses.reduce((sum, one) => sum + one, 0);
}

/**
 * From CloudFormation's request to its answer, when everything takes as long as it may: by the resources that are made.
 */
function longestAnswer(benchmark: StorageBenchmark, states: Record<string, Json>): number {
  const children = benchmark.node.findAll();
  const run = children.find((node) => (node as CfnResource).cfnResourceType === 'Custom::SasGridBenchmark')!;
  const { DeadlineSeconds, ServiceTimeout } = stack.resolve((run as Json)._toCloudFormation()).Resources[
    stack.getLogicalId(run as CfnResource)
  ].Properties;
  expect(ServiceTimeout).toBe('3600');
  const gate = benchmark.node.findChild('Gate');
  const { timeout } = gate.node.defaultChild as CfnFunction;
  const { maximumEventAgeInSeconds } = gate.node
    .findAll()
    .find((node) => node instanceof CfnEventInvokeConfig) as CfnEventInvokeConfig;
  const end = ['Finish in time', 'Judge in time', 'Tell the verdict'].map((name) => longestOf(states[name]));
  const last = STOP_SECONDS + CLEAN_UP_SECONDS + end.reduce((sum, one) => sum + one, 0);
  // What the runner keeps of its time is enough for what comes after the tests.
  expect(last).toBeLessThanOrEqual(KEPT_SECONDS);
  expect(longestOf(states['Tell why not'])).toBeLessThanOrEqual(KEPT_SECONDS);
  expect(states.Prepare.Parameters.definition.hostsTimeoutSeconds).toBeLessThanOrEqual(
    DeadlineSeconds - KEPT_SECONDS,
  );
  return maximumEventAgeInSeconds! + timeout! + DeadlineSeconds;
}

test('whatever is valid makes a workflow for Step Functions, and commands for Systems Manager and the hosts', () => {
  let accepted = 0;
  fc.assert(
    fc.property(validProps, (props) => {
      let benchmark: StorageBenchmark;
      try {
        benchmark = make(props);
      } catch (error) {
        // Only together with how long it takes, or without anything that is judged, is a gate wrong.
        expect({ gate: props.gateDeployment, message: (error as Error).message }).toEqual({
          gate: true,
          message: expect.stringMatching(
            new RegExp(`${NOT_IN_AN_HOUR.source}|tests, with gateDeployment, is`),
          ),
        });
        return;
      }
      accepted += 1;
      const { text, startAt, states } = workflowOf(benchmark);
      expect(text.length).toBeLessThan(MAX_DEFINITION);
      expect(JSON.stringify(states.Prepare.Parameters).length).toBeLessThan(MAX_PAYLOAD);
      expect(unreachable(startAt, states)).toEqual([]);
      expect(wrongParameters(states.Prepare.Parameters.definition)).toEqual([]);
    }),
    { numRuns: 12 },
  );
  expect(accepted).toBeGreaterThan(4);
  const template = Template.fromStack(stack);
  template.resourceCountIs('AWS::StepFunctions::StateMachine', accepted);
});

test('a deployment that waits is answered within the hour, or is refused with what keeps it from that', () => {
  fc.assert(
    fc.property(validProps, fc.integer({ min: 1, max: 60 }), (props, minutes) => {
      const build = () =>
        make({
          ...props,
          // Of the others nothing may be judged.
          paths: [MeasuredPath.temporary('/judged'), ...props.paths],
          tests: [...(props.tests ?? []), StorageTest.sasIo()],
          // How long it takes is not known at synthesis, so that nothing is refused for that.
          hosts: BenchmarkHosts.tagged('role', 'node'),
          storageServers: BenchmarkHosts.tagged('role', 'server'),
          runAfterDeployment: true,
          gateDeployment: true,
          hostsTimeout: Duration.minutes(minutes),
        });
      if (minutes * 60 > TESTS_SECONDS) {
        expect(build).toThrow(NOT_IN_AN_HOUR);
        return;
      }
      const benchmark = build();
      const { states } = workflowOf(benchmark);
      expect(longestAnswer(benchmark, states)).toBeLessThanOrEqual(CLOUDFORMATION_WAITS - MARGIN);
    }),
    { numRuns: 12 },
  );
});

test('the largest that is taken fits, and what is larger is refused', () => {
  const own = testStack();
  const directories = Array.from({ length: 20 }, (_, index) => `/${String(index).padStart(199, 'd')}`);
  const devices = [{ count: 8, type: 'gp3', sizeGiB: 16_384, iops: 16_000, throughputMiBps: 1000 }];
  const storage = { kind: 'lustre', servers: 100, serverType: 'm6in.8xlarge', devices, provisionedMBps: 1e6 };
  const props = (tests: number): StorageBenchmarkProps => ({
    hosts: BenchmarkHosts.tagged('role', 'node'),
    paths: directories.map((directory) => MeasuredPath.shared(directory, { storage })),
    tests: Array.from({ length: tests }, () => StorageTest.fio()),
  });
  const { text, states } = workflowOf(new StorageBenchmark(own, 'Benchmark', props(5)));
  expect(states.Prepare.Parameters.definition.tests).toHaveLength(100);
  expect(text.length).toBeLessThan(MAX_DEFINITION);
  expect(JSON.stringify(states.Prepare.Parameters).length).toBeLessThan(MAX_PAYLOAD / 2);
  // AWS CloudFormation quotas: a template body in S3.
  expect(JSON.stringify(Template.fromStack(own).toJSON()).length).toBeLessThan(500_000);
  // One document cleans up after all of them.
  expect(directories.join(',').length).toBeLessThan(PARAMETERS['clean-up'].Directories.maxChars);
  expect(() => make(props(6))).toThrow(
    /The number of tests, each on its paths, is 120; allowed: 1 to 100\. /,
  );
});

test.each([
  { gated: false, deploymentWaits: false },
  { gated: true, deploymentWaits: false },
  { gated: true, deploymentWaits: true },
])('each way through ends in the clean-up and with the judge; %j', ({ gated, deploymentWaits }) => {
  const when = gated ? { runAfterDeployment: true, gateDeployment: deploymentWaits } : {};
  const { startAt, states } = workflowOf(
    make({
      hosts: BenchmarkHosts.tagged('role', 'node'),
      paths: [MeasuredPath.shared('/sasdata')],
      ...when,
    }),
  );
  const outcome = fc.constantFrom('ended', 'running', 'wait', 'started', 'error', 'over');
  const way = fc.record({
    prepare: fc.constantFrom('ready', 'ready', 'ready', 'waiting', 'error'),
    steps: fc.integer({ min: 1, max: 6 }),
    cleanUps: fc.integer({ min: 1, max: 2 }),
    outcomes: fc.array(outcome, { maxLength: 40 }),
    finish: fc.constantFrom('ok', 'ok', 'ok', 'error'),
    verdict: fc.constantFrom('passed', 'failed', 'incomplete', 'error'),
    waits: fc.boolean(),
  });
  fc.assert(
    fc.property(way, ({ prepare, steps, cleanUps, outcomes, finish, verdict, waits }) => {
      const cleanUpStep = Math.max(0, steps - cleanUps);
      const left = [...outcomes];
      let prepares = 0;
      const ok = (result: Json): Answer => ({ result });
      const failed: Answer = { error: 'Error' };
      const answers: Record<string, (call: Call) => Answer> = {
        Prepare: () => {
          prepares += 1;
          if (prepare === 'error') return failed;
          const outcome = prepare === 'waiting' && prepares < 3 ? 'waiting' : 'ready';
          return ok({ outcome, waitSeconds: 10, runId: 'r', steps, cleanUpStep });
        },
        // Whatever was to happen has happened, in the end.
        Start: ({ step }) => progress(left.shift() ?? 'started', step! < cleanUpStep),
        Check: () => progress(left.shift() ?? 'ended'),
        Finish: () => (finish === 'error' ? failed : ok({ runKey: 'k' })),
        Judge: () =>
          verdict === 'error'
            ? failed
            : ok({ verdict, reasons: [], problems: [], resultKey: 'r', reportKey: 'h' }),
      };
      // Only a test can have no time left.
      const progress = (what: string, mayBeOver = false): Answer => {
        const outcome = what === 'over' && !mayBeOver ? 'ended' : what;
        return what === 'error' ? failed : ok({ outcome, waitSeconds: 1 });
      };
      const input = waits ? { answer: {} } : {};
      const answer = (call: Call): Answer => answers[call.state.replace(/ in time$/, '')]?.(call) ?? ok({});
      const { end, calls } = walk(states, startAt, input, answer);

      const begun = calls.filter(({ state }) => state === 'Start').map(({ step }) => step!);
      expect(begun).toEqual([...begun].sort((a, b) => a - b));
      const inTime = deploymentWaits && waits;
      expect(calls.some(({ state }) => state.endsWith(' in time'))).toBe(inTime && prepare !== 'error');
      const names = calls.map(({ state }) => state.replace(/ in time$/, ''));
      if (prepare === 'error') {
        expect(begun).toEqual([]);
      } else {
        for (let step = cleanUpStep; step < steps; step++) expect(begun).toContain(step);
        expect(names.filter((name) => ['Finish', 'Judge'].includes(name))).toEqual(
          finish === 'error' ? ['Finish'] : ['Finish', 'Judge'],
        );
        expect(names.indexOf('Finish')).toBeGreaterThan(names.lastIndexOf('Check'));
      }
      const judged = prepare !== 'error' && finish === 'ok' && verdict !== 'error';
      const ends: Record<string, string> = { passed: 'Passed', failed: 'Failed', incomplete: 'Incomplete' };
      expect(end).toBe(judged ? ends[verdict] : 'Not done');
      const told = names.filter((name) => name.startsWith('Tell'));
      expect(told).toEqual(gated && waits ? [judged ? 'Tell the verdict' : 'Tell why not'] : []);
    }),
    { numRuns: 300 },
  );
});

describe('what is not valid', () => {
  const NO_NUMBER = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 1.5, -1, 0, 1e12);
  const path = (props: object) => ({ paths: [MeasuredPath.shared('/sasdata', props)], tests: undefined });
  const testOf = (made: () => StorageTest) => ({ tests: [made()] });
  const text = (fits: RegExp) =>
    fc
      .oneof(fc.string({ maxLength: 12 }), fc.constantFrom('', ' ', "a'b", '$(x)', '/a/../b', 'a b'))
      .filter((one) => !fits.test(one));
  const DIRECTORY = /^(\/[A-Za-z0-9_][A-Za-z0-9._-]*)+$/;

  /** Each makes one thing wrong, when it is asked, as a user's code does. */
  const wrong: fc.Arbitrary<() => Partial<StorageBenchmarkProps>> = fc.oneof(
    ...Object.entries(NUMBERS).flatMap(([name, numbers]) =>
      Object.entries(numbers).map(([key, [min, max]]) =>
        fc.oneof(NO_NUMBER, fc.constantFrom(min - 1, max + 1)).map((value) => () => {
          const props = { acceptRiskForDataOnTargets: true, [key]: value };
          return testOf(() => (StorageTest as Json)[name](props));
        }),
      ),
    ),
    ...['writeMBpsPerCore', 'readMBpsPerCore', 'keepFreePercent'].map((key) =>
      NO_NUMBER.map((value) => () => path({ [key]: value })),
    ),
    ...['count', 'sizeGiB', 'iops', 'throughputMiBps'].map((key) =>
      NO_NUMBER.map((value) => () => {
        const devices = [{ count: 1, type: 'gp3', [key]: value }];
        return path({ storage: { kind: 'nfs', devices } });
      }),
    ),
    fc
      .constantFrom(Number.NaN, 1.5, -1, 1001)
      .map((servers) => () => path({ storage: { kind: 'nfs', servers } })),
    fc
      .constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 0, -1)
      .map((provisionedMBps) => () => path({ storage: { kind: 'efs', provisionedMBps } })),
    text(/^[a-z_][a-z0-9_-]{0,31}$/).map((user) => () => path({ user })),
    text(DIRECTORY).map((directory) => () => ({
      paths: [MeasuredPath.temporary(directory)],
      tests: undefined,
    })),
    text(DIRECTORY).map((directory) => () => testOf(() => StorageTest.sasIo({ directories: [directory] }))),
    text(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/).map((benchmarkName) => () => ({ benchmarkName })),
    fc
      .constantFrom(Number.NaN, 1.5, -1, 100_001)
      .map((value) => () => ({ busyGuard: { throughputMBps: value } })),
    fc
      .constantFrom(Number.NaN, 1.5, 0, 101)
      .map((value) => () => ({ busyGuard: { processorPercent: value } })),
    fc.constantFrom(0, 59, 90, 3660).map((value) => () => ({ hostsTimeout: Duration.seconds(value) })),
    fc.constantFrom(0, 23, 36, 24 * 36_501).map((value) => () => ({ keepResults: Duration.hours(value) })),
    fc
      .constantFrom(0, 59, 90, 48 * 3600 + 60)
      .map((value) => () => testOf(() => StorageTest.rawDevice({ timeout: Duration.seconds(value) }))),
    fc.constantFrom<() => Partial<StorageBenchmarkProps>>(
      () => ({ paths: [], tests: undefined }),
      () => ({
        paths: Array.from({ length: 21 }, (_, index) => MeasuredPath.shared(`/${index}`)),
        tests: undefined,
      }),
      () => ({ paths: [MeasuredPath.shared('/a'), MeasuredPath.temporary('/a')], tests: undefined }),
      () => ({ tests: [] }),
      () => ({ tests: Array.from({ length: 21 }, () => StorageTest.rawDevice()) }),
      () => testOf(() => StorageTest.fio({ jobs: [] })),
      () => testOf(() => StorageTest.sasIo({ directories: [] })),
      () => testOf(() => StorageTest.lustreServer({ acceptRiskForDataOnTargets: false })),
      () => ({
        ...testOf(() => StorageTest.lustreServer({ acceptRiskForDataOnTargets: true })),
        storageServers: undefined,
      }),
      () => ({ runAfterDeployment: undefined, gateDeployment: true }),
    ),
  );

  test('is refused with its value, what is allowed and what to do', () => {
    const before = stack.node.children.length;
    fc.assert(
      fc.property(validProps, wrong, (props, change) => {
        const build = () => make({ ...props, ...change() });
        expect(build).toThrow(/ is .*; allowed: .+\. .+/s);
        expect(build).toThrow(expect.objectContaining({ name: 'InvalidInputError' }));
      }),
      { numRuns: 300 },
    );
    expect(stack.node.children).toHaveLength(before);
  });
});
