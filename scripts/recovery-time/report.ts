import { seconds, type Terminal, table } from '../../cli/terminal';
import { PHASE_NAMES } from '../../lambda/shared/timeline';
import type { RecoveryTime, Times } from './read';

const PERCENTILES = [50, 90, 99] as const;

/** What many recoveries have in common. */
export interface Summary {
  readonly tier: string;
  readonly by: 'launch' | 'spare';
  /** `whole` or the name of a phase. */
  readonly what: string;
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly longest: number;
}

/** The value that so many percent of all values do not exceed (nearest rank); NaN of nothing. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

/**
 * Percentiles of the whole and of each phase, per tier, with launches and spares apart: they are not to be averaged.
 */
export function summaries(recoveries: readonly RecoveryTime[]): Summary[] {
  const tiers = [...new Set(recoveries.map(({ tier }) => tier))].sort();
  return tiers.flatMap((tier) =>
    (['launch', 'spare'] as const).flatMap((by) => {
      const mine = recoveries.filter((each) => each.tier === tier && each.bySpare === (by === 'spare'));
      return ['whole', ...PHASE_NAMES].flatMap((what): Summary[] => {
        const values = mine.flatMap((each) => timeOf(each, what) ?? []);
        if (values.length === 0) return [];
        const [p50, p90, p99] = PERCENTILES.map((percent) => percentile(values, percent));
        const common = { tier, by, what, count: values.length };
        return [{ ...common, p50: p50!, p90: p90!, p99: p99!, longest: Math.max(...values) }];
      });
    }),
  );
}

function timeOf(recovery: RecoveryTime, what: string): number | undefined {
  if (what === 'whole') return recovery.seconds;
  return recovery.phases.find(({ name }) => name === what)?.seconds;
}

/** All that the report has to say, for programs. */
export function json(times: Times): object {
  return { schemaVersion: 1, ...times, summaries: summaries(times.recoveries) };
}

/** Prints the report for people. */
export function report({ table: name, recoveries, underWay }: Times, terminal: Terminal): void {
  const number = recoveries.length;
  terminal.line(
    `${terminal.style(`${number} ${number === 1 ? 'recovery' : 'recoveries'}`, 'bold')} in ${name}`,
  );
  for (const { tier, slot, reached, at, reason } of underWay) {
    const why = reason ? `: ${reason}` : '';
    terminal.line(
      terminal.style(`  ${tier} ${slot} is being recovered: ${reached} at ${moment(at)}${why}`, 'yellow'),
    );
  }
  if (recoveries.length === 0) {
    terminal.line('  None has ended yet. Terminate a server to see one (docs/operations.md).');
    return;
  }
  terminal.line();
  const rows = recoveries.map((each) => [
    moment(each.completedAt),
    each.slot,
    String(each.epoch),
    each.owner,
    `${each.serverType ?? '-'}${each.byFallback ? '*' : ''}`,
    each.bySpare ? 'spare' : 'launch',
    seconds(each.seconds),
    ...PHASE_NAMES.map((phase) => short(timeOf(each, phase))),
  ]);
  const headers = ['Ended (UTC)', 'Slot', 'Epoch', 'Server', 'Type', 'By', 'Whole', ...PHASE_NAMES];
  const [head, line, ...lines] = table(headers, rows);
  terminal.line(`  ${terminal.style(head!, 'bold')}`);
  for (const each of [line!, ...lines]) terminal.line(`  ${each}`);
  terminal.line(`  Phases in seconds; '-' where an end of it is not known. --help says what each is.`);
  if (recoveries.some(({ byFallback }) => byFallback))
    terminal.line('  * another type than its tier, outside of the placement group, for want of capacity.');
  const all = summaries(recoveries);
  // Of a single one the line above says all.
  for (const { tier, by, count } of all.filter(({ what, count }) => what === 'whole' && count > 1)) {
    const cells = all
      .filter((each) => each.tier === tier && each.by === by)
      .map(({ what, p50, p90, p99, longest }) => [what, ...[p50, p90, p99, longest].map(short)]);
    terminal.heading(`  Tier ${tier} by ${by}: seconds of ${count}`);
    for (const each of table(['', 'p50', 'p90', 'p99', 'longest'], cells)) terminal.line(`  ${each}`);
  }
}

const moment = (at: string): string => at.replace('T', ' ').slice(0, 19);
const short = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(1));
