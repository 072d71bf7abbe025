import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import { parseBundle } from '../../../cli/evidence/options';
import { type BundleAws, bringBundle } from '../../../cli/run-bundle';
import { HOSTS, mine, screens } from './fakes';

const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** An archive as a host sends it. */
async function hostPart(files: { [name: string]: string }): Promise<Buffer> {
  const archive = pack();
  for (const [name, text] of Object.entries(files)) archive.entry({ name }, text);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return gzipSync(Buffer.concat(chunks));
}

async function opened(file: string): Promise<{ [name: string]: string }> {
  const found: { [name: string]: string } = {};
  const archive = extract();
  Readable.from([gunzipSync(readFileSync(file))]).pipe(archive);
  for await (const entry of archive) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    found[entry.header.name] = Buffer.concat(chunks).toString();
  }
  return found;
}

const MISSING = [{ file: 'hosts/node1_i-3.tar.gz', from: 'node1 (i-3)', remark: 'it is stopped' }];

async function bundle(args: string[], replaced: Partial<BundleAws> = {}, without: string[] = []) {
  const { said, output } = screens();
  const started: object[] = [];
  const part = await hostPart({ './journal.txt': 'served', '../../evil.txt': 'x', '/etc/evil': 'y' });
  const objects: { [path: string]: Buffer } = {
    '.state/plan.json': Buffer.from('{}'),
    'contents.json': Buffer.from(JSON.stringify({ files: [], missing: MISSING })),
    'contents.txt': Buffer.from('what is in it'),
    'hosts/oss-00_i-1.tar.gz': part,
    'alarms.json': Buffer.from('{}'),
  };
  const statuses = ['RUNNING', 'SUCCEEDED'];
  const aws: BundleAws = {
    ...HOSTS,
    start: async (_, name, input) => {
      started.push({ name, input });
      return 'arn';
    },
    execution: async (arn) => ({ arn, status: statuses.shift() ?? 'SUCCEEDED' }),
    running: async () => undefined,
    at: async () => undefined,
    list: async (_, prefix) =>
      Object.entries(objects).map(([path, body]) => ({ key: prefix + path, bytes: body.length })),
    get: async (_, key) => Readable.from([objects[key.replace(/^bundles\/[^/]+\//, '')]!]),
    ...replaced,
  };
  const code = await bringBundle(
    parseBundle(['mine', ...args]),
    output,
    await mine(without),
    aws,
    async () => {},
  );
  return { code, started, ...said };
}

test('the archive has what is in the bucket, with the parts of hosts unpacked, for its owner only', async () => {
  const file = join(folder, 'a.tar.gz');
  const { code, out, started } = await bundle(['--out', file, '--since', '6h']);
  expect(code).toBe(0);
  expect(started).toEqual([
    { name: expect.stringMatching(/^bundle-\d{8}-\d{6}$/), input: { sinceHours: 6 } },
  ]);
  const files = await opened(file);
  const [first] = Object.keys(files);
  const root = first!.split('/')[0]!;
  expect(files).toEqual({
    [`${root}/contents.txt`]: 'what is in it',
    [`${root}/hosts/oss-00_i-1/journal.txt`]: 'served',
    [`${root}/hosts/oss-00_i-1/evil.txt`]: 'x',
    [`${root}/hosts/oss-00_i-1/etc/evil`]: 'y',
    [`${root}/alarms.json`]: '{}',
  });
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(out).toContain('missing: node1 (i-3): it is stopped');
  expect(out).toContain('5 files, secrets removed; 1 missing');
});

test('one host is named by its slot', async () => {
  const { started } = await bundle(['--host', 'oss-01', '--out', join(folder, 'b.tar.gz')]);
  expect(started).toMatchObject([{ input: { hosts: ['i-2'] } }]);
});

test('--dry-run starts nothing, and says what would be collected', async () => {
  const { started, out } = await bundle(['--dry-run']);
  expect(started).toEqual([]);
  expect(out).toContain('hosts: node1 (i-3, stopped), oss-00 (i-1, running), oss-01 (i-2, running)');
  expect(out).toContain('logs: storage/lustre-oss-reconciler, grid/grid-health-function');
});

test('--id starts nothing, and gets what is there', async () => {
  const { started, code, out } = await bundle([
    '--id',
    'bundle-1',
    '--out',
    join(folder, 'c.tar.gz'),
    '--json',
  ]);
  expect([code, started]).toEqual([0, []]);
  expect(JSON.parse(out)).toMatchObject({ id: 'bundle-1', files: 5, missing: MISSING });
});

test('one that failed says why, and leaves no file', async () => {
  const file = join(folder, 'd.tar.gz');
  const { code, err } = await bundle(['--out', file], {
    execution: async (arn) => ({ arn, status: 'FAILED', why: 'BundleRefused: no' }),
  });
  expect(code).toBe(1);
  expect(err).toContain('failed: BundleRefused: no');
  expect(() => statSync(file)).toThrow();
});

test('an archive whose parts cannot be read to the end is none', async () => {
  const file = join(folder, 'e.tar.gz');
  const broken = bundle(['--out', file], {
    get: async () => {
      throw new Error('gone');
    },
  });
  await expect(broken).rejects.toThrow('gone');
  expect(() => statSync(file)).toThrow();
  expect(() => statSync(`${file}.part`)).toThrow();
});

test('a file that is there is not overwritten, and nothing is started', async () => {
  const file = join(folder, 'f.tar.gz');
  writeFileSync(file, 'mine');
  await expect(bundle(['--out', file])).rejects.toThrow('is there: name another file');
  await expect(bundle(['--out', join(folder, 'no', 'x')])).rejects.toThrow('whose folder is not there');
});

test('the stack of operations is needed', async () => {
  await expect(bundle([], {}, ['BundleWorkflow'])).rejects.toThrow('make deploy DEPLOYMENT=mine');
});
