import type { Figure, Limit } from '../../shared/benchmark/result';
import { limitWords, numberText, plainText, rateText } from '../../shared/benchmark/words';
import { roundEnd } from '../../shared/chart/axes';
import { type RowChart, rowChart } from '../../shared/chart/row-chart';
import { mark } from '../../shared/chart/symbols';
import { figureOf } from '../../shared/report/figure';
import type { Html } from '../../shared/report/html';
import { nameOf, type Shown } from './shown';

/** Where a chart cannot be seen. */
const TABLE = 'The table below has the numbers.';

const inRows = (chart: Omit<RowChart, 'number'>, alternative: string): Html =>
  figureOf((size) => rowChart({ ...chart, number: plainText }, size), alternative);

/** MB/s per core of each figure, with a mark for what was wanted. */
export function perCoreChart(figures: readonly Shown[]): Html {
  const chart: Omit<RowChart, 'number'> = {
    rows: figures.map((figure) => ({
      name: nameOf(figure),
      value:
        figure.wanted === undefined
          ? numberText(figure.MBpsPerCore)
          : `${numberText(figure.MBpsPerCore)} (wanted ${plainText(figure.wanted)})`,
    })),
    end: roundEnd(Math.max(0, ...figures.flatMap(({ MBpsPerCore, wanted = 0 }) => [MBpsPerCore, wanted]))),
    unit: 'MB/s per core',
    marks: (rows) =>
      figures.flatMap((figure, row) => [
        rows.bar(row, 0, figure.MBpsPerCore, colourOf(figure)),
        ...(figure.wanted === undefined ? [] : [rows.tick(row, figure.wanted)]),
      ]),
  };
  return inRows(
    chart,
    `Bars of the MB/s per physical core of ${figures.length} figures, with a mark for what was wanted. ${TABLE}`,
  );
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
  const chart: Omit<RowChart, 'number'> = {
    rows: phases.map(({ name }, index) => ({
      name,
      value: `${numberText(Math.min(...rates[index]!))} to ${numberText(Math.max(...rates[index]!))}`,
    })),
    end: roundEnd(Math.max(0, ...rates.flat())),
    unit: 'MB/s of a host',
    marks: (rows) =>
      rates.flatMap((values, row) => [
        ...values.map((value, host) => {
          const at = rows.place(row, value, aside(host, values.length, rows.thickness));
          const size = rows.thickness * (values.length > 32 ? 0.4 : 0.75);
          return mark(...at, { symbol: 'circle', size, fill: 'var(--bar)', opacity: 0.55 });
        }),
        rows.tick(row, median(values)),
      ]),
  };
  return inRows(chart, `A dot for the MB/s of each host, in a row for each figure. ${TABLE}`);
}

/**
 * Many dots are beside the middle of their row, so that they can be told apart. The same hosts make the same picture.
 */
function aside(host: number, hosts: number, thickness: number): number {
  return hosts > 8 ? (((host * 0.618) % 1) - 0.5) * (thickness + 4) : 0;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/**
 * A limit so many times above what was measured is out of reach: its bar ends at the edge, or the others could not be
 * told apart.
 */
const FAR = 3;

/** What each limit allows, with a line at what was measured. */
export function limitsChart({ MBps, limits, bound }: Figure): Html {
  const sorted = [...limits].sort((a, b) => a.MBps - b.MBps);
  const near = Math.max(MBps, sorted[0]?.MBps ?? 0) * FAR;
  const end = roundEnd(Math.min(near, Math.max(MBps, ...sorted.map((limit) => limit.MBps))));
  const isBound = (limit: Limit) => limit.kind === bound?.kind && limit.MBps === bound.MBps;
  const chart: Omit<RowChart, 'number'> = {
    rows: sorted.map((limit) => ({
      name: `${limitWords(limit.kind)}${isBound(limit) ? ' (this one was hit)' : ''}`,
      value: `${rateText(limit.MBps)}${limit.MBps > end ? ' »' : ''}`,
    })),
    end,
    unit: 'MB/s',
    marks: (rows) =>
      sorted.map((limit, row) =>
        rows.bar(row, 0, Math.min(limit.MBps, end), isBound(limit) ? 'var(--bar)' : 'var(--other)'),
      ),
    line: { at: MBps, text: `measured: ${rateText(MBps)}` },
  };
  return inRows(
    chart,
    `Bars of what each limit allows, and a line at the measured ${rateText(MBps)}. ${TABLE}`,
  );
}
