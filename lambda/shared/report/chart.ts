import { createHash } from 'node:crypto';
import { BarChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridSimpleComponent, LegendPlainComponent, MarkLineComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { escapeHtml, Html } from './html';

// Only what the reports draw with: the whole library would double the size of a function.
use(
  [
    BarChart,
    LineChart,
    ScatterChart,
    GridSimpleComponent,
    LegendPlainComponent,
    MarkLineComponent,
    SVGRenderer,
  ].flat(),
);

/** A chart to draw: echarts' own options and the size in pixels. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly option: EChartsCoreOption;
}

/** The chart as SVG. Colours may be the page's own (`var(--text)`), so that dark mode works. */
export function draw({ width, height, option }: Drawing): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption({ animation: false, ...option });
    return tidied(chart.renderToSVGString());
  } finally {
    chart.dispose(); // it keeps the process alive otherwise
  }
}

/**
 * Without what only serves pointing at things: a style element, and attributes for a program on the page, a fifth of the text. Names get
 * the same each time, whatever was drawn before; two drawings share one only when they are the same.
 */
function tidied(svg: string): string {
  const bare = svg
    .replace(/<style[\s\S]*?<\/style>/g, '')
    .replace(/ (?:ecmeta_\w+|class)="[^"]*"/g, '')
    .replace(/(id="|url\(#)zr\d+-/g, '$1-');
  const name = createHash('sha256').update(bare).digest('hex').slice(0, 12);
  return bare.replace(/(id="|url\(#)-/g, `$1c${name}-`);
}

/**
 * The same chart in two widths: the page shows the one that fits, so that text stays readable on a telephone. `alternative` says what
 * there is to see; a screen reader reads it in place of the drawing.
 */
export function figureOf(wide: Drawing, narrow: Drawing, alternative?: string): Html {
  const role = alternative === undefined ? '' : ` role="img" aria-label="${escapeHtml(alternative)}"`;
  const inWidth = (drawing: Drawing, name: string) =>
    `<div class="chart ${name}"${role}>${draw(drawing)}</div>`;
  return new Html(inWidth(wide, 'wide') + inWidth(narrow, 'narrow'));
}
