import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';

// What CONTRIBUTING.md names is there: a tour that leads to a file of last week is worse than none.

const ROOT = resolve(__dirname, '../..');
const FILES = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
const PAGE = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');

/** What no commit has. */
const MADE = /^(out|build|node_modules|\.venv(-templates)?)(\/|$)/;

/** Paragraphs, entries of lists and rows of tables, with what stands in each as code. */
const passages = PAGE.replace(/^```.*?^```$/gms, '')
  .split(/\n\n|\n(?=(?:\d+\.|-) |\|)/)
  .map((text) => {
    const codes = [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!.replace(/\n\s*/g, ' '));
    return { text, title: /^\d+\. \*\*(.*?)\*\*/s.exec(text)?.[1], codes };
  });

/** As a part of a pattern: `<name>` stands for a part of a path, `*` for one that may be empty. */
const patternOf = (path: string): string =>
  path
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replace(/<[^>]*>/g, '[^/]+');

/** The files with this path, or in this folder; with `above` somewhere below that. */
function matching(path: string, above?: string): string[] {
  const prefix = above === undefined ? '' : `${patternOf(above)}(.*/)?`;
  const pattern = new RegExp(`^${prefix}${patternOf(path.replace(/\/$/, ''))}(/|$)`);
  return FILES.filter((file) => pattern.test(file));
}

const PATH = /^[\w.<*-][\w.<>*/-]*(\/|\/[\w.<>*-]+|\.(ts|mjs|sh|py|ya?ml|json|md|bats))$/;

/** The paths in a piece of code. What jest is told to run begins with them. */
const pathsIn = (code: string): string[] =>
  code.startsWith('npx jest ')
    ? [...code.matchAll(/ (test\/\S+)/g)].map(([, path]) => `${path}*`)
    : PATH.test(code) && !MADE.test(code)
      ? [code]
      : [];

const folderOf = (path: string): string => (path.endsWith('/') ? path : `${posix.dirname(path)}/`);

/** The files that a passage names, from the root of the project, or below a folder that it names, too. */
function filesOf(codes: readonly string[]): { readonly found: string[]; readonly missing: string[] } {
  const paths = codes.flatMap(pathsIn);
  const folders = paths.filter((path) => matching(path).length > 0 && path.includes('/')).map(folderOf);
  const files = paths.map((path) => {
    const places = path.startsWith('*') ? [''] : folders;
    return { path, found: [...matching(path), ...places.flatMap((folder) => matching(path, folder))] };
  });
  return {
    found: files.flatMap(({ found }) => found),
    missing: files.flatMap(({ path, found }) => (found.length > 0 ? [] : path)),
  };
}

interface Check {
  readonly name: string;
  readonly stars: string;
}

/** The checks of scripts/checks.mjs, which jest cannot load. */
const CHECKS: readonly Check[] = JSON.parse(
  execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `const { checks } = await import('./scripts/checks.mjs');
       const starsOf = ({ onRequest, byName }) => (byName ? ' **' : onRequest ? ' *' : '');
       console.log(JSON.stringify(checks.map((each) => ({ name: each.name, stars: starsOf(each) }))));`,
    ],
    { cwd: ROOT, encoding: 'utf8' },
  ),
);

test('each file that is named is there', () => {
  expect(passages.flatMap(({ codes }) => filesOf(codes).missing)).toEqual([]);
});

const entries = passages.flatMap(({ title, codes }) =>
  title === undefined ? [] : [[title, codes] as const],
);

test('the tour has entries', () => expect(entries.length).toBeGreaterThan(14));

test.each(entries)(
  '%s Each name is that of a check, or stands in the files that are named with it.',
  (_, codes) => {
    const texts = filesOf(codes).found.map((file) => readFileSync(join(ROOT, file), 'utf8'));
    const isKnown = (name: string): boolean =>
      CHECKS.some((check) => check.name === name) ||
      texts.some((text) => new RegExp(`\\b${name}\\b`).test(text));
    const names = codes.filter((code) => /^[A-Za-z]\w+$/.test(code));
    expect(names.filter((name) => !isKnown(name))).toEqual([]);
  },
);

test('the table of checks has each, with the stars that say when it runs', () => {
  const rows = [...PAGE.matchAll(/^\| (`[a-z-]+`(?:, `[a-z-]+`)*)( \*{1,2})? \|/gm)];
  const told = rows.flatMap(([, names, stars = '']) =>
    names!.split(', ').map((name) => ({ name: name.replaceAll('`', ''), stars })),
  );
  const sorted = (checks: readonly Check[]) => [...checks].sort((a, b) => a.name.localeCompare(b.name));
  expect(sorted(told)).toEqual(sorted(CHECKS));
});
