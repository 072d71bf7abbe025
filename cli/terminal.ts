/** Writing for people: colour only where it is seen, tables that line up, one place that prints. */

/** What terminal output needs to know about where it goes. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
const CODES: Record<Style, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };
const CLEAR_LINE = '\r\u001b[2K';

/** Whether to colour: on a terminal that is not dumb, unless NO_COLOR is set (https://no-color.org). */
function wantsColour(screen: Screen, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  return screen.isTTY === true && env.TERM !== 'dumb';
}

/** Prints the demo's lines; on a terminal the last line can be a status that the next line replaces. */
export class Terminal {
  private readonly colour: boolean;
  private statusShown = false;

  constructor(
    private readonly screen: Screen,
    env: NodeJS.ProcessEnv = process.env,
  ) {
    this.colour = wantsColour(screen, env);
  }

  style(text: string, ...styles: Style[]): string {
    if (!this.colour) return text;
    return styles.reduce((styled, style) => `\u001b[${CODES[style]}m${styled}\u001b[0m`, text);
  }

  line(text = ''): void {
    if (this.statusShown) this.screen.write(CLEAR_LINE);
    this.statusShown = false;
    this.screen.write(`${text}\n`);
  }

  heading(text: string): void {
    this.line();
    this.line(this.style(text, 'bold'));
  }

  /** A line that the next output replaces. Nothing where output is not a terminal: it would fill a log. */
  status(text: string): void {
    if (!this.screen.isTTY) return;
    this.screen.write(`${CLEAR_LINE}${this.style(text.slice(0, (this.screen.columns ?? 80) - 1), 'dim')}`);
    this.statusShown = true;
  }

  check(passed: boolean, text: string): void {
    this.line(`  ${passed ? this.style('ok  ', 'green') : this.style('FAIL', 'red', 'bold')}  ${text}`);
  }
}

/** Lines of a table: columns as wide as their widest cell, headers underlined, two spaces between columns. */
export function table(headers: string[], rows: string[][]): string[] {
  const widths = headers.map((header, column) =>
    Math.max(header.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const format = (cells: string[]) =>
    widths
      .map((width, column) => (cells[column] ?? '').padEnd(width))
      .join('  ')
      .trimEnd();
  return [format(headers), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(format)];
}

/** Seconds as people read them: '0.4 s', '38.2 s', '2 min 05 s'. */
export function seconds(value: number): string {
  if (value < 100) return `${value.toFixed(1)} s`;
  const whole = Math.round(value);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}

/** A number with its noun: '1 slot', '3 slots'. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
