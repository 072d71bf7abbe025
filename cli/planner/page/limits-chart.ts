import { mbpsText, thousands } from '../../../constructs/sizing/plan';
import { Chart, wantedLine } from './charts';
import { byId } from './dom';
import type { LimitRow } from './rows';
import { colours } from './theme';

const HEIGHT_OF_BAR = 46;
const HEIGHT_OF_AXES = 62;

/** What each limit lets through, and which one decides. */
export class LimitsChart {
  private readonly chart: Chart<'bar', number[], string[]>;
  private wantedMBps = 0;

  constructor() {
    this.chart = new Chart<'bar', number[], string[]>(byId<HTMLCanvasElement>('limits-chart'), {
      type: 'bar',
      data: { labels: [], datasets: [] },
      options: {
        indexAxis: 'y',
        layout: { padding: { top: 16, right: 12 } },
        plugins: { tooltip: { callbacks: { label: ({ raw }) => mbpsText(raw as number) } } },
      },
      plugins: [
        wantedLine(
          () => this.wantedMBps,
          (mbps) => `wanted: ${mbpsText(mbps)}`,
        ),
      ],
    });
  }

  show(rows: readonly LimitRow[], wantedMBps: number): void {
    this.wantedMBps = wantedMBps;
    const palette = colours();
    // Not by colour alone: the one that decides says so.
    this.chart.data.labels = rows.map(({ name, binds }) => [...lines(name), ...(binds ? ['(decides)'] : [])]);
    this.chart.data.datasets = [
      {
        data: rows.map(({ mbps }) => mbps),
        backgroundColor: rows.map(({ binds }) => (binds ? palette.accent : palette.others)),
        barPercentage: 0.8,
        categoryPercentage: 0.9,
      },
    ];
    const most = Math.max(wantedMBps, ...rows.map(({ mbps }) => mbps));
    this.chart.options.scales = {
      x: {
        min: 0,
        suggestedMax: most,
        title: { display: true, text: 'MB/s', color: palette.text },
        grid: { color: palette.grid },
        ticks: { color: palette.text, maxTicksLimit: 6, callback: (value) => thousands(Number(value)) },
      },
      y: { grid: { display: false }, ticks: { color: palette.text, autoSkip: false } },
    };
    this.chart.update('none');
    const height = `${HEIGHT_OF_AXES + HEIGHT_OF_BAR * rows.length}px`;
    byId('limits-box').style.setProperty('--chart-height', height);
    byId('limits-chart').setAttribute('aria-label', describe(rows, wantedMBps));
  }
}

/** Labels in lines, so that a narrow screen has room for bars beside them. */
function lines(name: string): string[] {
  return name.split(/ (?=of |that |and |bandwidth)/);
}

function describe(rows: readonly LimitRow[], wantedMBps: number): string {
  const bars = rows.map(
    ({ name, mbps, binds }) => `${name}: ${mbpsText(mbps)}${binds ? ', which decides' : ''}`,
  );
  return `Limits on the way to the data; ${mbpsText(wantedMBps)} are wanted. ${bars.join('. ')}.`;
}
