import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const MOST = 120;

/** How many lines of code and comments are longer still. It only falls: whoever mends some writes the new number. */
const LONG_LINES_OF_CODE = 248;

const CODE = ['ts', 'mjs', 'js', 'py', 'sh', 'bash', 'bats', 'yaml', 'yml'].map((end) => `*.${end}`);

/** What has no place to break: an address in a line of its own, with a word before it that says what it is. */
const cannotBreak = (line: string): boolean => /^\s*([-*] )?(\w+: |\[[^\]]+\]: )?\S+$/.test(line);

/** The long lines of the files that match, each as 'file:line (length)'. */
function longLines(...patterns: string[]): string[] {
  const files = execFileSync('git', ['ls-files', '-z', '--', ...patterns], { encoding: 'utf8' });
  return files
    .split('\0')
    .filter(Boolean)
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line, index) => ({ line, at: `${file}:${index + 1} (${[...line].length})` }))
        .filter(({ line }) => [...line].length > MOST && !cannotBreak(line))
        .map(({ at }) => at),
    );
}

test(`no line of a Markdown file has more than ${MOST} characters, in tables and commands neither`, () => {
  expect(longLines('*.md')).toEqual([]);
});

test(`no more lines of code and comments than before have over ${MOST} characters`, () => {
  const { length } = longLines(...CODE, 'Makefile');
  expect(length).toBeLessThanOrEqual(LONG_LINES_OF_CODE);
  // So that what was mended stays mended.
  expect(length).toBeGreaterThan(LONG_LINES_OF_CODE - 25);
});
