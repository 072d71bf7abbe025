import {
  type CurvePoint,
  type Design,
  mbpsText,
  short,
  thousands,
  usdText,
} from '../../../constructs/sizing/plan';
import { Chart, wantedLine } from './charts';
import { byId } from './dom';
import { colours } from './theme';

interface Point {
  readonly x: number;
  readonly y: number;
  readonly id: string;
  readonly text: string;
}

/** What the chart shows. */
export interface CostPicture {
  readonly designs: readonly Design[];
  readonly curve: { readonly points: readonly CurvePoint[]; readonly frontier: readonly CurvePoint[] };
  readonly cheapest?: string;
  readonly chosen?: string;
  readonly wantedMBps: number;
}

/** Cost against throughput: the designs for the wish, and for parts and multiples of it the lowest price of any. */
export class CostChart {
  private readonly chart: Chart<'scatter', Point[]>;
  private picture?: CostPicture;

  /** @param choose called with the id of a design whose point was clicked; with a keyboard the table does the same */
  constructor(choose: (id: string) => void) {
    this.chart = new Chart<'scatter', Point[]>(byId<HTMLCanvasElement>('cost-chart'), {
      type: 'scatter',
      data: { datasets: [] },
      options: {
        layout: { padding: { top: 16 } },
        onClick: (_event, [first]) => {
          const point = first && this.chart.data.datasets[first.datasetIndex]?.data[first.index];
          if (point) choose(point.id);
        },
        plugins: { tooltip: { callbacks: { label: ({ raw }) => (raw as Point).text } } },
      },
      plugins: [
        wantedLine(
          () => this.picture?.wantedMBps ?? 0,
          (mbps) => `wanted: ${mbpsText(mbps)}`,
        ),
      ],
    });
  }

  show(picture: CostPicture): void {
    this.picture = picture;
    const { designs, curve, cheapest, chosen } = picture;
    const palette = colours();
    const points = designs.filter(hasPoint).map(pointOf);
    const pick = <T>(cases: { chosen: T; cheapest: T; other: T }) =>
      points.map(({ id }) => (id === chosen ? cases.chosen : id === cheapest ? cases.cheapest : cases.other));
    this.chart.data.datasets = [
      {
        label: 'designs',
        data: points,
        pointRadius: pick({ chosen: 8, cheapest: 6, other: 4 }),
        pointHoverRadius: 9,
        pointStyle: pick({ chosen: 'rectRot', cheapest: 'triangle', other: 'circle' }),
        backgroundColor: pick({ chosen: palette.accent, cheapest: palette.wanted, other: palette.others }),
        borderColor: palette.background,
      },
      {
        label: 'this design',
        data: curve.points.filter(({ id }) => id === chosen).map(pointOfCurve),
        showLine: true,
        borderColor: palette.accent,
        borderWidth: 1.5,
        borderDash: [3, 3],
        pointRadius: 2,
        pointBackgroundColor: palette.accent,
      },
      {
        label: 'frontier',
        data: curve.frontier.map(pointOfCurve),
        showLine: true,
        // Up to the throughput of a point one pays its price.
        stepped: 'after',
        borderColor: palette.text,
        borderWidth: 1.5,
        pointRadius: 2,
        pointBackgroundColor: palette.text,
      },
    ];
    this.chart.options.scales = {
      x: axis('MB/s, reads and writes in turns', (value) => thousands(value)),
      y: axis('USD a month', (value) => usdText(value)),
    };
    this.chart.update('none');
    byId('cost-chart').setAttribute('aria-label', describe(picture, points));
  }
}

function axis(title: string, text: (value: number) => string) {
  const palette = colours();
  return {
    type: 'logarithmic' as const,
    title: { display: true, text: title, color: palette.text },
    grid: { color: palette.grid },
    ticks: {
      color: palette.text,
      maxRotation: 0,
      autoSkip: false,
      // The first digits 1, 2 and 5 only: with all of them the numbers would touch.
      callback: (value: number | string) => (isRound(Number(value)) ? text(Number(value)) : null),
    },
  };
}

function isRound(value: number): boolean {
  const digit = value / 10 ** Math.floor(Math.log10(value) + 1e-9);
  return [1, 2, 5].some((one) => Math.abs(digit - one) < 1e-6);
}

// A logarithmic scale has no zero.
function hasPoint({ feasible, cost, mixedMBps }: Design): boolean {
  return feasible && (cost?.usd ?? 0) > 0 && (mixedMBps ?? 0) > 0;
}

function pointOf({ id, title, mixedMBps, cost }: Design): Point {
  const text = `${title}: ${mbpsText(mixedMBps!)}, ${usdText(cost!.usd)} a month`;
  return { id, x: mixedMBps!, y: cost!.usd!, text };
}

function pointOfCurve({ id, title, mixedMBps, usd, sharedMBpsPerCore }: CurvePoint): Point {
  const wanted = `for ${short(sharedMBpsPerCore)} MB/s per core`;
  return {
    id,
    x: mixedMBps,
    y: usd,
    text: `${title}, ${wanted}: ${mbpsText(mixedMBps)}, ${usdText(usd)} a month`,
  };
}

function describe({ chosen, wantedMBps }: CostPicture, points: readonly Point[]): string {
  const cheapestFirst = [...points]
    .sort((a, b) => a.y - b.y)
    .map(({ id, text }) => `${text}${id === chosen ? ' (chosen)' : ''}`);
  return `Cost against throughput; ${mbpsText(wantedMBps)} are wanted. ${cheapestFirst.join('. ')}. The table of designs says the same.`;
}
