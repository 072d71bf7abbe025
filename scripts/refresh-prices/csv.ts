/** A row of a CSV file by the names of its columns. */
export type Row = { readonly [column: string]: string };

/** The cells of one line: in quotes or not, and quotes in quotes are doubled. */
export function cells(line: string): string[] {
  const found: string[] = [];
  const cell = /("(?:[^"]|"")*"|[^,]*)(,|$)/g;
  for (let match = cell.exec(line); match; match = cell.exec(line)) {
    const text = match[1]!;
    found.push(text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);
    if (match[2] === '') break;
  }
  return found;
}

/**
 * The rows of an offer file of the AWS price list: five lines about the file, the names of the columns, then the prices. One line at
 * a time: that of EC2 has hundreds of megabytes.
 *
 * @param about gets the lines about the file, `Publication Date` for example
 * @throws Error when the file does not begin like that
 */
export async function* offerRows(
  lines: AsyncIterable<string> | Iterable<string>,
  about: Map<string, string>,
): AsyncGenerator<Row> {
  let columns: string[] | undefined;
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const values = cells(line);
    if (!columns && values[0] === 'SKU') columns = values;
    else if (columns) yield Object.fromEntries(columns.map((name, i) => [name, values[i] ?? '']));
    else if (about.size < 20) about.set(values[0] ?? '', values[1] ?? '');
    else break;
  }
  if (!columns) throw new Error("this is no offer file of the AWS price list: no line begins with 'SKU'");
}
