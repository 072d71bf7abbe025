/** A row of a CSV file by the names of its columns. */
export type Row = { readonly [column: string]: string };

/**
 * The cells of one line: in quotes or not, and quotes in quotes are doubled. @throws Error when a quote is not closed
 */
export function cells(line: string): string[] {
  const found: string[] = [];
  const cell = /("(?:[^"]|"")*"|[^,]*)(,|$)/g;
  for (let match = cell.exec(line); match; match = cell.exec(line)) {
    const text = match[1]!;
    if (text.startsWith('"') && !/^"(?:[^"]|"")*"$/.test(text)) {
      throw new Error(`a quote is not closed in a line of the price list: it was cut off (${start(line)})`);
    }
    found.push(text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);
    if (match[2] === '') break;
  }
  return found;
}

const start = (line: string): string => line.slice(0, 60);

/** What is read of an offer file. */
export interface OfferFile {
  /** Its lines about the file, `Publication Date` for example. */
  readonly about: ReadonlyMap<string, string>;
  readonly rows: AsyncGenerator<Row>;
}

const MOST_LINES_ABOUT = 20;

/**
 * An offer file of the AWS price list: some lines about the file, the names of the columns, then a price on each line.
 * One line at a time: that of EC2 has hundreds of megabytes.
 *
 * @param wanted lines that it does not accept are not taken apart; nine of ten are of reserved instances
 * @throws Error when the file does not begin like that, when a line has not as many cells as there are columns, or when
 * its last line has no end: it was cut off
 */
export async function readOffer(
  lines: AsyncIterable<string> | Iterable<string>,
  wanted: (line: string) => boolean = () => true,
): Promise<OfferFile> {
  const iterator = iterate(lines);
  const about = new Map<string, string>();
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    const values = cells(next.value);
    if (values[0]?.startsWith('{')) {
      throw new Error("this is the price list in JSON: take the file 'index.csv' beside it");
    }
    if (values[0] === 'SKU') {
      const columns = { names: values, quoted: next.value.endsWith('"') };
      return { about, rows: rowsOf(iterator, columns, wanted) };
    }
    if (about.size === MOST_LINES_ABOUT) break;
    about.set(values[0] ?? '', values[1] ?? '');
  }
  throw new Error("this is no offer file of the AWS price list: no line begins with 'SKU'");
}

interface Columns {
  readonly names: readonly string[];
  /** The list has all cells in quotes: a line that ends without one was cut off after a comma. */
  readonly quoted: boolean;
}

async function* rowsOf(
  lines: AsyncIterator<string>,
  columns: Columns,
  wanted: (line: string) => boolean,
): AsyncGenerator<Row> {
  let last = '';
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    if (next.value === '') continue;
    last = next.value;
    if (wanted(last)) yield rowOf(last, columns);
  }
  // The last line is looked at whether it is wanted or not: it is the one that is cut off.
  if (last !== '') rowOf(last, columns);
}

function rowOf(line: string, { names, quoted }: Columns): Row {
  const values = cells(line);
  if (values.length !== names.length || (quoted && !line.endsWith('"'))) {
    throw new Error(
      `a line of the price list has ${values.length} cells of ${names.length}: it was cut off (${start(line)})`,
    );
  }
  return Object.fromEntries(names.map((name, i) => [name, values[i]!]));
}

async function* iterate(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  yield* lines;
}
