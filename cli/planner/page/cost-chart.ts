import {
  type CurvePoint,
  type Design,
  mbpsText,
  short,
  thousands,
  usdText,
} from '../../../constructs/sizing/plan';
import {
  axisBelow,
  axisLeft,
  heightOfAxis,
  lineAt,
  logarithmic,
  type Plot,
  roomAbove,
  widthOfAxis,
} from '../../../lambda/shared/chart/axes';
import { at, type Drawing, INK, type Size } from '../../../lambda/shared/chart/drawing';
import { type Mark, mark, path } from '../../../lambda/shared/chart/symbols';
import { type Html, html } from '../../../lambda/shared/report/html';
import { Picture } from './picture';

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

export const WANTED = 'var(--wanted)';

/** Cost against throughput: the designs for the wish, and for parts and multiples of it the lowest price of any. */
export class CostChart {
  private readonly picture: Picture;

  /** @param choose called with the id of a design whose point was clicked; with a keyboard the table does the same */
  constructor(choose: (id: string) => void) {
    this.picture = new Picture('cost-chart', choose);
  }

  show(shown: CostPicture): void {
    const points = shown.designs.filter(hasPoint).map(pointOf);
    this.picture.show((size) => draw(shown, points, size), describe(shown, points));
  }
}

function draw(shown: CostPicture, designs: readonly Point[], { width, font }: Size): Drawing {
  const { curve, chosen, wantedMBps } = shown;
  const own = curve.points.filter(({ id }) => id === chosen).map(pointOfCurve);
  const frontier = curve.frontier.map(pointOfCurve);
  const all = [...designs, ...own, ...frontier];
  const x = logarithmic(all.map((point) => point.x));
  const y = logarithmic(all.map((point) => point.y));
  const [below, left] = [
    { font, text: thousands, unit: 'MB/s, reads and writes in turns' },
    { font, text: usdText, unit: 'USD a month' },
  ];
  const height = 24 * font;
  const plot: Plot = {
    left: widthOfAxis(y, left),
    right: width - 8,
    top: roomAbove(font),
    bottom: height - heightOfAxis(font),
    width,
  };
  x.range([plot.left, plot.right]);
  y.range([plot.bottom, plot.top]);
  const place = (point: Point): [number, number] => [x(point.x), y(point.y)];
  const marked = (points: readonly Point[], markOf: (point: Point) => Mark) =>
    points.map((point) => pointed(point, place(point), mark(...place(point), markOf(point))));
  const small = (fill: string): Mark => ({ symbol: 'circle', size: 5, fill });
  return {
    width,
    height,
    content: [
      ...axisBelow(x, plot, below),
      ...axisLeft(y, plot, left),
      // Up to the throughput of a point one pays its price.
      path(frontier.map(place), { stroke: INK.text, width: 1.5, steps: true }),
      path(own.map(place), { stroke: INK.bar, width: 1.5, dashes: '3 3' }),
      ...lineAt(x(wantedMBps), `wanted: ${mbpsText(wantedMBps)}`, plot, font, WANTED),
      ...marked(frontier, () => small(INK.text)),
      ...marked(own, () => small(INK.bar)),
      ...marked(inFront(designs, shown), ({ id }) => markOfDesign(id, shown)),
    ],
  };
}

/** What a pointer says of a point, and chooses with it: also a little beside it. */
function pointed({ id, text }: Point, [x, y]: [number, number], drawn: Html): Html {
  const around = html`<circle class="around" cx="${at(x)}" cy="${at(y)}" r="10"/>`;
  return html`<g class="point" data-id="${id}" data-tip="${text}">${around}${drawn}</g>`;
}

function markOfDesign(id: string, { chosen, cheapest }: CostPicture): Mark {
  if (id === chosen) return { symbol: 'diamond', size: 14, fill: INK.bar, stroke: INK.card };
  if (id === cheapest) return { symbol: 'triangle', size: 11, fill: WANTED, stroke: INK.card };
  return { symbol: 'circle', size: 8, fill: INK.other, stroke: INK.card };
}

/** What is looked at comes last, and lies on top. */
function inFront(designs: readonly Point[], { chosen, cheapest }: CostPicture): Point[] {
  const rank = ({ id }: Point) => (id === chosen ? 2 : id === cheapest ? 1 : 0);
  return [...designs].sort((a, b) => rank(a) - rank(b));
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
  return (
    `Cost against throughput; ${mbpsText(wantedMBps)} are wanted. ${cheapestFirst.join('. ')}. The table of ` +
    'designs says the same.'
  );
}
