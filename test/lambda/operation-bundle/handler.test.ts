import { type BundleEvent, handle } from '../../../lambda/operation-bundle/handler';
import type { Contents } from '../../../lambda/operation-bundle/plan';
import type { CommandLook, Host, Ports } from '../../../lambda/operation-bundle/ports';
import { HOST_SECONDS } from '../../../lambda/operation-bundle/settings';

const SETTINGS = { deployment: 'mine', stacks: ['mine-storage', 'mine-grid'], tables: ['Map'] };
const ID = 'bundle-1';
const NOW = Date.parse('2026-11-28T10:00:00Z');

const HOSTS: Host[] = [
  { instanceId: 'i-1', state: 'running', name: 'mine-storage-oss' },
  { instanceId: 'i-2', state: 'stopped', name: 'node1' },
  { instanceId: 'i-3', state: 'running', name: 'node2' },
];

/** A deployment with these hosts; what is replaced may fail. */
function world(replaced: { hosts?: Partial<Ports['hosts']>; sources?: Partial<Ports['sources']> } = {}) {
  const objects = new Map<string, string>();
  const looks = new Map<string, CommandLook>();
  const sent: { instanceId: string; address: string; since: number }[] = [];
  const time = { now: NOW };
  const ports: Ports = {
    now: () => time.now,
    hosts: {
      find: async () => HOSTS,
      reachable: async (ids) => new Map(ids.map((id) => [id, 'Online'])),
      ask: async (instanceId, address, since) => {
        sent.push({ instanceId, address, since });
        return `command-${instanceId}`;
      },
      look: async () => looks,
      ...replaced.hosts,
    },
    sources: {
      stack: async (name) =>
        name === 'mine-storage'
          ? { name, logs: [{ logicalId: 'LustreOssReconcilerLogs5A7511FD', group: 'group-1' }] }
          : undefined,
      owners: async () => new Map([['i-1', 'oss-00']]),
      rows: async () => ({ text: '[{"item":"slot#oss-00","token":"geheim"}]' }),
      stackStory: async (name) => ({ text: `story of ${name}` }),
      alarms: async () => ({ text: '{}' }),
      log: async () => ({ text: 'password=geheim\n', remark: 'only the newest' }),
      ...replaced.sources,
    },
    store: {
      read: async (key) => (objects.has(key) ? JSON.parse(objects.get(key)!) : undefined),
      write: async (key, text) => void objects.set(key, text),
      sizes: async (prefix) =>
        new Map([...objects].flatMap(([key, text]) => (key.startsWith(prefix) ? [[key, text.length]] : []))),
      address: async (key) => `https://bucket/${key}?X-Amz-Signature=5e0f`,
    },
  };
  const take = (event: BundleEvent) => handle(event, ports, SETTINGS);
  /** As the workflow does it. */
  const all = async (input: unknown = {}) => {
    await take({ action: 'begin', id: ID, input });
    await take({ action: 'ask', id: ID });
    await take({ action: 'collect', id: ID, next: 0 });
    await take({ action: 'index', id: ID });
    return JSON.parse(objects.get(`bundles/${ID}/contents.json`)!) as Contents;
  };
  return { objects, looks, sent, time, take, all };
}

const filesOf = ({ files }: Contents) => files.map(({ file }) => file);
const why = ({ missing }: Contents, from: string) => missing.find((one) => one.from === from)?.remark;

