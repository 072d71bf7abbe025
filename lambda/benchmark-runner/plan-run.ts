import { createHash } from 'node:crypto';
import { COMMAND_SECONDS } from '../../constructs/facts/services';
import type { BenchmarkDefinition } from '../../constructs/private/benchmark-definition';
import { estimateRun } from '../../constructs/sizing';
import type { Estimate, PlannedTest, RunRecord, TestName } from '../shared/benchmark/plan';
import { chosenMachines, nothingToMeasure, type ObservedMachines } from './chosen-machines';
import { deadlineOf } from './deadline';
import { named } from './named';
import { type PlacedTest, placedTests, testToEstimate } from './placed-tests';
import type { RunRequest } from './request';
import { documentOf, stepsOf } from './run-steps';
import type { Step } from './steps';

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

/** `20261122T101500Z-4f1c`: the same for each call of an execution. */
export function runIdOf(execution: string, startedAtMs: number): string {
  const time = new Date(startedAtMs).toISOString().replace(/[-:]|\.\d+/g, '');
  return `${time}-${createHash('sha256').update(execution).digest('hex').slice(0, 4)}`;
}

/** Everything that a run will do. */
export function planRun(
  definition: BenchmarkDefinition,
  request: RunRequest,
  observed: ObservedMachines,
  circumstances: Circumstances,
): PlannedRun {
  const chosen = chosenMachines(observed, request.hosts);
  const placed = placedTests(definition, request, chosen, observed);
  const problems = placed
    .filter(({ leftOut }) => leftOut !== undefined)
    .map(({ test, leftOut }) => `${test.id} is left out: ${leftOut}.`);
  if (problems.length === placed.length) throw nothingToMeasure(chosen, observed.online, problems);

  const machines = new Map([...chosen.hosts, ...chosen.servers].map((one) => [one.instanceId, one]));
  const estimate = estimateRun(placed.map((test) => testToEstimate(test, machines)));
  const tests = placed.map((test, index) => {
    const longest = Math.max(0, ...estimate.tests[index]!.waveSeconds);
    return { ...test, planned: plannedTest(definition, test, longest) };
  });
  const used = [...machines.values()].filter(({ instanceId }) =>
    placed.some(({ waves }) => waves.some(({ hosts }) => hosts.includes(instanceId))),
  );
  const silent = used.filter(({ instanceId }) => !observed.online.has(instanceId));
  const deadline = deadlineOf(request, circumstances, estimate.seconds, silent);
  const { runId, startedAt, notRepresentative } = circumstances;
  const run: RunRecord = {
    format: 1,
    runId,
    benchmark: definition.benchmark,
    packageVersion: definition.packageVersion,
    startedAt: new Date(startedAt).toISOString(),
    cause: request.cause,
    hosts: named(used),
    tests: tests.map(({ planned }) => planned),
    estimate: recordedEstimate(estimate),
    ...(notRepresentative && { notRepresentative }),
    outcomes: {},
    ...(problems.length > 0 && { problems }),
  };
  const frame = { definition, runId, deadline, gated: request.deadlineSeconds !== undefined };
  const usedIds = used.map(({ instanceId }) => instanceId);
  return { run, steps: stepsOf(frame, tests, usedIds) };
}

/** @param longest seconds that its longest wave is expected to take */
function plannedTest(
  definition: BenchmarkDefinition,
  { test, waves, parameters }: PlacedTest,
  longest: number,
): PlannedTest {
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
}

/**
 * How long a test may take on one wave. The test of Lustre servers has a time of its own, after which it removes what
 * it wrote.
 */
function timeoutOf(test: string, parameters: Record<string, string>, expected: number): number {
  const own = test === 'lustre-server' ? Number(parameters.Seconds) || 0 : 0;
  return Math.min(MOST_SECONDS, Math.max(TIMES_THE_ESTIMATE * expected, own) + LEAST_SECONDS);
}

/** Without the seconds of each wave. */
const recordedEstimate = ({ seconds, bytesWritten, costUSD, items }: Estimate): Estimate => ({
  seconds,
  bytesWritten,
  costUSD,
  items,
});
