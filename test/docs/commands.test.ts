import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The commands of a page: what begins with aws, in one line. */
const commandsOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^ *```sh\n(.*?)^ *```/gms)]
    .flatMap(([, block]) => block!.split(/\b(?=aws )/))
    .filter((text) => text.startsWith('aws '))
    .map((command) => command.replace(/\s+/g, ' '));

// The runbooks are tried with version 1 of the AWS CLI, which has none of these (AWS CLI v1 and v2 command references).
test('no page has a command that only version 2 of the AWS CLI has', () => {
  const pages = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).split('\n').filter(Boolean);
  const commands = pages.flatMap(commandsOf);
  expect(commands.length).toBeGreaterThan(100);
  const later = [
    /aws (logs tail|sso |login|ddb |configure (sso|import|export|list-profiles))/,
    /--(no-)?cli-(auto-prompt|pager)|yaml-stream/,
  ];
  expect(commands.filter((command) => later.some((pattern) => pattern.test(command)))).toEqual([]);
});

test('whatever edits the volume map by hand does it on a condition', () => {
  const pages = ['docs/operations/map.md', 'docs/operations/failover.md'];
  const edits = pages.map((page) =>
    commandsOf(page).filter((command) =>
      /^aws dynamodb (update-item|put-item|delete-item|transact-write-items)/.test(command),
    ),
  );
  for (const ofPage of edits) expect(ofPage.length).toBeGreaterThan(0);
  for (const command of edits.flat()) expect(command).toMatch(/condition-expression|ConditionExpression/);
});

// Whoever is woken up needs no second page for them.
test('the runbook has the same names as the other pages', () => {
  const [names, copy] = ['docs/operations.md', 'docs/operations/failover.md'].map(
    (page) => /^```sh\n(export AWS_PAGER.*?)^```/ms.exec(readFileSync(page, 'utf8'))![1],
  );
  expect(names).toContain('output()');
  expect(copy).toBe(names);
});
