import { execFileSync } from 'node:child_process';
import { blocksOf } from './blocks';

/** The page with the names that others begin with. */
export const NAMES = 'docs/operations.md';

/** The page whose commands deploy: before it there is nothing that has a name. */
export const DEPLOYS = 'README.md';

/** These deploy and name what the others look at. */
const FIRST = [DEPLOYS, 'docs/preflight.md', NAMES, 'docs/operations/alarms.md', 'docs/operations/look.md'];

/** These end it: what is deleted is restored, and then deleted for good. */
export const LAST = [
  'docs/operations/delete.md',
  'docs/operations/restore.md',
  'docs/operations/delete-data.md',
];

/** The pages that have commands, in the order in which they are run. */
export function pages(): string[] {
  const found = execFileSync('git', ['ls-files', 'docs/*.md', 'constructs/*/README.md'], { encoding: 'utf8' })
    .split('\n')
    .filter((page) => page !== '' && ![...FIRST, ...LAST].includes(page));
  return [...FIRST, ...found, ...LAST].filter((page) => blocksOf(page).length > 0);
}
