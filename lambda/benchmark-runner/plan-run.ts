import { createHash } from 'node:crypto';
import { COMMAND_SECONDS } from '../../constructs/facts/services';
import { CLEAN_UP_SECONDS, STOP_SECONDS } from '../../constructs/private/benchmark-deadline';
import { type BenchmarkDefinition, outputsPrefix } from '../../constructs/private/benchmark-definition';
import { type EstimatedHost, type EstimatedTest, estimatedHost, estimateRun } from '../../constructs/sizing';
import type { Estimate, PlannedTest, RunRecord, TestName } from '../shared/benchmark/plan';
import { cleanUpsOf } from './clean-ups';
import { deadlineOf, LONGEST_RUN_SECONDS } from './deadline';
import { named, namesOf } from './named';
import { paceOf } from './pace';
import type { Instance } from './ports';
import { BenchmarkRefused } from './refusal';
import { chosenTests, type RunRequest, refused } from './request';
import type { Step } from './steps';
import { parametersOf, wavesOf } from './waves';

/** The machines that a run can use, as they are now. */
export interface Machines {
  readonly hosts: Instance[];
  readonly servers: Instance[];
  /** Those that can be sent something. */
  readonly online: ReadonlySet<string>;
}

/** What is known when a run begins. */
export interface Circumstances {
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly now: number;
  readonly notRepresentative?: string;
}

/** A run, and its steps. */
export interface PlannedRun {
  readonly run: RunRecord;
  readonly steps: Step[];
}

/** The slowest storage that a test still ends on: a third of what is wanted, and time to begin and to end. */
const TIMES_THE_ESTIMATE = 3;
const LEAST_SECONDS = 600;

/** The longest that a program of Run Command may run. */
const MOST_SECONDS = COMMAND_SECONDS.value;

const INSTALL_SECONDS = 900;

/** Cleaning up has all the time that it needs, unless CloudFormation waits. */
const PATIENT_CLEAN_UP_SECONDS = 900;

/** `20261122T101500Z-4f1c`: the same for each call of an execution. */
export function runIdOf(execution: string, startedAtMs: number): string {
  const time = new Date(startedAtMs).toISOString().replace(/[-:]|\.\d+/g, '');
  return `${time}-${createHash('sha256').update(execution).digest('hex').slice(0, 4)}`;
}

/** Everything that a run will do. */
export function planRun(
  definition: BenchmarkDefinition,
  request: RunRequest,
  machines: Machines,
  circumstances: Circumstances,
): PlannedRun {
  const chosen = chosenHosts(machines, request.hosts);
  const tests = chosenTests(definition.tests, request.tests).map((test) => {
    const place = test.on === 'servers' ? chosen.servers : chosen.hosts;
    const found = wavesOf(test, place, machines.online, request.parallel ?? definition.parallel);
    return { test, ...found, parameters: parametersOf(test, request.sizes) };
  });
  const problems = tests
    .filter(({ leftOut }) => leftOut !== undefined)
    .map(({ test, leftOut }) => `${test.id} is left out: ${leftOut}.`);
  if (problems.length === tests.length) throw nothing(chosen, machines.online, problems);

  const machine = new Map([...chosen.hosts, ...chosen.servers].map((one) => [one.instanceId, one]));
  const estimated = tests.map(
    ({ test, waves, parameters }): EstimatedTest => ({
      id: test.id,
      test: test.test,
      path: test.path,
      parameters: { ...parameters, ...waves[0]?.parameters },
      waves: waves.map(({ hosts }) => hosts.map((id) => estimatedOf(machine.get(id)))),
    }),
  );
  const estimate = estimateRun(estimated);
  const planned = tests.map(({ test, waves, parameters }, index): PlannedTest => {
    const longest = Math.max(0, ...estimate.tests[index]!.waveSeconds);
    return {
      id: test.id,
      test: test.test as TestName,
      path: test.path,
      document: documentOf(definition, test.test).name,
      // What is the same in all waves; the judge looks for the hosts' addresses.
      parameters: waves.length === 1 ? { ...parameters, ...waves[0]!.parameters } : parameters,
      waves: waves.map(({ hosts }) => hosts),
      timeoutSeconds: test.timeoutSeconds ?? timeoutOf(test.test, parameters, longest),
    };
  });
  const used = [...machine.values()].filter(({ instanceId }) =>
    planned.some(({ waves }) => waves.some((wave) => wave.includes(instanceId))),
  );
  const gated = request.deadlineSeconds !== undefined;
  const silent = used.filter(({ instanceId }) => !machines.online.has(instanceId));
  const deadline = deadlineOf(request, circumstances, estimate.seconds, silent);
  const ended = gated ? { deadline, giveUpAt: deadline + 1000 * STOP_SECONDS } : { deadline };
  const { runId, startedAt, notRepresentative } = circumstances;
  const run: RunRecord = {
    format: 1,
    runId,
    benchmark: definition.benchmark,
    packageVersion: definition.packageVersion,
    startedAt: new Date(startedAt).toISOString(),
    cause: request.cause,
    hosts: named(used),
    tests: planned,
    estimate: told(estimate),
    ...(notRepresentative && { notRepresentative }),
    outcomes: {},
    ...(problems.length > 0 && { problems }),
  };
  const waves = planned.flatMap((test, index) =>
    tests[index]!.waves.map((wave, number): Step => {
      const { parameters } = documentOf(definition, test.test);
      return {
        id: `${test.id}-${number}`,
        kind: 'test',
        testId: test.id,
        outputs: outputsPrefix(runId, test.id),
        document: test.document,
        parameters: only(parameters, {
          ...test.parameters,
          ...wave.parameters,
          RunId: runId,
          TestId: test.id,
          StartAt: '0',
          TimeoutSeconds: String(test.timeoutSeconds),
        }),
        hosts: wave.hosts,
        timeoutSeconds: test.timeoutSeconds,
        together: wave.hosts.length > 1,
        ...ended,
      };
    }),
  );
  const around = (
    id: string,
    kind: 'install' | 'clean-up',
    hosts: string[],
    given: Record<string, string>,
    seconds: number,
  ): Step => ({
    id,
    kind,
    outputs: outputsPrefix(runId, id),
    document: documentOf(definition, kind).name,
    parameters: only(documentOf(definition, kind).parameters, {
      ...given,
      RunId: runId,
      TestId: id,
      StartAt: '0',
      TimeoutSeconds: String(seconds),
    }),
    hosts,
    timeoutSeconds: seconds,
    together: false,
    ...(kind === 'install' && ended),
  });
  const cleanUpSeconds = gated ? CLEAN_UP_SECONDS : PATIENT_CLEAN_UP_SECONDS;
  const cleanUps = cleanUpsOf(planned);
  // No test of the storage servers needs a tool that their system has not: nothing is installed there.
  const withTools = used
    .map(({ instanceId }) => instanceId)
    .filter((id) =>
      tests.some(({ test, waves: of }) => test.on === 'hosts' && of.some(({ hosts }) => hosts.includes(id))),
    );
  const tools = definition.tools.join(',');
  const steps = [
    ...(tools && withTools.length > 0
      ? [around('install', 'install', withTools, { Tools: tools }, INSTALL_SECONDS)]
      : []),
    ...waves,
    ...cleanUps.map(({ user, directories, hosts }, index) => ({
      ...around(
        index === 0 ? 'clean-up' : `clean-up-${index + 1}`,
        'clean-up',
        hosts,
        // All hosts' files: one that was lost removes none of its own.
        { User: user, Directories: directories.join(','), All: 'yes' },
        cleanUpSeconds,
      ),
      // Each has its part of the time, so that the first of them cannot keep the others from being sent.
      ...(gated && {
        giveUpAt:
          deadline + 1000 * (STOP_SECONDS + (CLEAN_UP_SECONDS * (index + 1)) / Math.max(1, cleanUps.length)),
      }),
    })),
  ];
  return { run, steps: paced(steps) };
}

