import type { MixedSummary } from '../../shared/benchmark/result';
import { readBlock } from '../parsers/records';
import { parseSteps, type StepTime } from '../parsers/time';
import type { ObservedTest } from './observed';

const SECONDS_PER_MINUTE = 60;

/**
 * The mixed workload as the papers' tables show it (001): times summed over all jobs, and mean, standard deviation and
 * range of the jobs' ratios of processor time to real time. The mean is that of the jobs, not the ratio of the sums: in
 * the papers 0.95, where the sums give 1.02. `gigabytes` is what the steps read and wrote; the papers' column of that
 * unit is the memory that was used.
 */
export function mixedSummary({ plan, hosts }: ObservedTest): MixedSummary | undefined {
  const steps = [...hosts.values()].flatMap(({ instanceId, records }) =>
    records.raw
      .filter(({ tool }) => tool === 'time')
      // Sums over some of the steps would look like a faster workload.
      .flatMap((block) => readBlock(block, parseSteps, true).value?.steps ?? [])
      .map((step) => ({ ...step, job: `${instanceId} ${step.job}` })),
  );
  if (steps.length === 0) return undefined;
  const ratios = [...groupBy(steps, ({ job }) => job).values()].flatMap((job) => ratioOf(job) ?? []);
  const mean = ratios.length > 0 ? sum(ratios) / ratios.length : 0;
  return {
    testId: plan.id,
    steps: [...groupBy(steps, ({ step, kind }) => `${kind} ${step}`).values()].map((group) => ({
      name: group[0]!.step,
      kind: group[0]!.kind,
      jobs: group.length,
      realSeconds: sum(group.map((one) => one.realSeconds)),
      userSeconds: sum(group.map((one) => one.userSeconds)),
      systemSeconds: sum(group.map((one) => one.systemSeconds)),
      ratio: ratioOf(group) ?? 0,
    })),
    realMinutes: sum(steps.map((one) => one.realSeconds)) / SECONDS_PER_MINUTE,
    userMinutes: sum(steps.map((one) => one.userSeconds)) / SECONDS_PER_MINUTE,
    systemMinutes: sum(steps.map((one) => one.systemSeconds)) / SECONDS_PER_MINUTE,
    gigabytes: sum(steps.map((one) => one.bytesRead + one.bytesWritten)) / 1e9,
    ratioMean: mean,
    ratioStandardDeviation: standardDeviation(ratios, mean),
    ratioRange: ratios.length > 0 ? Math.max(...ratios) - Math.min(...ratios) : 0,
  };
}

/** (user + system) / real; undefined where no time passed. */
function ratioOf(steps: readonly StepTime[]): number | undefined {
  const real = sum(steps.map((one) => one.realSeconds));
  return real > 0 ? sum(steps.map((one) => one.userSeconds + one.systemSeconds)) / real : undefined;
}

/** Of a sample, as SAS computes it unless told otherwise. */
function standardDeviation(values: readonly number[], mean: number): number {
  if (values.length < 2) return 0;
  return Math.sqrt(sum(values.map((value) => (value - mean) ** 2)) / (values.length - 1));
}

function groupBy<T>(values: readonly T[], key: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) groups.set(key(value), [...(groups.get(key(value)) ?? []), value]);
  return groups;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
