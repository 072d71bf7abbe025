import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { layIn } from '../../../cli/backup/lay-in';
import { parseBackup, parseRestore } from '../../../cli/backup/options';
import { whyNot } from '../../../cli/run-backup';
import { restore } from '../../../cli/run-restore';
import { type FoundSet, type FoundSnapshot, setsOf } from '../../../lambda/shared/backup-set';

const snapshot = (tier: string, slot: string, position: number, address = '10.0.0.1'): FoundSnapshot => ({
  snapshotId: `snap-${slot}-${position}`,
  status: 'completed',
  startedAt: Date.parse('2026-11-28T01:02:03Z'),
  tier,
  slot,
  position,
  address,
});
const set = (kind: string, snapshots: FoundSnapshot[], more: Partial<FoundSet> = {}): FoundSet => ({
  set: '20261128T010203Z',
  kind,
  state: 'complete',
  size: snapshots.length,
  protect: false,
  snapshots,
  ...more,
});
const NFS = set('nfs', [snapshot('nfs', 'nfs-00', 1), snapshot('nfs', 'nfs-00', 0)]);
const GFS2 = set('gfs2', [snapshot('gfs2', 'gfs2-00', 1, ''), snapshot('gfs2', 'gfs2-00', 0, '')]);
const LUSTRE = set('lustre', [
  snapshot('oss', 'oss-01', 0, '10.0.0.4'),
  snapshot('oss', 'oss-00', 0, '10.0.0.3'),
  snapshot('mgs', 'mgs-00', 0, '10.0.0.1'),
  snapshot('mds', 'mds-00', 0, '10.0.0.2'),
]);

const FSX = set('fsx-lustre', [
  {
    ...snapshot('', '', 0),
    snapshotId: 'backup-0123456789abcdef0',
    madeWith: { capacityGiB: 4800, throughputPerTiB: 250 },
  },
]);

describe('a set is laid into a configuration', () => {
  test('of FSx for Lustre, with the capacity and the throughput that it had', () => {
    const text =
      'region: us-east-1\nfsxLustre:\n  # grown since\n  ssd:\n    capacityGiB: 9600\n    throughputPerTiB: 500\n';
    const laid = layIn(text, 'x.yaml', FSX, 'us-east-1');
    expect(laid).toContain('# grown since');
    expect(parse(laid).fsxLustre).toEqual({
      ssd: { capacityGiB: 4800, throughputPerTiB: 250 },
      restoreFrom: 'backup-0123456789abcdef0',
    });
    expect(layIn(laid, 'x.yaml', FSX, 'us-east-1')).toBe(laid);
  });

  test('of FSx with Intelligent-Tiering without a capacity, which no configuration of it has', () => {
    const text = 'fsxLustre:\n  intelligentTiering:\n    throughputMBps: 8000\n';
    const madeWith = { capacityGiB: 0, throughputMBps: 4000 };
    const tiering = set('fsx-lustre', [{ ...FSX.snapshots[0]!, madeWith }]);
    expect(parse(layIn(text, 'x.yaml', tiering)).fsxLustre).toEqual({
      intelligentTiering: { throughputMBps: 4000 },
      restoreFrom: 'backup-0123456789abcdef0',
    });
  });

  test('of an NFS server, in serving order, without what is of the other server', () => {
    const text =
      '# mine\nnfs:\n  address: 10.0.0.9\n  ebs:\n    preset: Medium-5TB\n    existingVolumes: [vol-12345678]\n';
    const laid = layIn(text, 'x.yaml', NFS);
    expect(laid).toContain('# mine');
    const restoreFrom = { set: NFS.set, snapshots: ['snap-nfs-00-0', 'snap-nfs-00-1'] };
    expect(parse(laid)).toEqual({ nfs: { ebs: { preset: 'Medium-5TB', restoreFrom } } });
    expect(layIn(laid, 'x.yaml', NFS)).toBe(laid);
    const there = 'region: eu-west-1\nnetwork:\n  availabilityZone: eu-west-1a\n';
    expect(layIn(`${there}${text}`, 'x.yaml', NFS, 'eu-west-1')).toContain('availabilityZone: eu-west-1a');
    const elsewhere = layIn(`${there}${text}`, 'x.yaml', NFS, 'us-east-2');
    expect(elsewhere).toContain('region: us-east-2');
    expect(elsewhere).not.toContain('availabilityZone');
  });

  test('of a cluster, whose name stays: it is on the volumes', () => {
    const text = 'io2:\n  nodes: 3\n  clusterName: mine\n  addresses: [10.0.0.1, 10.0.0.2, 10.0.0.3]\n';
    const laid = layIn(text, 'x.yaml', GFS2);
    const restoreFrom = { set: GFS2.set, snapshots: ['snap-gfs2-00-0', 'snap-gfs2-00-1'] };
    expect(parse(laid)).toEqual({ io2: { nodes: 3, clusterName: 'mine', restoreFrom } });
  });

  test('of Lustre, with the addresses that its targets know', () => {
    const { storage } = parse(
      layIn('storage:\n  preset: current\n  oss:\n    hotSpares: 1\n', 'x.yaml', LUSTRE),
    );
    expect(storage.oss).toEqual({
      hotSpares: 1,
      count: 2,
      addresses: ['10.0.0.3', '10.0.0.4'],
      restoreFrom: { set: LUSTRE.set, snapshots: ['snap-oss-00-0', 'snap-oss-01-0'] },
    });
    expect(storage.mgs.addresses).toEqual(['10.0.0.1']);
  });

  test.each<[string, string, FoundSet, RegExp]>([
    ['Lustre in an existing network', 'existingNetwork: {}\nstorage: {}\n', LUSTRE, /know the addresses/],
    [
      'a tier without snapshots',
      'storage: {}\n',
      { ...LUSTRE, snapshots: LUSTRE.snapshots.slice(0, 3) },
      /no snapshot of tier mds/,
    ],
    ['a gap', 'nfs:\n  ebs: {}\n', set('nfs', [snapshot('nfs', 'nfs-00', 1)]), /incomplete, or mixed/],
    [
      'a slot that is missing',
      'storage: {}\n',
      set('lustre', [...LUSTRE.snapshots.filter(({ slot }) => slot !== 'oss-00')]),
      /incomplete, or mixed/,
    ],
    [
      'a place twice',
      'nfs:\n  ebs: {}\n',
      set('nfs', [snapshot('nfs', 'nfs-00', 0), snapshot('nfs', 'nfs-00', 0)]),
      /mixed/,
    ],
    ['another kind of file system', 'storage: {}\n', NFS, /has no nfs/],
    ['FSx into something else', 'nfs:\n  ebs: {}\n', FSX, /has no fsxLustre/],
    [
      'FSx of another storage class',
      'fsxLustre:\n  intelligentTiering:\n    throughputMBps: 4000\n',
      FSX,
      /has no fsxLustre\.ssd/,
    ],
    [
      'more than one file system',
      'fsxLustre:\n  ssd: {}\n',
      { ...FSX, snapshots: [...FSX.snapshots, ...FSX.snapshots] },
      /made of one/,
    ],
    ['a kind that nobody knows', 'storage: {}\n', set('', []), /of the kind ''/],
  ])('%s is refused', (_, text, given, message) => {
    expect(() => layIn(text, 'x.yaml', given)).toThrow(message);
  });
});

