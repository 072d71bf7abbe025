import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nextOfAlarm, nextOfReason, nextOfStack } from '../../../cli/status/next';

const ROOT = join(__dirname, '../../..');

/** The sections of a page by what links to them. */
function sections(page: string): string[] {
  const headings = readFileSync(join(ROOT, page), 'utf8').matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, text]) =>
    text!
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, '')
      .replace(/ /g, '-'),
  );
}

test('all that status names in the docs is there', () => {
  const sources = ['next', 'troubles']
    .map((name) => readFileSync(join(ROOT, `cli/status/${name}.ts`), 'utf8'))
    .join();
  const pages = { OPERATIONS: 'docs/operations.md', FAILOVER: 'docs/operations/failover.md' };
  const named = [...sources.matchAll(/\$\{(OPERATIONS|FAILOVER)\}#([a-z0-9-]+)/g)];
  expect(named.length).toBeGreaterThan(15);
  for (const [, page, section] of named)
    expect(sections(pages[page as keyof typeof pages])).toContain(section);
});

test('alarms and reasons lead to what is about them', () => {
  expect(nextOfAlarm('mine-grid-GridHealthNodesSilentAB12-X')).toMatch(/#a-server-of-a-grid-is-not-well$/);
  expect(nextOfAlarm('mine-grid-Other')).toMatch(/#which-alarm$/);
  expect(nextOfReason('no server: the launch at 12:00 failed')).toMatch(/#no-server-comes$/);
  expect(nextOfReason('volume vol-1 is error')).toMatch(/#what-to-do-about-a-reason$/);
  expect(nextOfStack('UPDATE_ROLLBACK_FAILED', 'mine')).toMatch(/#a-rollback-that-failed$/);
});
