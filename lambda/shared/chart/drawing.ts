import { type Html, html } from '../report/html';

/**
 * How every chart looks, on pages and in reports. Colours are those of the page that shows it, so that a chart becomes
 * dark, or is printed, as the page is: whoever shows a chart defines these variables.
 */
export const INK = {
  text: 'var(--text)',
  /** Numbers along an axis, and its unit. */
  muted: 'var(--muted)',
  /** Lines along which one reads. */
  line: 'var(--line)',
  /** What a chart stands on. */
  card: 'var(--card)',
  /** What is looked at. */
  bar: 'var(--bar)',
  /** What it is compared with. */
  other: 'var(--other)',
} as const;

/** The room that a chart has: its width and the size of its letters, in pixels. */
export interface Size {
  readonly width: number;
  readonly font: number;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly content: readonly Html[];
}

/** The drawing as SVG, as wide as what it is in. */
export function svg({ width, height, content }: Drawing): Html {
  const [w, h] = [at(width), at(height)];
  const room = html`width="${w}" height="${h}" viewBox="0 0 ${w} ${h}"`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" ${room}>${content.flat()}</svg>`;
}

/** A coordinate, as exact as an eye. */
export const at = (value: number): string => String(Math.round(value * 10) / 10);

/** What is no number is not drawn. */
export const isThere = (...values: number[]): boolean => values.every(Number.isFinite);
export const NOTHING = html``;

/** Where a text stands, and how. */
export interface Place {
  readonly x: number;
  /** Of the line on which letters stand. */
  readonly y: number;
  readonly font: number;
  readonly fill?: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Lines of the chart go through where it stands. */
  readonly halo?: boolean;
}

const HALO = html` stroke="${INK.card}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"`;

export function label(text: string, { x, y, font, fill = INK.text, anchor = 'start', halo }: Place): Html {
  if (!isThere(x, y)) return NOTHING;
  const side = anchor !== 'start' && html` text-anchor="${anchor}"`;
  const place = html`x="${at(x)}" y="${at(y)}" font-size="${at(font)}"`;
  return html`<text ${place} fill="${fill}"${side}${halo && HALO}>${text}</text>`;
}

/** A rectangle from its left upper corner. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly round?: number;
}

export function rect({ x, y, width, height, round = 0 }: Box, fill: string): Html {
  if (!isThere(x, y, width, height)) return NOTHING;
  const corner = round > 0 && html` rx="${round}"`;
  const place = html`x="${at(x)}" y="${at(y)}" width="${at(Math.max(0, width))}" height="${at(height)}"`;
  return html`<rect ${place} fill="${fill}"${corner}/>`;
}

/** A straight line, dashed where it is one that something is held against. */
export function rule(
  from: readonly [number, number],
  to: readonly [number, number],
  stroke: string,
  { width = 1, dashed = false } = {},
): Html {
  if (!isThere(...from, ...to)) return NOTHING;
  const dash = dashed && html` stroke-dasharray="5 4"`;
  const ends = html`M${at(from[0])} ${at(from[1])}L${at(to[0])} ${at(to[1])}`;
  return html`<path d="${ends}" stroke="${stroke}" stroke-width="${width}" fill="none"${dash}/>`;
}

/**
 * How wide a text is at most. Fonts run wider on one system than on another, and a report is drawn where there are
 * none: the estimate is that of a wide one (DejaVu Sans).
 */
export const textWidth = (text: string, font: number): number => text.length * font * 0.6;

/** A text has this many lines at most. */
const MOST_LINES = 3;

/** Breaks a text at blanks and after slashes, and anywhere if there is no other way. */
export function wrap(text: string, characters: number): string[] {
  const parts = text.split(/(?<=[ /])/).flatMap((part) => pieces(part, characters));
  const lines: string[] = [''];
  for (const part of parts) {
    const last = lines.length - 1;
    if (`${lines[last]}${part.trimEnd()}`.length <= characters) lines[last] += part;
    else lines.push(part);
  }
  const trimmed = lines.map((line) => line.trim());
  if (trimmed.length <= MOST_LINES) return trimmed;
  const last = trimmed[MOST_LINES - 1]!;
  return [...trimmed.slice(0, MOST_LINES - 1), `${last.slice(0, characters - 1)}…`];
}

function pieces(part: string, characters: number): string[] {
  const cut: string[] = [];
  for (let rest = part; rest.length > 0; rest = rest.slice(characters)) cut.push(rest.slice(0, characters));
  return cut;
}
