import { mbpsText, thousands } from '../../../constructs/sizing/plan';
import { roundEnd } from '../../../lambda/shared/chart/axes';
import { INK } from '../../../lambda/shared/chart/drawing';
import { type RowChart, rowChart } from '../../../lambda/shared/chart/row-chart';
import { WANTED } from './cost-chart';
import { Picture } from './picture';
import type { LimitRow } from './rows';

/** What each limit lets through, and which one decides. */
export class LimitsChart {
  private readonly picture = new Picture('limits-chart');

  show(rows: readonly LimitRow[], wantedMBps: number): void {
    const chart: RowChart = {
      // Not by colour alone: the one that decides says so.
      rows: rows.map(({ name, mbps, binds }) => ({
        name: `${name}${binds ? ' (decides)' : ''}`,
        value: mbpsText(mbps),
      })),
      end: roundEnd(Math.max(wantedMBps, ...rows.map(({ mbps }) => mbps))),
      unit: 'MB/s',
      number: thousands,
      marks: (drawn) =>
        rows.map(({ mbps, binds }, row) => drawn.bar(row, 0, mbps, binds ? INK.bar : INK.other)),
      line: { at: wantedMBps, text: `wanted: ${mbpsText(wantedMBps)}`, ink: WANTED },
    };
    this.picture.show((size) => rowChart(chart, size), describe(rows, wantedMBps));
  }
}

function describe(rows: readonly LimitRow[], wantedMBps: number): string {
  const bars = rows.map(
    ({ name, mbps, binds }) => `${name}: ${mbpsText(mbps)}${binds ? ', which decides' : ''}`,
  );
  return `Limits on the way to the data; ${mbpsText(wantedMBps)} are wanted. ${bars.join('. ')}.`;
}