describe('restore', () => {
  let folder: string;
  const said: string[] = [];
  const output = { out: { write: (text: string) => said.push(text) }, err: { write: () => 0 }, env: {} };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'restore-'));
    writeFileSync(join(folder, 'mine.yaml'), 'nfs:\n  ebs:\n    preset: Medium-5TB\n');
    said.length = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (args: string, sets: FoundSet[]) =>
    restore(
      parseRestore(['mine', '--as', 'again', ...args.split(' ').filter(Boolean)]),
      output as never,
      sets,
      {
        from: join(folder, 'mine.yaml'),
        to: join(folder, 'again.yaml'),
        region: 'us-east-1',
      },
    );
  const written = () => parse(readFileSync(join(folder, 'again.yaml'), 'utf8'));

  test('takes the newest set that can be restored, and can be run again', async () => {
    const torn = { ...NFS, set: 'torn', state: 'torn' };
    expect(await run('--yes', [torn, NFS])).toBe(0);
    expect(written().nfs.ebs.restoreFrom.set).toBe(NFS.set);
    expect(await run('--yes', [torn, NFS])).toBe(0);
  });

  test('refuses sets that are torn, incomplete or still copied, and files that are there', async () => {
    expect(await run('--yes --set 20261128T010203Z', [{ ...NFS, state: 'torn' }])).toBe(1);
    expect(await run('--yes', [{ ...NFS, size: 3 }])).toBe(1);
    expect(await run('--yes', [set('nfs', [{ ...snapshot('nfs', 'nfs-00', 0), status: 'pending' }])])).toBe(
      1,
    );
    expect(await run('--yes', [])).toBe(1);
    expect(await run('--yes --set none', [NFS])).toBe(1);
    expect(said.join('')).toMatch(
      /torn: never restored[\s\S]*2 of 3 snapshots[\s\S]*EBS still copies: 0 of 1/,
    );
    writeFileSync(join(folder, 'again.yaml'), 'nfs: {}\n');
    expect(await run('--yes', [NFS])).toBe(1);
    expect(written()).toEqual({ nfs: {} });
  });

  test('of sets of two deployments of one name, wants to be told which', async () => {
    const theirs = { ...NFS, set: '20261129T010203Z', from: '444455556666/eu-west-1' };
    expect(await run('--yes', [theirs, NFS])).toBe(1);
    expect(said.join('')).toMatch(/from several places, 444455556666.eu-west-1 and us-east-1/);
    expect(await run(`--yes --set ${NFS.set}`, [theirs, NFS])).toBe(0);
    expect(written().nfs.ebs.restoreFrom.set).toBe(NFS.set);
  });

  test('with --dry-run only prints the configuration', async () => {
    expect(await run('--dry-run', [NFS])).toBe(0);
    expect(said.join('')).toContain('restoreFrom');
    expect(written).toThrow();
  });
});

test('a set whose snapshots do not say the same is torn', () => {
  const tags = (state: string, from?: string) => [
    ...(from === undefined ? [] : [{ Key: 'cdk-sas-grid:backup-copy-from', Value: from }]),
    { Key: 'cdk-sas-grid:backup-set', Value: 's' },
    { Key: 'cdk-sas-grid:backup-size', Value: '2' },
    { Key: 'cdk-sas-grid:backup-state', Value: state },
  ];
  const found = setsOf([{ Tags: tags('complete') }, { Tags: tags('taking') }, { Tags: [] }]);
  expect(found).toHaveLength(1);
  expect(whyNot(found[0]!)).toMatch(/torn/);
  const [mixed] = setsOf([{ Tags: tags('complete', 'here') }, { Tags: tags('complete', 'there') }]);
  expect(whyNot(mixed!)).toMatch(/torn/);
});

test('options that do not go together, and names that are none, are refused', () => {
  expect(() => parseBackup(['mine', '--list', '--protect'])).toThrow(/--list/);
  expect(() => parseRestore(['mine'])).toThrow(/--as is ''/);
  expect(() => parseRestore(['mine', '--as', 'mine'])).toThrow(/another name than mine/);
});
