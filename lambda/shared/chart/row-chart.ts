import type { Html } from '../report/html';
import { axisBelow, fromZero, heightOfAxis, lineAt, type Plot } from './axes';
import { type Drawing, INK, label, rect, rule, type Size, textWidth, wrap } from './drawing';

/**
 * Charts with a row for each thing that is compared, its name beside it on a wide page and above it on a narrow one.
 */

export interface Row {
  readonly name: string;
  /** The number of the row, in words: it stands at the end of the row. */
  readonly value: string;
}

export interface RowChart {
  readonly rows: readonly Row[];
  /** End of the axis, in the rows' unit. */
  readonly end: number;
  readonly unit: string;
  readonly number: (value: number) => string;
  /** What is drawn into the rows. */
  readonly marks: (rows: Rows) => readonly Html[];
  /** A line through all rows, which they are held against. */
  readonly line?: { readonly at: number; readonly text: string; readonly ink?: string };
}

/** Where rows are: values on the horizontal axis, rows by their index. */
export class Rows {
  constructor(
    private readonly x: (value: number) => number,
    private readonly y: (row: number) => number,
    /** How thick a bar is, in pixels. */
    readonly thickness: number,
  ) {}

  /** @param least pixels that a bar has at least, where it has to be seen that there is one */
  bar(row: number, from: number, to: number, fill: string, least = 0): Html {
    const x = this.x(from);
    const y = this.y(row) - this.thickness / 2;
    const width = Math.max(least, this.x(to) - x);
    return rect({ x, y, width, height: this.thickness, round: 2 }, fill);
  }

  /** A thin mark across a row: a threshold, or a median. */
  tick(row: number, value: number): Html {
    const height = this.thickness + 10;
    return rect({ x: this.x(value) - 1.5, y: this.y(row) - height / 2, width: 3, height }, INK.text);
  }

  /** @param aside pixels below the middle of the row */
  place(row: number, value: number, aside = 0): [number, number] {
    return [this.x(value), this.y(row) + aside];
  }
}

/** From this many letters on there is room for names beside the bars. */
const ENOUGH_EM = 45;

export function rowChart({ rows, end, unit, number, marks, line }: RowChart, { width, font }: Size): Drawing {
  const beside = width >= ENOUGH_EM * font;
  const thickness = Math.round(beside ? font * 1.15 : font);
  const roomForNames = beside ? Math.round(width * 0.31) : width;
  const longest = Math.max(...rows.map(({ value }) => textWidth(value, font)));
  const roomForValues = beside ? Math.min(Math.round(longest) + 16, width * 0.2) : 8;
  const characters = Math.floor((roomForNames - 8) / textWidth('m', font));
  const names = rows.map(({ name, value }) =>
    beside ? wrap(name, characters) : wrapped(name, value, characters),
  );
  const lines = Math.max(1, ...names.map((name) => name.length));
  const lineHeight = Math.ceil(font * 1.3);
  const height = beside
    ? Math.max(thickness + 18, lines * lineHeight + 10)
    : lines * lineHeight + thickness + 14;
  const top = line ? 2 * font : 8;
  const plot: Plot = {
    left: beside ? roomForNames : 2,
    right: width - roomForValues,
    top,
    bottom: top + rows.length * height,
    width,
  };
  const x = fromZero(end).range([plot.left, plot.right]);
  // Names above are in the upper part of a row, the bar is in the lower one.
  const middle = (row: number) => top + row * height + (beside ? height / 2 : height - thickness / 2 - 5);
  const nameAt = (row: number, of: number, index: number) => {
    const first = beside
      ? middle(row) - ((of - 1) / 2) * lineHeight + font * 0.36
      : middle(row) - thickness / 2 - 6 - (of - 1) * lineHeight;
    const y = first + index * lineHeight;
    return beside
      ? { x: plot.left - 8, y, font, anchor: 'end' as const }
      : { x: plot.left, y, font, halo: true };
  };
  const value = (text: string, row: number) =>
    label(text, { x: plot.right + 8, y: middle(row) + font * 0.36, font });
  return {
    width,
    height: plot.bottom + heightOfAxis(font),
    content: [
      ...axisBelow(x, plot, { font, text: number, unit }),
      ...marks(new Rows(x, middle, thickness)),
      rule([plot.left, top], [plot.left, plot.bottom], INK.line),
      ...(line ? lineAt(x(line.at), line.text, plot, font, line.ink ?? INK.text) : []),
      ...names.flatMap((name, row) =>
        name.map((text, index) => label(text, nameAt(row, name.length, index))),
      ),
      ...(beside ? rows.map((one, row) => value(one.value, row)) : []),
    ],
  };
}

/** Both in lines; the value stays in one. */
function wrapped(name: string, value: string, characters: number): string[] {
  return wrap(`${name}: ${value.replaceAll(' ', FIRM)}`, characters).map((line) =>
    line.replaceAll(FIRM, ' '),
  );
}

/** A blank at which no line breaks. */
const FIRM = '\u00a0';
