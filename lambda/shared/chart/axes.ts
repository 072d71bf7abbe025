import { type ScaleLinear, type ScaleLogarithmic, scaleLinear, scaleLog } from 'd3-scale';
import type { Html } from '../report/html';
import { INK, label, rule, textWidth } from './drawing';

export type Scale = ScaleLinear<number, number> | ScaleLogarithmic<number, number>;

/** What the axes enclose, in pixels. */
export interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Of the drawing, where texts end at the latest. */
  readonly width: number;
}

/** The least round number that an axis from zero may end with. */
export function roundEnd(largest: number): number {
  return scaleLinear()
    .domain([0, largest > 0 && Number.isFinite(largest) ? largest : 10])
    .nice(5)
    .domain()[1]!;
}

export const fromZero = (end: number): ScaleLinear<number, number> => scaleLinear().domain([0, end]);

/** Powers of ten are apart the same. There is some room beside the values, and at least two numbers are told. */
export function logarithmic(values: readonly number[]): ScaleLogarithmic<number, number> {
  const known = values.filter((value) => value > 0 && Number.isFinite(value));
  if (known.length === 0) return scaleLog().domain([1, 10]);
  const [from, to] = [Math.min(...known) / ROOM, Math.max(...known) * ROOM];
  const rounds = decades(from, to);
  if (rounds.filter((value) => value >= from && value <= to).length > 1) return scaleLog().domain([from, to]);
  const below = rounds.filter((round) => round <= from).at(-1)!;
  return scaleLog().domain([below, rounds.find((round) => round >= to)!]);
}

const ROOM = 1.12;

function decades(from: number, to: number): number[] {
  const [first, last] = [from, to].map((value) => Math.floor(Math.log10(value)));
  const exponents = Array.from({ length: last! - first! + 3 }, (_, index) => first! - 1 + index);
  return exponents.flatMap((exponent) => [1, 2, 5].map((digit) => digit * 10 ** exponent));
}

/** The numbers that an axis tells: not so many that they would touch. */
function told(scale: Scale, most: number): number[] {
  if (!('base' in scale)) return scale.ticks(most);
  const [from, to] = scale.domain() as [number, number];
  const rounds = decades(from, to).filter((value) => value >= from * 0.999 && value <= to * 1.001);
  const powers = rounds.filter((value) => Number.isInteger(Math.round(Math.log10(value) * 1e9) / 1e9));
  return rounds.length <= most || powers.length < 2 ? rounds : powers;
}

export interface AxisText {
  readonly font: number;
  readonly text: (value: number) => string;
  /** Stands at the end of the axis. */
  readonly unit: string;
}

/** Room that the numbers and the unit of an axis below take. */
export const heightOfAxis = (font: number): number => Math.ceil(2.9 * font + 8);

/** The middle of a text, moved to where no part of it is beyond an edge. */
export function within(
  x: number,
  text: string,
  font: number,
  [left, right]: readonly [number, number],
): number {
  const half = textWidth(text, font) / 2;
  return Math.min(Math.max(x, left + half), right - half);
}

/** Numbers below, and lines up from them. */
export function axisBelow(scale: Scale, { left, right, top, bottom, width }: Plot, axis: AxisText): Html[] {
  const { font, text, unit } = axis;
  const widest = textWidth(text(scale.domain()[1]!), font);
  const most = Math.max(2, Math.min(6, Math.floor((right - left) / (1.6 * widest + font))));
  const numbers = told(scale, most);
  const lines = numbers.map((value) => rule([scale(value), top], [scale(value), bottom], INK.line));
  const y = bottom + font + 6;
  const texts = numbers.map((value) =>
    label(text(value), {
      x: within(scale(value), text(value), font, [0, width]),
      y,
      font,
      fill: INK.muted,
      anchor: 'middle',
    }),
  );
  const end = label(unit, { x: right, y: y + 1.4 * font, font, fill: INK.muted, anchor: 'end' });
  return [...lines, ...texts, end];
}

/** Between what the axes enclose and a text above it. */
const ABOVE = 8;
/** Room above for a unit and the text of a line. */
export const roomAbove = (font: number): number => Math.ceil(ABOVE + 2.4 * font);

/** Numbers at the left, and lines to the right from them; the unit is above. */
export function axisLeft(scale: Scale, { left, right, top, bottom }: Plot, axis: AxisText): Html[] {
  const { font, text, unit } = axis;
  const most = Math.max(2, Math.min(6, Math.floor((bottom - top) / (2.4 * font))));
  const numbers = told(scale, most);
  const lines = numbers.map((value) => rule([left, scale(value)], [right, scale(value)], INK.line));
  const texts = numbers.map((value) =>
    label(text(value), {
      x: left - 8,
      y: scale(value) + font * 0.36,
      font,
      fill: INK.muted,
      anchor: 'end',
    }),
  );
  return [...lines, ...texts, label(unit, { x: 0, y: top - ABOVE - 1.4 * font, font, fill: INK.muted })];
}

/** Room for the numbers of an axis at the left. */
export const widthOfAxis = (scale: Scale, { font, text }: Omit<AxisText, 'unit'>): number =>
  Math.max(...told(scale, 6).map((value) => textWidth(text(value), font))) + 10;

/** A dashed line at a value, and what it is, where there is room for it. */
export function lineAt(
  x: number,
  text: string,
  { left, right, top, bottom }: Plot,
  font: number,
  ink: string,
) {
  if (!(x >= left - 1 && x <= right + 1)) return [];
  return [
    rule([x, top - 4], [x, bottom], ink, { width: 1.5, dashed: true }),
    label(text, {
      x: within(x, text, font, [left, right]),
      y: top - ABOVE,
      font,
      fill: ink,
      anchor: 'middle',
    }),
  ];
}
