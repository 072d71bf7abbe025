import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { repository } from '../../package.json';

const README = readFileSync('README.md', 'utf8');
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Where GitHub serves the files of this repository as they are; HEAD is its default branch. */
const RAW = repository.url
  .replace(/^https:\/\/github\.com\//, 'https://raw.githubusercontent.com/')
  .replace(/\.git$/, '/HEAD/');

/** The addresses of all pictures of a page: written in place, by the name of a link, or as HTML. */
function picturesOf(page: string): string[] {
  const links = new Map(
    [...page.matchAll(/^\[([^\]]+)\]: (\S+)/gm)].map(([, name, address]) => [name!.toLowerCase(), address!]),
  );
  const inMarkdown = [...page.matchAll(/!\[[^\]]*\](?:\(([^)\s]+)[^)]*\)|\[([^\]]+)\])/g)].map(
    ([, address, name]) =>
      address ?? links.get(name!.toLowerCase()) ?? `the link ${name}, which is not there`,
  );
  const inHtml = [...page.matchAll(/<(?:img|source)\b[^>]*\bsrc(?:set)?="([^"\s]+)/g)].map(
    ([, address]) => address!,
  );
  return [...inMarkdown, ...inHtml];
}

/** What npm would show in the place of a picture of README.md; nothing is wrong when it is undefined. */
function problemOf(address: string): string | undefined {
  if (!address.startsWith(RAW)) return `${address} does not begin with ${RAW}`;
  const path = address.slice(RAW.length);
  // As GitHub compares it: with its case, and only what is committed.
  const [known] = execFileSync('git', ['ls-files', '-z', '--', `:(literal)${path}`], {
    encoding: 'utf8',
  }).split('\0');
  if (known !== path) return `git knows no file ${path}`;
  if (!readFileSync(path).subarray(0, PNG.length).equals(PNG)) return `${path} is no PNG`;
  return undefined;
}

// npm has the README alone: a relative address leads nowhere there, and it shows no SVG of GitHub's.
test('each picture of README.md is a PNG in the repository, by the address that GitHub serves it from', () => {
  const pictures = picturesOf(README);
  expect(pictures).not.toEqual([]);
  expect(pictures.flatMap((address) => problemOf(address) ?? [])).toEqual([]);
});

test.each([
  ['![A grid](docs/architecture.png)', /does not begin with/],
  ['[![A grid][picture]](docs)\n\n[picture]: docs/architecture.png', /does not begin with/],
  ['![A grid][picture]', /^the link picture, which is not there/],
  ['<img alt="A grid" src="architecture.png">', /does not begin with/],
  [`![A grid](${RAW}docs/Architecture.png)`, /^git knows no file docs\/Architecture.png$/],
  [`![A grid](${RAW}docs/architecture.svg)`, /^docs\/architecture.svg is no PNG$/],
  ['![A grid](https://raw.githubusercontent.com/others/grid/HEAD/docs/architecture.png)', /does not begin/],
])('a picture that npm would not show is found: %s', (page, problem) => {
  const [address] = picturesOf(page);
  expect(problemOf(address!)).toMatch(problem);
});