describe('a bundle', () => {
  test('has rows, stacks, alarms and logs by the names that people know, without secrets', async () => {
    const { all, objects } = world();
    expect(filesOf(await all())).toEqual([
      'volume-map.json',
      'alarms.json',
      'stacks/mine-storage.json',
      'logs/mine-storage/lustre-oss-reconciler.log',
    ]);
    expect([...objects.values()].join()).not.toContain('geheim');
    expect(objects.get(`bundles/${ID}/contents.txt`)).toContain('only the newest');
  });

  test('has what hosts have sent to addresses of their own', async () => {
    const { all, objects, sent } = world();
    objects.set(`bundles/${ID}/hosts/oss-00_i-1.tar.gz`, 'sent');
    expect(filesOf(await all({ sinceHours: 2 }))).toContain('hosts/oss-00_i-1.tar.gz');
    expect(sent.map(({ instanceId }) => instanceId)).toEqual(['i-3', 'i-1']);
    expect(new Set(sent.map(({ address }) => address)).size).toBe(2);
    expect(sent[0]!.since).toBe((NOW - 2 * 3_600_000) / 1000);
  });

  test('says of each host that has sent nothing why', async () => {
    const { all, looks } = world({
      hosts: { reachable: async () => new Map([['i-1', 'Online']]) },
    });
    looks.set('command-i-1', { ended: true, why: 'S3 refused it: 403 ?X-Amz-Signature=5e0f' });
    const contents = await all();
    expect(why(contents, 'oss-00 (i-1)')).toBe(
      'S3 refused it: 403 ?X-Amz-Signature=[removed: signed address]',
    );
    expect(why(contents, 'node1 (i-2)')).toBe('it is stopped');
    expect(why(contents, 'node2 (i-3)')).toBe('its agent of Systems Manager does not answer (never seen)');
  });

  test('goes on without what cannot be had', async () => {
    const refused = async () => {
      throw Object.assign(new Error('not authorized'), { name: 'AccessDenied' });
    };
    const contents = await world({
      hosts: { ask: refused },
      sources: { log: refused, owners: refused, rows: refused },
    }).all();
    expect(filesOf(contents)).toEqual(['alarms.json', 'stacks/mine-storage.json']);
    expect(why(contents, 'the log group group-1')).toBe('AccessDenied: not authorized');
    expect(why(contents, 'mine-storage-oss (i-1)')).toContain('it could not be asked');
    expect(why(contents, 'mine')).toContain('the owners of slots cannot be looked for');
  });

  test('waits for hosts, and not for ever', async () => {
    const { take, looks, time, objects } = world();
    await take({ action: 'begin', id: ID, input: {} });
    await take({ action: 'ask', id: ID });
    looks.set('command-i-1', { ended: false });
    objects.set(`bundles/${ID}/hosts/node2_i-3.tar.gz`, 'sent');
    expect(await take({ action: 'look', id: ID })).toMatchObject({ outcome: 'wait', waiting: 1 });
    time.now += (HOST_SECONDS + 1) * 1000;
    expect(await take({ action: 'look', id: ID })).toMatchObject({ outcome: 'ended' });
  });

  test('asks no host twice when a step is taken again', async () => {
    const { take, sent } = world();
    await take({ action: 'begin', id: ID, input: {} });
    await take({ action: 'ask', id: ID });
    await take({ action: 'begin', id: ID, input: {} });
    await take({ action: 'ask', id: ID });
    expect(sent).toHaveLength(2);
  });

  test('stops collecting when its call gets long, and says where to go on', async () => {
    const { take, time, objects } = world({
      sources: {
        rows: async () => {
          time.now += 200_000;
          return { text: 'rows' };
        },
      },
    });
    await take({ action: 'begin', id: ID, input: {} });
    expect(await take({ action: 'collect', id: ID, next: 0 })).toEqual({ next: 1, left: true });
    expect(await take({ action: 'collect', id: ID, next: 1 })).toEqual({ next: 4, left: false });
    expect(objects.has(`bundles/${ID}/alarms.json`)).toBe(true);
  });
});

describe('a request', () => {
  test('can name the hosts', async () => {
    const { all, sent } = world();
    await all({ hosts: ['i-3'] });
    expect(sent.map(({ instanceId }) => instanceId)).toEqual(['i-3']);
  });

  test.each([
    [{ sinceHours: 0 }, 'sinceHours is 0; allowed: a number above 0, at most 720'],
    [{ sinceHours: '2' }, 'sinceHours is "2"'],
    [{ hosts: 'i-1' }, 'hosts is "i-1"; allowed: a list'],
    [{ hosts: ['i-9'] }, 'hosts has i-9; allowed: instances of mine: '],
  ])('%j is refused', async (input, message) => {
    const begun = world().take({ action: 'begin', id: ID, input });
    await expect(begun).rejects.toMatchObject({
      name: 'BundleRefused',
      message: expect.stringContaining(message),
    });
  });

  test('with another id is refused: it is a folder', async () => {
    await expect(world().take({ action: 'look', id: '../x' })).rejects.toThrow("id is '../x'; allowed");
  });
});
