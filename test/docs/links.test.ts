import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

const PAGES = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { encoding: 'utf8' })
  .split('\n')
  .filter((page) => page !== '' && existsSync(page));

/** A page without its blocks of code. */
const proseOf = (page: string): string => readFileSync(page, 'utf8').replace(/^ *```.*?^ *```/gms, '');

/** As GitHub names headings; an anchor of HTML stands where a section was that has moved. */
function anchorsOf(page: string): Set<string> {
  const prose = proseOf(page);
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, text]) =>
    text!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
  return new Set([...headings, ...[...prose.matchAll(/<a id="([^"]+)"/g)].map(([, id]) => id!)]);
}

const linksOf = (page: string): string[] => {
  const prose = proseOf(page).replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g), ...prose.matchAll(/^\[[^\]]+\]: (\S+)/gm)]
    .map(([, address]) => address!)
    .filter((address) => !/^[a-z]+:/.test(address));
};

/** Whether the link of a page leads to a file that is there, and to a section of it that is there. */
function leads(page: string, address: string): boolean {
  const [path, section] = address.split('#');
  const target = path ? posix.join(posix.dirname(page), path) : page;
  if (!existsSync(target)) return false;
  return !section || !target.endsWith('.md') || anchorsOf(target).has(section);
}

test.each(PAGES)('each link of %s leads somewhere', (page) => {
  expect(linksOf(page).filter((address) => !leads(page, address))).toEqual([]);
});

test('a link to a file, or a section, that is not there is found', () => {
  expect(leads('README.md', 'docs/no-such-page.md')).toBe(false);
  expect(leads('README.md', 'docs/operations.md#no-such-section')).toBe(false);
  expect(leads('README.md', 'docs/operations.md#the-names')).toBe(true);
});

// Texts of versions that are deployed name them.
test.each(['a-deployment-that-failed', 'a-rollback-that-failed', 'restore-kept-volumes', 'what-hosts-say'])(
  'the index of operations still has the section %s',
  (section) => expect(anchorsOf('docs/operations.md').has(section)).toBe(true),
);
