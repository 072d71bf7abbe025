import { CLEAN_UP_SECONDS, STOP_SECONDS } from '../../constructs/private/benchmark-deadline';
import {
  type BenchmarkDefinition,
  type DefinedDocument,
  outputsPrefix,
} from '../../constructs/private/benchmark-definition';
import type { PlannedTest } from '../shared/benchmark/plan';
import { type CleanUp, cleanUpsOf } from './clean-ups';
import { LONGEST_RUN_SECONDS } from './deadline';
import { paceOf } from './pace';
import type { PlacedTest } from './placed-tests';
import { BenchmarkRefused } from './refusal';
import type { Step } from './steps';

/** A test as it is put on its hosts and as the record has it. */
export interface ScheduledTest extends PlacedTest {
  readonly planned: PlannedTest;
}

/** What all steps of a run have to know of it. */
export interface RunFrame {
  readonly definition: BenchmarkDefinition;
  readonly runId: string;
  /** When the tests have to have ended, milliseconds since 1970. */
  readonly deadline: number;
  /** Whether CloudFormation waits for the end, and only for so long. */
  readonly gated: boolean;
}

const INSTALL_SECONDS = 900;

/** Cleaning up has all the time that it needs, unless CloudFormation waits. */
const PATIENT_CLEAN_UP_SECONDS = 900;

/**
 * The tools are installed, the tests run, and what they left is removed.
 *
 * @param used ids of all machines that run a test
 */
export function stepsOf(run: RunFrame, tests: readonly ScheduledTest[], used: readonly string[]): Step[] {
  return withPauses([
    ...installSteps(run, tests, used),
    ...tests.flatMap((test) => testSteps(run, test)),
    ...cleanUpSteps(run, cleanUpsOf(tests.map(({ planned }) => planned))),
  ]);
}

function installSteps(run: RunFrame, tests: readonly ScheduledTest[], used: readonly string[]): Step[] {
  const tools = run.definition.tools.join(',');
  // No test of the storage servers needs a tool that their system has not: nothing is installed there.
  const hosts = used.filter((id) =>
    tests.some(({ test, waves }) => test.on === 'hosts' && waves.some((wave) => wave.hosts.includes(id))),
  );
  if (!tools || hosts.length === 0) return [];
  const step = stepOf(run, 'install', {
    id: 'install',
    kind: 'install',
    parameters: { Tools: tools },
    hosts,
    timeoutSeconds: INSTALL_SECONDS,
  });
  return [{ ...step, ...endOf(run) }];
}

/** One step for each wave. */
function testSteps(run: RunFrame, { planned, waves }: ScheduledTest): Step[] {
  const { id, test, timeoutSeconds } = planned;
  return waves.map(({ hosts, parameters }, number) => {
    const step = stepOf(run, test, {
      id: `${id}-${number}`,
      kind: 'test',
      testId: id,
      parameters: { ...planned.parameters, ...parameters },
      hosts,
      timeoutSeconds,
    });
    return { ...step, ...endOf(run) };
  });
}

function cleanUpSteps(run: RunFrame, cleanUps: readonly CleanUp[]): Step[] {
  return cleanUps.map(({ user, directories, hosts }, index) => {
    const step = stepOf(run, 'clean-up', {
      id: index === 0 ? 'clean-up' : `clean-up-${index + 1}`,
      kind: 'clean-up',
      // All hosts' files: one that was lost removes none of its own.
      parameters: { User: user, Directories: directories.join(','), All: 'yes' },
      hosts,
      timeoutSeconds: run.gated ? CLEAN_UP_SECONDS : PATIENT_CLEAN_UP_SECONDS,
    });
    if (!run.gated) return step;
    // Each has its part of the time, so that the first of them cannot keep the others from being sent.
    const seconds = STOP_SECONDS + (CLEAN_UP_SECONDS * (index + 1)) / Math.max(1, cleanUps.length);
    return { ...step, giveUpAt: run.deadline + 1000 * seconds };
  });
}

/** When an installation and a test have to have ended. */
const endOf = ({ deadline, gated }: RunFrame): Pick<Step, 'deadline' | 'giveUpAt'> =>
  gated ? { deadline, giveUpAt: deadline + 1000 * STOP_SECONDS } : { deadline };

type StepDraft = Pick<Step, 'id' | 'kind' | 'testId' | 'parameters' | 'hosts' | 'timeoutSeconds'>;

/**
 * A step that sends a document, with the parameters that every document has.
 *
 * @param document its logical name
 */
function stepOf({ definition, runId }: RunFrame, document: string, draft: StepDraft): Step {
  const { id, kind, testId, hosts, timeoutSeconds } = draft;
  const { name, parameters } = documentOf(definition, document);
  const ownId = testId ?? id;
  return {
    ...draft,
    outputs: outputsPrefix(runId, ownId),
    document: name,
    parameters: valuesOfKnown(parameters, {
      ...draft.parameters,
      RunId: runId,
      TestId: ownId,
      StartAt: '0',
      TimeoutSeconds: String(timeoutSeconds),
    }),
    together: kind === 'test' && hosts.length > 1,
  };
}

export function documentOf(definition: BenchmarkDefinition, logicalName: string): DefinedDocument {
  const document = definition.documents[logicalName];
  if (!document)
    throw new BenchmarkRefused(`there is no document for ${logicalName}; deploy the benchmark again`);
  return document;
}

/** Systems Manager refuses a parameter that a document does not have. */
const valuesOfKnown = (names: readonly string[], values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

/** The steps, with pauses that are as long as an execution needs them to be. */
function withPauses(steps: Step[]): Step[] {
  const pace = paceOf(
    steps.map(({ timeoutSeconds }) => timeoutSeconds),
    LONGEST_RUN_SECONDS,
  );
  if (pace === undefined) {
    throw new BenchmarkRefused(
      `the run has ${steps.length} steps, one after the other, which are more than one execution of Step Functions ` +
        'can follow. Choose fewer hosts or tests, or all hosts at the same time.',
    );
  }
  return pace === 1 ? steps : steps.map((step) => ({ ...step, pace }));
}
