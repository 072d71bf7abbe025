/** Reads the cdk command's output, which is made for people, into what the demo shows. */

/** Something that happened to a stack, as far as cdk said it. */
export type CdkProgress =
  | { readonly kind: 'started'; readonly stack: string; readonly position: string }
  | { readonly kind: 'done'; readonly stack: string }
  | { readonly kind: 'failed'; readonly stack: string }
  | { readonly kind: 'resources'; readonly stack: string; readonly done: number; readonly total: number };

const PATTERNS: [RegExp, (match: RegExpMatchArray) => CdkProgress][] = [
  [
    /^(\S+): (?:deploying|destroying)\.\.\.(?: \[(\d+\/\d+)\])?/,
    (match) => ({ kind: 'started', stack: match[1]!, position: match[2] ?? '' }),
  ],
  [/^\s*✅\s+(\S+?)(?::.*| \(no changes\))?\s*$/, (match) => ({ kind: 'done', stack: match[1]! })],
  [/^\s*❌\s+(\S+?):? /, (match) => ({ kind: 'failed', stack: match[1]! })],
  [
    /^(\S+) \|\s*(\d+)\/(\d+) \|/,
    (match) => ({ kind: 'resources', stack: match[1]!, done: Number(match[2]), total: Number(match[3]) }),
  ],
];

// Written with the code point: an escape character in a source file is invisible.
const ESCAPE = String.fromCharCode(27);
const COLOURS = new RegExp(`${ESCAPE}\\[[0-9;]*[A-Za-z]`, 'g');

/** What one line of output tells, or undefined when it tells nothing about a stack's progress. */
export function parseCdkLine(line: string): CdkProgress | undefined {
  const plain = line.replace(COLOURS, '');
  for (const [pattern, build] of PATTERNS) {
    const match = plain.match(pattern);
    if (match) return build(match);
  }
  return undefined;
}

/** Splits a growing text into complete lines; what follows the last line break waits for more. */
export class LineReader {
  private rest = '';

  push(text: string): string[] {
    const lines = (this.rest + text).split(/\r?\n/);
    this.rest = lines.pop() ?? '';
    return lines;
  }
}
