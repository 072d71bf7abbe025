import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { deviceName } from '../../../constructs/private/device-name';
import { LAUNCH_HOOK } from '../../../constructs/volume-reattachment/servers';

const page = readFileSync('docs/operations/failover.md', 'utf8');
const definition = /^device\(\) \{.*?; \}$/ms.exec(page)![0];

const device = (position: number): string =>
  execFileSync('bash', ['-c', `${definition}\ndevice ${position}`], { encoding: 'utf8', stdio: 'pipe' });

// The Amazon EC2 User Guide, "Device names for volumes on Amazon EC2 instances", HVM, without what is reserved for root
// volumes and disks. Of /dev/sdba EC2 says that it "is not a valid EBS device name" (kubernetes/kubernetes issue
// 27534).
test('every volume that a slot may have gets a name that EC2 takes, and each another one', () => {
  const names = Array.from({ length: 37 }, (_, position) => deviceName(position));
  for (const name of names) expect(name).toMatch(/^\/dev\/(sd[f-z]|xvd[b-d][a-x])$/);
  expect(new Set(names).size).toBe(names.length);
});

describe('the runbook names devices', () => {
  test.each([0, 10, 11, 12, 34, 35, 36])('as the construct does: volume %i', (position) => {
    expect(device(position)).toBe(`${deviceName(position)}\n`);
  });

  test('and gives no half name where there is none', () => {
    expect(() => device(37)).toThrow('there is no name for the position 37');
  });

  test('wherever it attaches a volume or writes a row', () => {
    expect(page.match(/\$\(device \$position\)/g)).toHaveLength(2);
    expect(page.replace(definition, '')).not.toMatch(/\/dev\/(sd|xvd)/);
  });
});

/** The commands of a page, each in one line. */
const commandsOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^ *```sh\n(.*?)^ *```/gms)].flatMap(([, block]) =>
    block!.replace(/\\\n */g, ' ').split('\n'),
  );

// With text the CLI asks the query of each page by itself, and prints None for those that have nothing (AWS CLI User
// Guide, "Filtering output"): in an account of more than 50 functions the name of a function would come with several
// None.
test('no command takes one element of a list that comes in pages as text', () => {
  const pages = readdirSync('docs/operations').map((name) => `docs/operations/${name}`);
  const commands = ['docs/operations.md', ...pages].flatMap(commandsOf);
  expect(commands.length).toBeGreaterThan(200);
  const ofPages = commands.filter(
    (each) => /\[-?\d+\](\.\w+)?["']/.test(each) && !/--max-results/.test(each),
  );
  expect(
    ofPages.filter((each) => /aws (lambda list|dynamodb list|sqs list-queues|ssm list).*text/.test(each)),
  ).toEqual([]);
});

test('a server that waits at its hook is given signs of life while the workflow is kept out', () => {
  expect(
    commandsOf('docs/operations/failover.md').map((command) => command.replace(/\s+/g, ' ')),
  ).toContainEqual(
    expect.stringContaining(
      `record-lifecycle-action-heartbeat --auto-scaling-group-name "$GROUP" --lifecycle-hook-name ${LAUNCH_HOOK} `,
    ),
  );
});
