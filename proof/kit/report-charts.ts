import { roundEnd } from '../../lambda/shared/chart/axes';
import { INK } from '../../lambda/shared/chart/drawing';
import { type RowChart, rowChart } from '../../lambda/shared/chart/row-chart';
import { figureOf } from '../../lambda/shared/report/figure';
import type { Html } from '../../lambda/shared/report/html';
import type { Step } from './recovery';

/** A step that took no time is still to be seen. */
const LEAST = 3;

/** A bar per step of a recovery, from its start to its end. */
export function timeline(steps: readonly Step[], total: number): Html {
  const chart: RowChart = {
    rows: steps.map(({ name, seconds }) => ({ name, value: `${seconds.toFixed(1)} s` })),
    end: roundEnd(Math.max(1, total, ...steps.map(({ end }) => end))),
    unit: 'seconds',
    number: String,
    marks: (rows) => steps.map(({ start, end }, row) => rows.bar(row, start, end, INK.bar, LEAST)),
  };
  const told = steps.map(
    ({ name, start, seconds }) => `${name}: after ${start.toFixed(1)} s, for ${seconds.toFixed(1)} s`,
  );
  return figureOf((size) => rowChart(chart, size), `Bars of what took how long. ${told.join('. ')}.`);
}
