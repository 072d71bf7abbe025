import { type Drawing, type Size, svg } from '../chart/drawing';
import { type Html, html } from './html';

const WIDE: Size = { width: 1000, font: 14 };
const NARROW: Size = { width: 300, font: 12 };

/**
 * The same chart in two widths: the page shows the one that fits, so that text stays readable on a telephone.
 * `alternative` says what there is to see; a screen reader reads it in place of the drawing.
 */
export function figureOf(draw: (size: Size) => Drawing, alternative: string): Html {
  const inWidth = (size: Size, name: string) =>
    html`<div class="chart ${name}" role="img" aria-label="${alternative}">${svg(draw(size))}</div>`;
  return html`${inWidth(WIDE, 'wide')}${inWidth(NARROW, 'narrow')}`;
}
