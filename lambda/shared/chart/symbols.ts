import {
  curveStepBefore,
  line,
  symbol,
  symbolCircle,
  symbolDiamond2,
  symbolSquare,
  symbolTriangle,
} from 'd3-shape';
import { type Html, html, Html as Raw } from '../report/html';
import { at, isThere, NOTHING } from './drawing';

const SYMBOLS = {
  circle: symbolCircle,
  square: symbolSquare,
  triangle: symbolTriangle,
  diamond: symbolDiamond2,
} as const;

export type SymbolName = keyof typeof SYMBOLS;

export interface Mark {
  readonly symbol: SymbolName;
  /** About as wide as a circle of this diameter. */
  readonly size: number;
  readonly fill: string;
  readonly opacity?: number;
  /** An edge in this colour. */
  readonly stroke?: string;
}

export function mark(x: number, y: number, { symbol: name, size, fill, opacity, stroke }: Mark): Html {
  if (!isThere(x, y)) return NOTHING;
  const shape = symbol(SYMBOLS[name], (Math.PI * size ** 2) / 4).digits(1)() ?? '';
  const pale = opacity !== undefined && opacity < 1 && html` opacity="${opacity}"`;
  const edge = stroke !== undefined && html` stroke="${stroke}" stroke-width="1.5"`;
  return html`<path d="${shape}" transform="translate(${at(x)} ${at(y)})" fill="${fill}"${pale}${edge}/>`;
}

export interface Stroke {
  readonly stroke: string;
  readonly width?: number;
  /** Lengths of dashes and gaps, such as `2 3`. */
  readonly dashes?: string;
  /** Up or down where a point is left, and level to the next one. */
  readonly steps?: boolean;
}

/** A line from point to point, with a gap where there is none. */
export function path(
  points: readonly (readonly [number, number] | undefined)[],
  { stroke, width = 2, dashes, steps = false }: Stroke,
): Html {
  const maker = line<readonly [number, number] | undefined>(
    (point) => point![0],
    (point) => point![1],
  )
    .defined((point) => point !== undefined && isThere(...point))
    .digits(1);
  if (steps) maker.curve(curveStepBefore);
  const dash = dashes !== undefined && html` stroke-dasharray="${dashes}"`;
  const ink = html`stroke="${stroke}" stroke-width="${width}" stroke-linejoin="round"`;
  return html`<path d="${new Raw(maker(points) ?? '')}" fill="none" ${ink}${dash}/>`;
}
