import { type Block, blocksIn } from './blocks';
import { pages } from './pages';
import { filledIn } from './values';
import type { World } from './world';

const page = (...lines: string[]) => blocksIn('page.md', lines.join('\n'));

const world = {
  server: async () => 'i-0123',
  node: async () => 'i-4567',
} as Partial<World> as World;
const filled = (text: string, name = 'page.md') =>
  filledIn({ page: name, line: 1, text, code: 0 } satisfies Block, world);

test('a block is what stands in its fence, without the indent of its list', () => {
  const [block] = page('1. Do this:', '', '   ```sh', '   aws one \\', '     --two', '   ```');
  expect(block).toEqual({ page: 'page.md', line: 4, text: 'aws one \\\n  --two', code: 0 });
});

test('code of other languages is none', () => {
  expect(page('```yaml', 'nfs: {}', '```', '```', 'a picture', '```')).toEqual([]);
});

test('the line above says that a block is not run, or how it ends', () => {
  const [one, other, last] = page(
    ...['<!-- not run: it takes an hour -->', '```sh', 'sleep 3600', '```'],
    ...['<!-- exits with 1: nothing is left -->', '```sh', 'grep x', '```'],
    ...['<!-- not run: of the block before -->', '```sh', 'ls', '```'],
  );
  expect(one!.notRun).toBe('it takes an hour');
  expect([other!.notRun, other!.code]).toEqual([undefined, 1]);
  expect(last!.notRun).toBe('of the block before');
});

test.each([
  ['<!-- not run: -->', '```sh', /^page.md:1: the mark has no reason/],
  ['<!-- not run:   -->', '```sh', /no reason/],
  ['<!-- exits with 2: -->', '```sh', /no reason/],
  ['<!-- not run: it takes an hour -->', '', /no block of commands directly below/],
  ['<!-- not run: it takes an hour -->', '```yaml', /no block of commands directly below/],
])('%s above "%s" is refused', (mark, fence, problem) => {
  expect(() => page(mark, fence, 'ls', '```')).toThrow(problem);
});

test('what a reader fills in gets its value, by the page', async () => {
  expect(await filled('aws ec2 terminate-instances --instance-ids i-...')).toContain('i-0123');
  expect(await filled('aws ec2 stop-instances --instance-ids i-...', 'docs/operations/nodes.md')).toContain(
    'i-4567',
  );
});

test.each(['aws fsx describe-file-systems --file-system-ids fs-...', 'aws one <something>'])(
  'what nothing stands for is a failure: %s',
  (text) => expect(filled(text)).rejects.toThrow(/nothing stands for .*values\.ts/),
);

test('what is deleted is deleted last, and README.md deploys it', () => {
  expect(pages()[0]).toBe('README.md');
  expect(pages().slice(-2)).toEqual(['docs/operations/restore.md', 'docs/operations/delete-data.md']);
});
