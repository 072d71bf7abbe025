import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAILOVER, nextOfAlarm, nextOfReason, nextOfStack, OPERATIONS } from '../../../cli/status/next';

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
  const pages = sources
    .replace(/\$\{FAILOVER\}/g, FAILOVER)
    .replace(/\$\{OPERATIONS\}/g, OPERATIONS)
    .matchAll(/(docs\/operations\/[a-z0-9-]+\.md)(?:#([a-z0-9-]+))?/g);
  const named = [...pages];
  expect(named.length).toBeGreaterThan(15);
  for (const [, page, section] of named) if (section) expect(sections(page!)).toContain(section);
  for (const [, page] of named) expect(sections(page!).length).toBeGreaterThan(0);
});

test('alarms and reasons lead to what is about them', () => {
  expect(nextOfAlarm('mine-grid-GridHealthNodesSilentAB12-X')).toMatch(/#a-server-of-a-grid-is-not-well$/);
  expect(nextOfAlarm('mine-grid-Other')).toMatch(/#which-alarm$/);
  expect(nextOfReason('no server: the launch at 12:00 failed')).toMatch(/#no-server-comes$/);
  expect(nextOfReason('volume vol-1 is error')).toMatch(/#what-to-do-about-a-reason$/);
  expect(nextOfStack('UPDATE_ROLLBACK_FAILED', 'mine')).toMatch(/#a-rollback-that-failed$/);
});
