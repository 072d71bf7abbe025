import type { Figure, Limit } from '../../shared/benchmark/result';
import { limitWords, numberText, plainText, rateText } from '../../shared/benchmark/words';
import type { Html } from '../../shared/report/html';
import { mark, rowChart, scaleEnd } from './rows';
import { nameOf, type Shown } from './shown';

/** MB/s per core of each figure, with a mark for what was wanted. */
export function perCoreChart(figures: readonly Shown[]): Html {
  const largest = Math.max(0, ...figures.flatMap(({ MBpsPerCore, wanted = 0 }) => [MBpsPerCore, wanted]));
  const marks = figures.flatMap(({ wanted }, index) =>
    wanted === undefined ? [] : [[wanted, index] as const],
  );
  return rowChart({
    rows: figures.map((figure) => ({
      name: nameOf(figure),
      value:
        figure.wanted === undefined
          ? numberText(figure.MBpsPerCore)
          : `${numberText(figure.MBpsPerCore)} (wanted ${plainText(figure.wanted)})`,
    })),
    max: scaleEnd(largest),
    alternative: `Bars of the MB/s per physical core of ${figures.length} figures, with a mark for what was wanted. The table below has the numbers.`,
    series: (bar) => [
      {
        type: 'bar',
        silent: true,
        barWidth: bar,
        data: figures.map((figure) => ({
          value: figure.MBpsPerCore,
          itemStyle: { color: colourOf(figure), borderRadius: 2 },
        })),
      },
      mark(marks, bar),
    ],
  });
}

function colourOf({ wanted, passed }: Figure): string {
  if (wanted === undefined) return 'var(--other)';
  if (passed === undefined) return 'var(--warn-fill)';
  return passed ? 'var(--good-fill)' : 'var(--bad-fill)';
}

/** MB/s of each host in one kind of I/O, by instance id. */
export interface HostRates {
  readonly name: string;
  readonly perHost: Readonly<Record<string, number>>;
}

/** How far hosts are apart: a dot for each host, a mark for the one in the middle. */
export function hostsChart(phases: readonly HostRates[]): Html {
  const rates = phases.map(({ perHost }) => Object.values(perHost));
  return rowChart({
    rows: phases.map(({ name }, index) => ({
      name,
      value: `${numberText(Math.min(...rates[index]!))} to ${numberText(Math.max(...rates[index]!))}`,
    })),
    max: scaleEnd(Math.max(0, ...rates.flat())),
    alternative:
      'A dot for the MB/s of each host, in a row for each figure. The table below has the numbers.',
    series: (bar) => [
      {
        type: 'scatter',
        silent: true,
        itemStyle: { color: 'var(--bar)', opacity: 0.55 },
        data: rates.flatMap((values, index) =>
          values.map((value, host) => dot(value, index, host, values.length, bar)),
        ),
      },
      mark(
        rates.map((values, index) => [median(values), index] as const),
        bar,
      ),
    ],
  });
}

/** Many dots are small, and beside the middle of their row, so that they can be told apart. The same hosts make the same picture. */
function dot(value: number, row: number, host: number, hosts: number, bar: number) {
  const aside = hosts > 8 ? ((host * 0.618) % 1) - 0.5 : 0;
  return {
    value: [value, row],
    symbolSize: hosts > 32 ? bar * 0.4 : bar * 0.75,
    symbolOffset: [0, Math.round(aside * (bar + 4))],
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** A limit so many times above what was measured is out of reach: its bar ends at the edge, or the others could not be told apart. */
const FAR = 3;

/** What each limit allows, with a line at what was measured. */
export function limitsChart({ MBps, limits, bound }: Figure): Html {
  const sorted = [...limits].sort((a, b) => a.MBps - b.MBps);
  const near = Math.max(MBps, sorted[0]?.MBps ?? 0) * FAR;
  const max = scaleEnd(Math.min(near, Math.max(MBps, ...sorted.map((limit) => limit.MBps))));
  const isBound = (limit: Limit) => limit.kind === bound?.kind && limit.MBps === bound.MBps;
  return rowChart({
    rows: sorted.map((limit) => ({
      name: `${limitWords(limit.kind)}${isBound(limit) ? ' (this one was hit)' : ''}`,
      value: `${rateText(limit.MBps)}${limit.MBps > max ? ' »' : ''}`,
    })),
    max,
    alternative: `Bars of what each limit allows, and a line at the measured ${rateText(MBps)}. The table below has the numbers.`,
    series: (bar) => [
      {
        type: 'bar',
        silent: true,
        barWidth: bar,
        data: sorted.map((limit) => ({
          value: Math.min(limit.MBps, max),
          itemStyle: { color: isBound(limit) ? 'var(--bar)' : 'var(--other)', borderRadius: 2 },
        })),
        markLine: {
          silent: true,
          symbol: 'none',
          animation: false,
          label: { show: false },
          lineStyle: { color: 'var(--text)', width: 2, type: 'dashed' },
          data: [{ xAxis: MBps }],
        },
      },
    ],
  });
}
