import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { OptionError } from '../../cli/arguments';
import { Terminal } from '../../cli/terminal';
import { toItem } from '../../lambda/shared/attributes';
import { recoveryItem } from '../../lambda/shared/recoveries';
import { recoveryOf } from '../../lambda/shared/timeline';
import { parseOptions } from '../../scripts/recovery-time/options';
import { ReadError, readTimes, type Times, tableOf } from '../../scripts/recovery-time/read';
import { json, percentile, report, summaries } from '../../scripts/recovery-time/report';

const OFFLINE = { region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } };
const START = Date.parse('2026-03-01T10:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();

/** A recovery that began so many hours after the first and took so many seconds. */
function timeline(hour: number, total: number, spare = false) {
  const from = hour * 3600;
  return {
    failed: at(from),
    detected: at(from + 2),
    launched: at(spare ? -86_400 : from + 3),
    ...(spare ? { spare: at(from + total - 6) } : {}),
    fenced: at(from + 10),
    detached: at(from + 10),
    vacated: at(from + 10),
    claimed: at(from + total - 6),
    attached: at(from + total - 4),
    commandSent: at(from + total - 4),
    served: at(from + total - 1),
    completed: at(from + total),
  };
}

const ended = (
  tier: string,
  slot: string,
  epoch: number,
  times: ReturnType<typeof timeline> & { readonly fallback?: string },
) =>
  recoveryItem(
    tier,
    { slot, epoch, owner: `i-${epoch}`, serverType: `m${epoch}.large`, timeline: times },
    recoveryOf(times)!,
  );

const slotRow = (tier: string, slot: string, times: object, reason?: string) => ({
  tier,
  item: `slot#${slot}`,
  slot,
  networkInterfaceId: 'eni-1',
  address: '10.0.0.1',
  volumes: [{ volumeId: 'vol-1', device: '/dev/sdf' }],
  epoch: 1,
  servedEpoch: 1,
  formatted: true,
  timeline: times as never,
  reason,
});

const ITEMS = [
  slotRow('oss', 'oss-00', timeline(3, 40, true)),
  slotRow('oss', 'oss-01', { detected: at(20_000), fenced: at(20_020) }, 'no server'),
  slotRow('mgs', 'mgs-00', { claimed: at(0), completed: at(9) }),
  ended('oss', 'oss-00', 3, timeline(2, 240)),
  ended('oss', 'oss-00', 2, { ...timeline(1, 200), fallback: at(86_400) }),
  ended('oss', 'oss-00', 4, timeline(3, 40, true)),
  ended('mgs', 'mgs-00', 2, timeline(0, 300)),
  { tier: 'oss', item: 'lease', holder: 'somebody' },
  { tier: 'oss#recoveries', item: 'edited by hand', slot: 'oss-00' },
];

/** DynamoDB that answers a scan in two pages, or refuses. */
function scanning(items: object[] | Error): DynamoDBClient {
  const client = new DynamoDBClient(OFFLINE);
  const pages = items instanceof Error ? [] : [items.slice(0, 4), items.slice(4)];
  return Object.assign(client, {
    send: async () => {
      if (items instanceof Error) throw items;
      const page = pages.shift() ?? [];
      const LastEvaluatedKey = pages.length > 0 ? { tier: { S: 'oss' } } : undefined;
      return { Items: page.map((item) => toItem(item as never)), LastEvaluatedKey };
    },
  });
}

const awsError = (name: string, message = name, more: object = {}) =>
  Object.assign(new Error(message), { name, ...more });
const read = (filter: { tier?: string; last?: number } = {}): Promise<Times> =>
  readTimes(scanning(ITEMS), 'map', { last: 20, ...filter });

describe('what is read', () => {
  test('all pages, the recoveries oldest first, those that go on with what they have reached', async () => {
    const { recoveries, underWay } = await read();
    expect(recoveries.map(({ slot, epoch, seconds }) => [slot, epoch, seconds])).toEqual([
      ['mgs-00', 2, 300],
      ['oss-00', 2, 200],
      ['oss-00', 3, 240],
      ['oss-00', 4, 40],
    ]);
    expect(recoveries.map(({ bySpare }) => bySpare)).toEqual([false, false, false, true]);
    expect(recoveries.map(({ byFallback }) => byFallback)).toEqual([false, true, false, false]);
    expect(underWay).toEqual([
      { tier: 'oss', slot: 'oss-01', reached: 'fenced', at: at(20_020), reason: 'no server' },
    ]);
  });

  test('one tier, and the last ones only', async () => {
    expect((await read({ tier: 'mgs' })).recoveries).toHaveLength(1);
    expect((await read({ tier: 'mgs' })).underWay).toEqual([]);
    expect((await read({ last: 2 })).recoveries.map(({ epoch }) => epoch)).toEqual([3, 4]);
  });

  test.each([
    ['another tier', 'nfs', ITEMS, "no tier 'nfs'; it has mgs, oss"],
    ['a table without slots', undefined, [{ tier: 'x#recoveries', item: 'x' }], 'not a volume map'],
    ['no such table', undefined, awsError('ResourceNotFoundException'), '--region'],
    ['no rights', undefined, awsError('AccessDeniedException'), 'dynamodb:Scan'],
    ['no credentials', undefined, awsError('CredentialsProviderError'), 'aws sso login'],
    ['no Region', undefined, awsError('Error', 'Region is missing'), 'AWS_REGION'],
    ['no network', undefined, awsError('Error', '', { code: 'ECONNREFUSED' }), 'AWS_ENDPOINT_URL'],
  ])('%s is an error that says what to do', async (_name, tier, items, text) => {
    const reading = readTimes(scanning(items as object[]), 'map', { tier, last: 1 });
    await expect(reading).rejects.toThrow(ReadError);
    await expect(readTimes(scanning(items as object[]), 'map', { tier, last: 1 })).rejects.toThrow(
      text as string,
    );
  });

  test('a fault of the program stays one', async () => {
    await expect(readTimes(scanning(new TypeError('x')), 'map', { last: 1 })).rejects.toThrow(TypeError);
  });

  test('the table of a deployment is an output of its stack', async () => {
    const stack = (Outputs: object[]) =>
      Object.assign(new CloudFormationClient(OFFLINE), { send: async () => ({ Stacks: [{ Outputs }] }) });
    const output = { OutputKey: 'VolumeMapTable', OutputValue: 'map' };
    await expect(tableOf(stack([output]) as never, 'mine')).resolves.toBe('map');
    await expect(tableOf(stack([]) as never, 'mine')).rejects.toThrow(
      'mine-storage has no output VolumeMapTable',
    );
  });
});

describe('options', () => {
  test('exactly one way to name the map', () => {
    expect(parseOptions(['--table', 'map'])).toMatchObject({ table: 'map', last: 20, json: false });
    expect(parseOptions(['--deployment', 'mine', '--json', '--last', '3'])).toMatchObject({
      last: 3,
      json: true,
    });
    expect(parseOptions(['--help'])).toMatchObject({ help: true });
  });

  test.each([
    [[]],
    [['--table', 'a', '--deployment', 'b']],
    [['--table', '']],
    [['--table', 'a', '--last', '0']],
    [['--all']],
  ])('%j is refused', (args) => expect(() => parseOptions(args)).toThrow(OptionError));
});

describe('the report', () => {
  test.each([
    [[], 50, Number.NaN],
    [[7], 99, 7],
    [[4, 1, 3, 2], 50, 2],
    [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 90, 9],
    [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 99, 10],
  ])('the value of %j that %d percent do not exceed', (values, percent, expected) => {
    expect(percentile(values, percent)).toBe(expected);
  });

  test('recoveries by a spare are not averaged with those by a launch', async () => {
    const wholes = summaries((await read()).recoveries).filter(({ what }) => what === 'whole');
    expect(wholes.map(({ tier, by, count, p50, longest }) => [tier, by, count, p50, longest])).toEqual([
      ['mgs', 'launch', 1, 300, 300],
      ['oss', 'launch', 2, 200, 240],
      ['oss', 'spare', 1, 40, 40],
    ]);
  });

  test('is a table for people, with colour on a terminal only', async () => {
    const times = await read();
    const print = (isTTY: boolean) => {
      let text = '';
      report(times, new Terminal({ write: (more) => (text += more), isTTY }, {}));
      return text;
    };
    expect(print(true)).toContain('\u001b[');
    const plain = print(false);
    expect(plain).not.toContain('\u001b');
    expect(plain).toContain('4 recoveries in map');
    expect(plain).toContain('oss oss-01 is being recovered: fenced at 2026-03-01 15:33:40: no server');
    const line = plain.split('\n').find((each) => each.includes('i-4'))!;
    expect(line.trim().split(/\s{2,}/)).toEqual([
      '2026-03-01 13:00:40',
      'oss-00',
      '4',
      'i-4',
      'm4.large',
      'spare',
      '40.0 s',
      ...['2.0', '0.0', '8.0', '0.0', '24.0', '2.0', '3.0', '1.0'],
    ]);
    expect(plain).toMatch(/ i-2 +m2\.large\* +launch /);
    expect(plain).toContain('* another type than its tier');
    expect(Math.max(...plain.split('\n').map((each) => each.length))).toBeLessThanOrEqual(140);
  });

  test('of no recovery says so', () => {
    let text = '';
    report(
      { table: 'map', recoveries: [], underWay: [] },
      new Terminal({ write: (more) => (text += more) }, {}),
    );
    expect(text).toContain('0 recoveries');
    expect(text).toContain('None has ended yet');
  });

  test('is JSON for programs', async () => {
    const found = JSON.parse(JSON.stringify(json(await read())));
    expect(found).toMatchObject({ schemaVersion: 1, table: 'map' });
    expect(found.recoveries[3]).toMatchObject({ slot: 'oss-00', bySpare: true, seconds: 40 });
    expect(found.summaries).toContainEqual(
      expect.objectContaining({ tier: 'oss', by: 'spare', what: 'wait' }),
    );
  });
});
