import { type LogsOptions, parseLogs } from '../../../cli/evidence/options';
import type { LogEvent, LogsAws } from '../../../cli/evidence/port';
import { showLogs } from '../../../cli/run-logs';
import { HOSTS, mine, screens } from './fakes';

const NOW = Date.parse('2026-11-28T10:00:00Z');
const event = (id: string, second: number, message: string): LogEvent => ({
  id,
  at: NOW + second * 1000,
  stream: 's',
  message,
});

const AWS: LogsAws & typeof HOSTS = {
  ...HOSTS,
  events: async (group) => ({
    events:
      group === 'reconciler'
        ? [event('1', 1, 'pass'), event('2', 3, 'END RequestId: x'), event('3', 5, 'served\u001b[2J')]
        : [event('4', 2, 'round')],
    cut: false,
  }),
  journal: async () => ({ text: 'cut off: 7 earlier lines\nmounted /sasdata\nserved\n' }),
};

async function logs(args: string[], aws: Partial<LogsAws> = {}, looks = 1, without: string[] = []) {
  const { said, output } = screens();
  let left = looks;
  const clock = { now: () => NOW, pause: async () => --left > 0 };
  const options: LogsOptions = parseLogs(['mine', ...args]);
  const code = await showLogs(options, output, await mine(without), { ...AWS, ...aws }, clock);
  return { code, ...said };
}

test('lines of all stacks come in the order of time, with the names of what wrote them', async () => {
  const { out, code } = await logs([]);
  expect(code).toBe(0);
  expect(out.split('\n').slice(0, -1)).toEqual([
    '2026-11-28T10:00:01.000Z  storage/lustre-oss-reconciler  pass',
    '2026-11-28T10:00:02.000Z  grid/grid-health-function      round',
    expect.stringMatching(/storage\/lustre-oss-reconciler {2}served/),
  ]);
  // Nothing that a terminal would obey.
  expect(out).not.toContain('\u001b');
});

test('--all shows what Lambda says, too', async () => {
  expect((await logs(['--all'])).out).toContain('END RequestId');
});

test('--json gives an object a line', async () => {
  const [first] = (await logs(['--json'])).out.split('\n');
  expect(JSON.parse(first!)).toEqual({
    at: '2026-11-28T10:00:01.000Z',
    source: 'storage/lustre-oss-reconciler',
    group: 'reconciler',
    stream: 's',
    message: 'pass',
  });
});

test('--follow shows each line once', async () => {
  const { out } = await logs(['--follow'], {}, 3);
  expect(out.match(/pass/g)).toHaveLength(1);
});

test('a log that cannot be read hides no other', async () => {
  const { code, out, err } = await logs([], {
    events: async (group) => {
      if (group === 'health') throw new Error('the right to logs:FilterLogEvents is missing');
      return { events: [event('1', 1, 'pass')], cut: true };
    },
  });
  expect(code).toBe(1);
  expect(out).toContain('pass');
  expect(err).toContain('grid/grid-health-function cannot be read: Error: the right to logs:FilterLogEvents');
  expect(err).toContain('storage/lustre-oss-reconciler: only the newest 10000 lines');
});

describe('the journal of a host', () => {
  test('is asked for by its slot, and says when it was cut off', async () => {
    const asked: string[] = [];
    const { out, code } = await logs(['oss-01', '--filter', 'served'], {
      journal: async (document, id) => {
        asked.push(`${document} ${id}`);
        return AWS.journal(document, id, 0);
      },
    });
    expect([code, asked]).toEqual([0, ['Journal i-2']]);
    expect(out).toBe('cut off: 7 earlier lines\nserved\n');
  });

  test('of one that does not answer is said, with what to do', async () => {
    const { code, err } = await logs(['oss-00'], { journal: async () => ({ text: '', why: 'no agent' }) });
    expect(code).toBe(1);
    expect(err).toContain('oss-00 (i-1) has not answered: no agent');
    expect(err).toContain('aws ec2 get-console-output --latest --output text --instance-id i-1');
    expect((await logs(['node1'])).err).toContain('node1 (i-3) has not answered: it is stopped');
  });

  test.each([
    ['oss-07', "'oss-07' is no host of the deployment; there are: node1 (i-3), oss-00 (i-1), oss-01 (i-2)"],
    ['mine-storage-oss', "'mine-storage-oss' is the name of 2 hosts: name one by its slot"],
  ])('of %s is refused', async (word, message) => {
    await expect(logs([word])).rejects.toThrow(message);
  });

  test('needs the stack of operations', async () => {
    await expect(logs(['oss-00'], {}, 1, ['JournalDocument'])).rejects.toThrow(
      'The stack mine-operations, which has logs of a host, is not there or not complete',
    );
  });
});
