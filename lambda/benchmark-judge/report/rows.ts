import { plainText } from '../../shared/benchmark/words';
import { type Drawing, figureOf } from '../../shared/report/chart';
import type { Html } from '../../shared/report/html';

/** Charts with a row for each thing that is compared, its name beside it on a wide page and above it on a narrow one. */

export interface Row {
  readonly name: string;
  /** The number of the row, in words: it stands at the end of the row. */
  readonly value: string;
}

/** A series of echarts: values on the horizontal axis, rows by their index on the vertical one. */
type Series = Record<string, unknown>;

export interface RowChart {
  readonly rows: readonly Row[];
  /** End of the axis, in the rows' unit. */
  readonly max: number;
  /** What is drawn; `bar` is how thick a bar is, in pixels. */
  readonly series: (bar: number) => Series[];
  /** Says what there is to see, for who cannot. */
  readonly alternative: string;
}

interface Size {
  readonly width: number;
  readonly font: number;
  readonly bar: number;
  /** Characters that fit into a line of a name. */
  readonly characters: number;
  /** Room for names and values at both sides; none where they stand above. */
  readonly sides?: { readonly names: number; readonly values: number };
}

/** Fonts run wider on one system than on another: the estimate of what fits is that of a wide one. */
const WIDE: Size = {
  width: 1000,
  font: 14,
  bar: 16,
  characters: 34,
  sides: { names: 310, values: 170 },
};
const NARROW: Size = { width: 300, font: 12, bar: 12, characters: 36 };

export function rowChart(chart: RowChart): Html {
  return figureOf(drawing(chart, WIDE), drawing(chart, NARROW), chart.alternative);
}

function drawing({ rows, max, series }: RowChart, size: Size): Drawing {
  const { width, font, bar, characters, sides } = size;
  const names = rows.map(({ name, value }) => wrap(sides ? name : `${name}: ${value}`, characters));
  const lines = Math.max(1, ...names.map((name) => name.length));
  const line = Math.ceil(font * 1.3);
  // Names above are in the upper half of a row, whose middle the bar is in.
  const row = sides ? Math.max(bar + 18, lines * line + 10) : 2 * (lines * line + bar / 2 + 4);
  const text = { fontSize: font, fontFamily: 'inherit', lineHeight: line };
  const rowAxis = { type: 'category', inverse: true, axisTick: { show: false }, axisLine: { show: false } };
  const ink = { ...text, color: 'var(--text)', interval: 0 };
  const left = {
    ...rowAxis,
    data: names.map((name) => name.join('\n')),
    z: 10,
    axisLine: { show: true, lineStyle: { color: 'var(--line)' } },
    axisLabel: sides
      ? ink
      : {
          ...ink,
          inside: true,
          margin: 0,
          verticalAlign: 'bottom',
          padding: [0, 0, bar / 2 + 2, 0],
          // Lines of the chart go through where the names stand.
          textBorderColor: 'var(--card)',
          textBorderWidth: 4,
        },
  };
  const right = { ...rowAxis, position: 'right', data: rows.map(({ value }) => value), axisLabel: ink };
  return {
    width,
    height: rows.length * row + 40,
    option: {
      grid: {
        left: sides?.names ?? 2,
        right: sides?.values ?? 8,
        top: 8,
        bottom: 32,
        outerBoundsMode: 'none',
      },
      xAxis: {
        type: 'value',
        min: 0,
        max,
        interval: max / (sides ? 5 : 3),
        axisLabel: {
          ...text,
          color: 'var(--muted)',
          formatter: (value: number) => plainText(value),
          alignMinLabel: 'left',
          alignMaxLabel: 'right',
        },
        splitLine: { lineStyle: { color: 'var(--line)' } },
      },
      yAxis: sides ? [left, right] : [left],
      series: series(bar),
    },
  };
}

/** The least round number that a scale may end with so that it divides into five and into three. */
export function scaleEnd(largest: number): number {
  if (!(largest > 0)) return 15;
  const unit = 10 ** Math.floor(Math.log10(largest / 15));
  for (const steps of [1, 2, 3, 4, 5, 6, 8, 10]) {
    if (steps * unit * 15 >= largest) return steps * unit * 15;
  }
  return unit * 150;
}

/** A name has this many lines at most. */
const MOST_LINES = 3;

/** Breaks a text at blanks and after slashes, and anywhere if there is no other way. */
export function wrap(text: string, characters: number): string[] {
  const parts = text.split(/(?<=[ /])/).flatMap((part) => pieces(part, characters));
  const lines: string[] = [''];
  for (const part of parts) {
    const last = lines.length - 1;
    if (`${lines[last]}${part.trimEnd()}`.length <= characters) lines[last] += part;
    else lines.push(part);
  }
  const trimmed = lines.map((line) => line.trim());
  if (trimmed.length <= MOST_LINES) return trimmed;
  const last = trimmed[MOST_LINES - 1]!;
  return [...trimmed.slice(0, MOST_LINES - 1), `${last.slice(0, characters - 1)}…`];
}

function pieces(part: string, characters: number): string[] {
  const cut: string[] = [];
  for (let rest = part; rest.length > 0; rest = rest.slice(characters)) cut.push(rest.slice(0, characters));
  return cut;
}

/** A thin mark across a row: a threshold, or a median. */
export function mark(data: readonly (readonly [number, number])[], bar: number, color = 'var(--text)') {
  return {
    type: 'scatter',
    silent: true,
    symbol: 'rect',
    symbolSize: [3, bar + 10],
    itemStyle: { color },
    z: 5,
    data,
  };
}
