import { JUDGED_TESTS } from '../../../constructs/private/benchmark-definition';
import { WANTED_MBPS_PER_CORE } from '../../../constructs/sizing/data/published-results';
import type { MeasuredPath, PathUse, PlannedTest } from '../../shared/benchmark/plan';

/** What a path has to reach for its use, MB/s per physical core: the least that the papers want (002; 004 for io2). */
export function defaultThreshold(use: PathUse): number {
  return WANTED_MBPS_PER_CORE[use].least;
}

/**
 * The phases whose figures are judged: sequential and not a repetition. For rewriting, rereading and mixed work the
 * papers want no figure.
 */
const JUDGED: { readonly [phase: string]: 'writeMBpsPerCore' | 'readMBpsPerCore' } = {
  write: 'writeMBpsPerCore',
  'write-random-data': 'writeMBpsPerCore',
  read: 'readMBpsPerCore',
  'read-random-data': 'readMBpsPerCore',
};

/** What a phase of a test has to reach; undefined when it is not judged. */
export function wantedOf(plan: PlannedTest, phase: string): number | undefined {
  const name = JUDGED_TESTS.includes(plan.test) ? JUDGED[phase] : undefined;
  return name && plan.path?.[name];
}

/** The phases that a test has to measure, since they are judged. */
export function judgedPhases(plan: PlannedTest): string[] {
  const phases = Object.keys(JUDGED).filter((phase) => wantedOf(plan, phase) !== undefined);
  const { Data, Jobs } = plan.parameters;
  if (plan.test === 'sas-io') {
    const random = (phase: string) => phase.endsWith('-random-data');
    if (Data === 'both') return phases;
    return phases.filter((phase) => random(phase) === (Data === 'random'));
  }
  if (plan.test === 'fio' && Jobs !== undefined && !Jobs.split(',').includes('sequential')) return [];
  return phases.filter((phase) => !phase.endsWith('-random-data'));
}

/** A note on a figure that passes, and is less than what makes the papers content. */
export function belowComfortable(path: MeasuredPath, MBpsPerCore: number): string | undefined {
  const { comfortable } = WANTED_MBPS_PER_CORE[path.use];
  if (MBpsPerCore >= comfortable) return undefined;
  return `The papers want up to ${comfortable} MB/s per core for this use.`;
}
