/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly right?: boolean;
  /** Left out where there is no room: the highest number first. */
  readonly droppable?: number;
  text(row: Row): string;
}

const GAP = '  ';

/** Lines of a table, no wider than `width` if leaving columns out can do it. The first two are its head. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): string[] {
  const kept = fitting(columns, rows, width);
  const cells = rows.map((row) => kept.map((column) => column.text(row)));
  const widths = kept.map(({ title }, index) =>
    Math.max(title.length, ...cells.map((line) => line[index]!.length)),
  );
  const format = (line: readonly string[]) =>
    line
      .map((cell, index) =>
        kept[index]!.right ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!),
      )
      .join(GAP)
      .trimEnd();
  return [
    format(kept.map(({ title }) => title)),
    widths.map((one) => '-'.repeat(one)).join(GAP),
    ...cells.map(format),
  ];
}

function fitting<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): readonly Column<Row>[] {
  const widthOf = (column: Column<Row>) =>
    Math.max(column.title.length, ...rows.map((row) => column.text(row).length)) + GAP.length;
  let kept = columns;
  while (kept.reduce((sum, column) => sum + widthOf(column), -GAP.length) > width) {
    const [next] = kept
      .filter(({ droppable }) => droppable !== undefined)
      .sort((a, b) => b.droppable! - a.droppable!);
    if (!next) return kept;
    kept = kept.filter((column) => column !== next);
  }
  return kept;
}

/** Text in lines of at most `width`; the second and following ones are indented. A word that is longer stands alone. */
export function wrapped(
  text: string,
  width: number,
  first = '',
  indent = first.replace(/./g, ' '),
): string[] {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.split(/\s+/u).filter(Boolean)) {
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line);
      [line, empty] = [indent, true];
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line];
}
