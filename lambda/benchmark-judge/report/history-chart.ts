import type { HistoryEntry } from '../../shared/benchmark/result';
import { plainText } from '../../shared/benchmark/words';
import {
  axisLeft,
  fromZero,
  type Plot,
  roomAbove,
  roundEnd,
  widthOfAxis,
  within,
} from '../../shared/chart/axes';
import { type Drawing, INK, label, rule, type Size, textWidth } from '../../shared/chart/drawing';
import { type Mark, mark, path, type SymbolName } from '../../shared/chart/symbols';
import { figureOf } from '../../shared/report/figure';
import type { Html } from '../../shared/report/html';

/** Lines that one chart shows: more cannot be told apart. */
export const MOST_LINES = 6;

/** Lines differ not only in colour: some people, and many printers, see none. */
const SYMBOLS: readonly SymbolName[] = ['circle', 'square', 'triangle'];
const DOTTED = '2 3';

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

/** Lines over runs, which are held against what is wanted. */
export interface History {
  readonly title: string;
  readonly unit: string;
  readonly runs: readonly Run[];
  readonly lines: readonly Line[];
  readonly wanted: readonly number[];
}

export function historyChart(history: History): Html {
  const alternative = `Lines of ${history.title}, over ${history.runs.length} runs. The table below has the numbers.`;
  return figureOf((size) => draw(history, size), alternative);
}

function draw({ runs, lines, wanted, unit }: History, { width, font }: Size): Drawing {
  const values = runs.flatMap((run) => lines.map(({ key }) => run.values[key] ?? 0));
  const y = fromZero(roundEnd(Math.max(0, ...values, ...wanted)));
  const { rows, content: legend } = legendOf(lines, width, font);
  const top = rows * (font + 10) + roomAbove(font);
  const axis = { font, text: plainText, unit };
  const plot: Plot = {
    left: widthOfAxis(y, axis),
    right: width - 8,
    top,
    bottom: top + (width > 600 ? 250 : 200),
    width,
  };
  y.range([plot.bottom, plot.top]);
  const x = (run: number) => plot.left + ((run + 0.5) * (plot.right - plot.left)) / runs.length;
  return {
    width,
    height: plot.bottom + 2 * font + 12,
    content: [
      ...legend,
      ...axisLeft(y, plot, axis),
      ...dates(runs, x, plot, font),
      ...wanted.map((value) =>
        rule([plot.left, y(value)], [plot.right, y(value)], INK.text, { width: 1.5, dashed: true }),
      ),
      ...lines.flatMap(({ key }, index) => {
        const at = ({ values }: Run, run: number): [number, number] | undefined =>
          values[key] === undefined ? undefined : [x(run), y(values[key])];
        const points = runs.map(at);
        return [
          path(points, { stroke: inkOf(index), dashes: dashesOf(index) }),
          ...points.flatMap((point, run) =>
            point ? [mark(...point, markOf(runs[run]!, index, runs.length))] : [],
          ),
        ];
      }),
    ],
  };
}

const inkOf = (line: number) => `var(--line-${line + 1})`;
const dashesOf = (line: number) => (line < SYMBOLS.length ? undefined : DOTTED);

function markOf({ verdict, alike }: Run, line: number, runs: number): Mark {
  const usual = runs > 25 ? 4 : 7;
  const opacity = alike ? 1 : 0.35;
  if (verdict === 'failed') return { symbol: 'diamond', size: usual + 5, fill: 'var(--bad-fill)', opacity };
  if (verdict === 'incomplete')
    return { symbol: 'diamond', size: usual + 3, fill: INK.card, stroke: inkOf(line), opacity };
  return { symbol: SYMBOLS[line % SYMBOLS.length]!, size: usual, fill: inkOf(line), opacity };
}

/** A piece of each line with its name, in as many rows as they need. */
function legendOf(lines: readonly Line[], width: number, font: number): { rows: number; content: Html[] } {
  const [piece, gap] = [24, 16];
  const content: Html[] = [];
  let [row, x] = [0, 0];
  for (const [index, { name }] of lines.entries()) {
    const own = piece + 6 + textWidth(name, font);
    if (x > 0 && x + own > width) [row, x] = [row + 1, 0];
    const y = row * (font + 10) + font;
    const middle = y - font * 0.36;
    const stroke = inkOf(index);
    content.push(
      path(
        [
          [x, middle],
          [x + piece, middle],
        ],
        { stroke, dashes: dashesOf(index) },
      ),
      mark(x + piece / 2, middle, { symbol: SYMBOLS[index % SYMBOLS.length]!, size: 7, fill: stroke }),
      label(name, { x: x + piece + 6, y, font }),
    );
    x += own + gap;
  }
  return { rows: row + 1, content };
}

/** The line below, with the day of some runs. */
function dates(
  runs: readonly Run[],
  x: (run: number) => number,
  { left, right, bottom }: Plot,
  font: number,
): Html[] {
  const texts = datesOf(runs);
  const room = textWidth(texts[0] ?? '', font);
  const every = Math.max(1, Math.ceil((runs.length * (room + font)) / (right - left)));
  const shown = texts.flatMap((text, run) => {
    if (run % every !== 0) return [];
    const middle = within(x(run), text, font, [left, right]);
    return [label(text, { x: middle, y: bottom + font + 8, font, fill: INK.muted, anchor: 'middle' })];
  });
  return [rule([left, bottom], [right, bottom], INK.line), ...shown];
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
