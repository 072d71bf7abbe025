import { showStatus } from '../../../cli/run-status';
import { parseStatus } from '../../../cli/status/options';
import type { StatusAws } from '../../../cli/status/port';
import { accountWith, resource } from '../deployment/account';
import { ago, group, instance, NOW } from './account';
import { GRID, NFS, nfsAws, report, status, WHERE } from './looking';

test('a cluster has hosts and shared volumes; FSx has a file system', async () => {
  const storage = (...resources: Parameters<typeof resource>[]) => [
    { name: 'mine-storage', resources: resources.map((one) => resource(...one)) },
  ];
  const cluster = await report(
    nfsAws({
      slotItems: async () => [],
      groups: async () => [group('node1', '', ['i-node1'], { tags: { Name: 'mine-storage-node1' } })],
      health: async () => ({}),
    }),
    storage(['V1', 'AWS::EC2::Volume', 'vol-1'], ['V2', 'AWS::EC2::Volume', 'vol-2']),
  );
  expect(cluster).toMatchObject({
    code: 0,
    hosts: [{ server: 'i-node1' }],
    shared: { what: '2 shared volumes', readMBps: 240.8 },
  });
  const fsx = await status(
    nfsAws({ slotItems: async () => [], groups: async () => [], freeBytes: async () => 2.5 * 2 ** 40 }),
    storage(['Fsx', 'AWS::FSx::FileSystem', 'fs-1']),
  );
  const copying = await report(
    nfsAws({
      slotItems: async () => [],
      groups: async () => [],
      backups: async ([fileSystem = '']) => [{ fileSystem, percent: 40, since: ago(3) }],
    }),
    storage(['Fsx', 'AWS::FSx::FileSystem', 'fs-1']),
  );
  expect(copying).toMatchObject({
    code: 0,
    underWay: [{ what: 'backup', text: 'FSx makes a backup of fs-1, 40 % done' }],
  });
  expect(fsx.text).toContain(
    'Shared     file system fs-1 of FSx, 2.5 TiB free, read 120 MB/s, write 3.2 MB/s\n',
  );
});

test('--hosts asks those that run, and shows how full they are', async () => {
  const df = `Type  1K-blocks  Used Avail Inodes IUsed Mounted on
xfs  20000000 9000000 11000000 100000 9000 /
ext4 1000000000 450000000 500000000 65536000 655360 /srv/nfs/sasdata
xfs 5000 5000 0 100 100 /saswork`;
  const asked: string[] = [];
  const run = async (ids: readonly string[]) => {
    asked.push(...ids);
    return { 'i-nfs-00': df };
  };
  const instances = async (ids: readonly string[]) =>
    ids.map((id) => instance(id, { state: id === 'i-node1' ? 'stopped' : 'running' }));
  const { text } = await status(nfsAws({ run, instances }), [NFS, GRID], '--hosts');
  expect(asked).toEqual(['i-nfs-00']);
  expect(text).toMatch(/nfs-00 .* 48 % of 954 GiB +1 % /);
});

test('what is under way: a benchmark, snapshots and an instance refresh do not make it unwell', async () => {
  const found = await report(
    nfsAws({
      executions: async (arn) => (arn === 'measures' ? [{ name: 'run-1', arn, since: ago(4) }] : []),
      snapshots: async () => [{ id: 'snap-1', volumeId: 'vol-nfs-00', progress: '40%', since: ago(3) }],
      refreshes: async () => [{ status: 'InProgress', percent: 50, since: ago(2) }],
    }),
    [
      NFS,
      GRID,
      { name: 'mine-benchmark', resources: [resource('W', 'AWS::StepFunctions::StateMachine', 'measures')] },
    ],
  );
  expect(found.underWay.map(({ what, text }) => `${what}: ${text}`)).toEqual([
    'roll: servers of group-nfs are replaced one after the other: InProgress, 50 %',
    'backup: 1 snapshot of volumes being made, 40 % or more done',
    'benchmark: the benchmark measures (execution run-1)',
  ]);
  expect(found.code).toBe(0);
});

describe('--watch', () => {
  async function watch(looks: readonly StatusAws[], isTTY: boolean, ...args: string[]): Promise<string> {
    let [text, look, reads] = ['', 0, 0];
    const screen = { isTTY, write: (more: string) => (text += more) };
    const stacks = accountWith([NFS, GRID]);
    const aws = new Proxy({} as StatusAws, { get: (_, call: keyof StatusAws) => looks[look]![call] });
    await showStatus(
      parseStatus(['mine', '--watch', ...args]),
      { out: screen, err: screen, env: { NO_COLOR: '1' } },
      {
        where: WHERE,
        stacks: {
          ...stacks,
          resources: (id) => {
            reads++;
            return stacks.resources(id);
          },
        },
        aws,
        now: () => NOW + look * 10_000,
        pause: async () => ++look < looks.length,
      },
    );
    // Stacks that have not changed are not read again.
    expect(reads).toBe(2);
    return text;
  }
  const busier = nfsAws({ throughput: async () => ({}) });
  const lost = nfsAws({ instances: async () => [instance('i-node1')] });

  test('without a terminal it prints again only when something has changed', async () => {
    const text = await watch([nfsAws(), busier, lost, lost], false, '--json');
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).verdict),
    ).toEqual(['well', 'time']);
  });

  test('on a terminal the screen is renewed', async () => {
    const text = await watch([nfsAws(), busier, lost], true);
    expect(text.split('\u001b[H\u001b[2J\u001b[3J')).toHaveLength(4);
  });
});
