import type { HistoryEntry } from '../../shared/benchmark/result';
import { type Drawing, figureOf } from '../../shared/report/chart';
import type { Html } from '../../shared/report/html';
import { scaleEnd } from './rows';

/** Lines that one chart shows: more cannot be told apart. */
export const MOST_LINES = 6;

/** Lines differ not only in colour: some people, and many printers, see none. */
const SYMBOLS = ['circle', 'rect', 'triangle'];
const DOTTED = [2, 3];

/** A run, with what is shown of it. */
export interface Run extends HistoryEntry {
  readonly values: Record<string, number>;
  /** Whether it measured what this run measures. */
  readonly alike: boolean;
}

export interface Line {
  readonly key: string;
  readonly name: string;
}

interface Size {
  readonly width: number;
  readonly font: number;
  readonly dates: number;
}

const WIDE: Size = { width: 1000, font: 14, dates: 7 };
const NARROW: Size = { width: 300, font: 12, dates: 3 };

export function historyChart(
  title: string,
  runs: readonly Run[],
  lines: readonly Line[],
  wanted: readonly number[],
): Html {
  const drawing = (size: Size) => draw(runs, lines, wanted, size);
  const alternative = `Lines of ${title}, over ${runs.length} runs. The table below has the numbers.`;
  return figureOf(drawing(WIDE), drawing(NARROW), alternative);
}

function draw(
  runs: readonly Run[],
  lines: readonly Line[],
  wanted: readonly number[],
  { width, font, dates }: Size,
): Drawing {
  const text = { fontSize: font, fontFamily: 'inherit' };
  const legendRows = rowsOfLegend(lines, width, font);
  const values = runs.flatMap((run) => lines.map(({ key }) => run.values[key] ?? 0));
  const top = legendRows * (font + 12) + 10;
  return {
    width,
    height: top + (width === WIDE.width ? 250 : 200) + 34,
    option: {
      legend: {
        data: lines.map(({ name }) => name),
        left: 0,
        top: 0,
        selectedMode: false,
        itemWidth: 22,
        itemGap: 14,
        textStyle: { ...text, color: 'var(--text)' },
      },
      grid: { left: font * 3.4, right: 12, top, bottom: 34, outerBoundsMode: 'none' },
      xAxis: {
        type: 'category',
        data: datesOf(runs),
        axisTick: { show: false },
        axisLine: { lineStyle: { color: 'var(--line)' } },
        axisLabel: {
          ...text,
          color: 'var(--muted)',
          interval: Math.max(0, Math.ceil(runs.length / dates) - 1),
          alignMinLabel: 'left',
          alignMaxLabel: 'right',
        },
      },
      yAxis: {
        type: 'value',
        min: 0,
        max: scaleEnd(Math.max(0, ...values, ...wanted)),
        splitNumber: 5,
        axisLabel: { ...text, color: 'var(--muted)' },
        splitLine: { lineStyle: { color: 'var(--line)' } },
      },
      series: lines.map((line, index) => series(line, index, runs, index === 0 ? wanted : [])),
    },
  };
}

function series({ key, name }: Line, index: number, runs: readonly Run[], wanted: readonly number[]) {
  const color = `var(--line-${index + 1})`;
  const usual = runs.length > 25 ? 4 : 7;
  return {
    type: 'line',
    name,
    silent: true,
    symbol: SYMBOLS[index % SYMBOLS.length],
    symbolSize: usual,
    showAllSymbol: true,
    connectNulls: false,
    lineStyle: { color, width: 2, type: index < SYMBOLS.length ? 'solid' : DOTTED },
    itemStyle: { color },
    data: runs.map(({ values, verdict, alike }) => {
      const opacity = alike ? 1 : 0.35;
      const value = values[key] ?? null;
      if (verdict === 'failed')
        return {
          value,
          symbol: 'diamond',
          symbolSize: usual + 6,
          itemStyle: { color: 'var(--bad-fill)', opacity },
        };
      if (verdict === 'incomplete') {
        const itemStyle = { color: 'var(--card)', borderColor: color, borderWidth: 1.5, opacity };
        return { value, symbol: 'diamond', symbolSize: usual + 4, itemStyle };
      }
      return { value, itemStyle: { color, opacity } };
    }),
    markLine: {
      silent: true,
      symbol: 'none',
      animation: false,
      label: { show: false },
      lineStyle: { color: 'var(--text)', width: 1.5, type: 'dashed' },
      data: wanted.map((value) => ({ yAxis: value })),
    },
  };
}

/** Day and month; with the time where several runs are of one day. */
function datesOf(runs: readonly Run[]): string[] {
  const times = runs.map(({ startedAt }) => {
    const time = Date.parse(startedAt);
    return Number.isNaN(time) ? startedAt : new Date(time).toISOString();
  });
  const days = times.map((time) => time.slice(5, 10));
  const several = new Set(days).size < days.length;
  return times.map((time, index) => (several ? `${days[index]} ${time.slice(11, 16)}` : days[index]!));
}

/** echarts breaks a legend into rows, and does not say into how many. */
function rowsOfLegend(lines: readonly Line[], width: number, font: number): number {
  let rows = 1;
  let used = 0;
  for (const { name } of lines) {
    const own = 22 + 8 + 14 + name.length * font * 0.62;
    if (used > 0 && used + own > width) {
      rows += 1;
      used = 0;
    }
    used += own;
  }
  return rows;
}
