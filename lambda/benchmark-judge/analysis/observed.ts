import { instanceTypeFacts } from '../../../constructs/sizing/instance-types';
import type { HostFacts } from '../../shared/benchmark/observations';
import type { HostOutcome, PlannedTest, RunRecord } from '../../shared/benchmark/plan';
import type { MeasuredHost } from '../../shared/benchmark/result';
import { ofKind, parseRecords, type Records } from '../parsers/records';

/** What one host said in one test, and how it ended there. */
export interface HostOutput {
  readonly instanceId: string;
  readonly outcome?: HostOutcome;
  readonly records: Records;
  /** Why it cannot be taken for whole: undefined when it can. */
  readonly problem?: string;
}

/** A test with what its hosts said. */
export interface ObservedTest {
  readonly plan: PlannedTest;
  readonly hosts: ReadonlyMap<string, HostOutput>;
}

/** A run with all outputs read. */
export interface ObservedRun {
  readonly record: RunRecord;
  readonly tests: ObservedTest[];
  readonly hosts: MeasuredHost[];
  /** Physical cores of a host; 0 where nobody knows. */
  readonly cores: (instanceId: string) => number;
}

/** Outputs of a run by test and instance id. */
export type Outputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Reads all outputs of a run. */
export function observe(record: RunRecord, outputs: Outputs): ObservedRun {
  const tests = record.tests.map((plan) => ({ plan, hosts: hostsOf(plan, record, outputs) }));
  const facts = new Map<string, HostFacts>();
  for (const { hosts } of tests)
    for (const { instanceId, records } of hosts.values())
      for (const said of ofKind(records, 'host')) facts.set(instanceId, said);
  const hosts = record.hosts.map((host) => measuredHost(host, facts.get(host.instanceId)));
  const cores = new Map(hosts.map((host) => [host.instanceId, coresOf(host)]));
  return { record, tests, hosts, cores: (instanceId) => cores.get(instanceId) ?? 0 };
}

function hostsOf(plan: PlannedTest, record: RunRecord, outputs: Outputs): Map<string, HostOutput> {
  const outcomes = new Map(
    (record.outcomes[plan.id] ?? []).map((outcome) => [outcome.instanceId, outcome] as const),
  );
  const found = new Map<string, HostOutput>();
  for (const instanceId of new Set(plan.waves.flat())) {
    const outcome = outcomes.get(instanceId);
    const output = outputs[plan.id]?.[instanceId] ?? outcome?.output ?? '';
    const records = parseRecords(output);
    found.set(instanceId, { instanceId, outcome, records, problem: problemOf(outcome, records, output) });
  }
  return found;
}

function problemOf(outcome: HostOutcome | undefined, records: Records, output: string): string | undefined {
  const refused = ofKind(records, 'refused')[0];
  if (refused) return `refused: ${refused.text}`;
  if (!outcome) return 'there is no word of how it ended';
  if (outcome.status !== 'done') return outcome.reason ?? outcome.status;
  // With a reason: the output is there, and could not be read.
  if (output.trim() === '') return outcome.reason ?? 'it left no output';
  if (!records.done) return 'its output is not whole';
  return undefined;
}

function measuredHost(host: RunRecord['hosts'][number], said: HostFacts | undefined): MeasuredHost {
  if (!said) return host;
  const { physicalCores, logicalCpus, memoryMiB, architecture, kernel, system } = said;
  return { ...host, physicalCores, logicalCpus, memoryMiB, architecture, kernel, system };
}

/** As the host counted them; those of its type where it said nothing. */
function coresOf(host: MeasuredHost): number {
  return host.physicalCores || instanceTypeFacts(host.instanceType)?.cores || 0;
}