/** A machine for the estimate, with as many volumes as EC2 sees on it now. */
const estimatedOf = (machine: Instance | undefined): EstimatedHost =>
  estimatedHost(
    machine?.instanceType ?? '',
    machine?.volumes === undefined ? undefined : [{ count: machine.volumes }],
  );

/** How long a test may take on one wave. The test of Lustre servers has a time of its own, after which it removes what it wrote. */
function timeoutOf(test: string, parameters: Record<string, string>, expected: number): number {
  const own = test === 'lustre-server' ? Number(parameters.Seconds) || 0 : 0;
  return Math.min(MOST_SECONDS, Math.max(TIMES_THE_ESTIMATE * expected, own) + LEAST_SECONDS);
}

/** The steps, with pauses that are as long as an execution needs them to be. */
function paced(steps: Step[]): Step[] {
  const pace = paceOf(
    steps.map(({ timeoutSeconds }) => timeoutSeconds),
    LONGEST_RUN_SECONDS,
  );
  if (pace === undefined) {
    throw new BenchmarkRefused(
      `the run has ${steps.length} steps, one after the other, which are more than one execution of Step Functions can follow. Choose fewer hosts or tests, or all ` +
        'hosts at the same time.',
    );
  }
  return pace === 1 ? steps : steps.map((step) => ({ ...step, pace }));
}

/** The estimate as the record has it. */
const told = ({ seconds, bytesWritten, costUSD, items }: Estimate): Estimate => ({
  seconds,
  bytesWritten,
  costUSD,
  items,
});

function documentOf(
  definition: BenchmarkDefinition,
  logicalName: string,
): { name: string; parameters: readonly string[] } {
  const document = definition.documents[logicalName];
  if (!document)
    throw new BenchmarkRefused(`there is no document for ${logicalName}; deploy the benchmark again`);
  return document;
}

/** Systems Manager refuses a parameter that a document does not have. */
const only = (names: readonly string[], values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

function chosenHosts(
  { hosts, servers }: Machines,
  wanted: string[] | undefined,
): Pick<Machines, 'hosts' | 'servers'> {
  if (!wanted) return { hosts, servers };
  const is = (name: string) => (machine: Instance) => machine.instanceId === name || machine.name === name;
  const all = [...hosts, ...servers];
  const missing = wanted.find((name) => !all.some(is(name)));
  if (missing !== undefined) {
    const known = all.map(({ name, instanceId }) => name ?? instanceId).join(', ');
    throw refused(
      'hosts',
      missing,
      `hosts of the benchmark that run: ${known || 'none'}`,
      '["i-0123456789abcdef0"]',
    );
  }
  const chosen = (machine: Instance) => wanted.some((name) => is(name)(machine));
  return { hosts: hosts.filter(chosen), servers: servers.filter(chosen) };
}

function nothing(
  { hosts, servers }: Pick<Machines, 'hosts' | 'servers'>,
  online: ReadonlySet<string>,
  problems: string[],
): BenchmarkRefused {
  if ([...hosts, ...servers].some(({ instanceId }) => online.has(instanceId))) {
    return new BenchmarkRefused(`nothing can be measured: ${problems.join(' ')}`);
  }
  const running = [...hosts, ...servers];
  return new BenchmarkRefused(
    running.length === 0
      ? 'no host of the benchmark runs, so that nothing can be measured. Start the hosts, or look whether they have the tag that the benchmark looks for.'
      : `${running.length} host(s) run, and Systems Manager hears from none: ${namesOf(running)}. Look at their agents, their role and their way to Systems Manager.`,
  );
}
