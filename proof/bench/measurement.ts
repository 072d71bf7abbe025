/** One measured number, with what it should be. */
export interface Measurement {
  readonly name: string;
  /** Missing when it was not measured in this run. */
  readonly value?: number;
  readonly unit: 's' | 'ms' | 'µs' | 'x' | 'kB' | 'calls' | 'resources';
  /** The largest value that meets the goal; missing when there is no goal. */
  readonly goal?: number;
  /** How it was measured, or why not. */
  readonly note: string;
}

/** The middle of some numbers; the mean of the two in the middle for an even count. */
export function median(numbers: number[]): number {
  if (numbers.length === 0) throw new Error('there is no median of no numbers');
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const DECIMALS: Record<Measurement['unit'], number> = {
  s: 1,
  ms: 0,
  µs: 0,
  x: 2,
  kB: 0,
  calls: 0,
  resources: 0,
};

function show(value: number | undefined, unit: Measurement['unit']): string {
  return value === undefined ? '-' : `${value.toFixed(DECIMALS[unit])} ${unit}`;
}

/** The cells of a table: what, measured, goal, whether it is met, how. */
export function toRow({ name, value, unit, goal, note }: Measurement): string[] {
  const met = goal === undefined || value === undefined ? '' : value <= goal ? 'yes' : 'no';
  return [name, show(value, unit), goal === undefined ? '' : `<= ${goal} ${unit}`, met, note];
}

export const HEADERS = ['What', 'Measured', 'Goal', 'Met', 'How'];

/** A Markdown table. */
export function markdown(measurements: Measurement[]): string {
  const row = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [row(HEADERS), row(HEADERS.map(() => '---')), ...measurements.map((m) => row(toRow(m)))].join('\n');
}

/**
 * Replaces what stands between the markers of a document.
 *
 * @param name the markers' name
 * @throws Error when the document lacks the markers
 */
export function replaceBetweenMarkers(document: string, content: string, name = 'bench'): string {
  const [first, last] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const begin = document.indexOf(first);
  const end = document.indexOf(last);
  if (begin < 0 || end < begin)
    throw new Error(`the document needs the lines '${first}' and '${last}', in this order`);
  return `${document.slice(0, begin + first.length)}\n${content}\n${document.slice(end)}`;
}
