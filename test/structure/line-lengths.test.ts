import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const MOST = 120;

/**
 * What reaches hosts and documents of Systems Manager as it is written here: to break a line changes what is deployed.
 * The files of TypeScript beside it are no part of it.
 */
const DEPLOYED_AS_WRITTEN =
  /^constructs\/(host\/.+(?<!\.ts)|storage-benchmark\/programs\/.+|game-day\/scripts\/.+)$/;

/** How many lines of that are too long. It only falls: whoever breaks one of them writes the new number. */
const LONG_LINES_DEPLOYED = 206;

const ENDS = ['ts', 'mjs', 'js', 'py', 'sh', 'bash', 'bats', 'yaml', 'yml', 'html', 'css', 'toml'];
const CODE = ENDS.map((end) => `*.${end}`);

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

/** The long lines of code and comments, of what is deployed as it is written or of the rest. */
const longLinesOfCode = (deployedAsWritten: boolean): string[] =>
  longLines(...CODE, 'Makefile').filter(
    (at) => DEPLOYED_AS_WRITTEN.test(at.slice(0, at.indexOf(':'))) === deployedAsWritten,
  );

test(`no line of code, of a comment or of a configuration has more than ${MOST} characters`, () => {
  expect(longLinesOfCode(false)).toEqual([]);
});

test('what is deployed as it is written has no more long lines than before', () => {
  const { length } = longLinesOfCode(true);
  expect(length).toBeLessThanOrEqual(LONG_LINES_DEPLOYED);
  // So that what was mended stays mended.
  expect(length).toBeGreaterThan(LONG_LINES_DEPLOYED - 25);
});
