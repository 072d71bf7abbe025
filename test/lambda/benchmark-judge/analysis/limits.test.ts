import type { KnownStorage } from '../../../../constructs/sizing/plan';
import type { MeasuredPath } from '../../../../lambda/shared/benchmark/plan';
import type { Figure } from '../../../../lambda/shared/benchmark/result';
import * as samples from '../samples';

interface Given {
  readonly storage?: KnownStorage;
  readonly type: string;
  readonly hosts?: number;
  readonly cores: number;
  /** MB/s of each host, written and read. */
  readonly write: number;
  readonly read?: number;
  readonly wanted?: number;
  readonly setup?: Record<string, unknown>;
  /** Outputs of other tests, by name of the test. */
  readonly others?: { readonly [test: string]: (host: number) => string };
  /** Outputs of raw-device on storage servers. */
  readonly onServers?: string[];
}

function figures({
  storage,
  type,
  hosts = 1,
  cores,
  write,
  read = write,
  wanted = 100,
  setup,
  others = {},
  onServers = [],
}: Given): { write: Figure; read: Figure } {
  const nodes = samples.hosts(hosts, type);
  const path: MeasuredPath = {
    directory: '/data',
    use: 'shared',
    writeMBpsPerCore: wanted,
    readMBpsPerCore: wanted,
    storage,
  };
  const test = samples.plan('1-sas-io-data', 'sas-io', [nodes], { path, parameters: { Data: 'zero' } });
  const more = Object.keys(others).map((name, index) =>
    samples.plan(
      `${index + 2}-${name}`,
      name as 'network',
      nodes.map((node) => [node]),
    ),
  );
  const outputs: Record<string, Record<string, string>> = {
    [test.id]: Object.fromEntries(
      nodes.map((node) => [node.instanceId, samples.sasIo(node, { write, read }, { cores, setup })]),
    ),
    ...Object.fromEntries(
      more.map(({ id, test: name }) => [
        id,
        Object.fromEntries(nodes.map((node, index) => [node.instanceId, others[name]!(index)])),
      ]),
    ),
  };
  const servers = onServers.map((_, index) => ({ ...nodes[0]!, instanceId: `i-server${index}` }));
  const raw = samples.plan('9-raw-device', 'raw-device', [servers]);
  outputs[raw.id] = Object.fromEntries(
    servers.map(({ instanceId }, index) => [instanceId, onServers[index]!]),
  );
  const planned = [test, ...more, ...(servers.length > 0 ? [raw] : [])];
  const run = samples.runRecord('limits', [...nodes, ...servers], planned);
  const result = samples.judge({ run, outputs, history: [], endedAt: '2026-11-22T12:00:00Z' });
  const of = (phase: string) => result.figures.find((one) => one.testId === test.id && one.phase === phase)!;
  return { write: of('write'), read: of('read') };
}

const volumes = (
  count: number,
  type: string,
  more: Partial<KnownStorage['devices'][0]> = {},
): KnownStorage => ({
  kind: 'xfs',
  servers: 0,
  devices: [{ count, type, ...more }],
});

describe('the tables', () => {
  test('volumes of gp3 at what was bought: more throughput for each, or more of them', () => {
    const storage = volumes(2, 'gp3', { sizeGiB: 1000, throughputMiBps: 250 });
    const { write } = figures({ storage, type: 'r5b.4xlarge', cores: 8, write: 510 });
    expect(write).toMatchObject({
      passed: false,
      bound: { kind: 'device', what: '2 gp3 volumes of 262 MB/s each on 1 host' },
    });
    expect(write.bound!.MBps).toBeCloseTo(524.288, 3);
    expect(write.explanation).toBe(
      'Held down by 2 gp3 volumes of 262 MB/s each on 1 host: 510 of 524 MB/s (97 %). For 100 MB/s per core, ' +
        '800 MB/s in all, volumes of 393 MiB/s instead of 250, or 4 such volumes instead of 2 ' +
        'on each host are needed.',
    );
  });

  test('where more volumes would meet the EBS bandwidth of the type, that is said, too', () => {
    const storage = volumes(2, 'gp3', { throughputMiBps: 250 });
    const { write } = figures({ storage, type: 'r5b.4xlarge', cores: 8, write: 510, wanted: 300 });
    expect(write.explanation).toMatch(
      /Then the next limit is the EBS bandwidth of 1 r5b\.4xlarge, 1,250 MB\/s\.$/,
    );
  });

  test('the EBS bandwidth of the type: others with as many cores that have more', () => {
    const storage = volumes(1, 'io2', { iops: 20_000 });
    const { write } = figures({ storage, type: 'r5b.4xlarge', cores: 8, write: 1240, wanted: 200 });
    expect(write).toMatchObject({ bound: { kind: 'instance-ebs', MBps: 1250 } });
    expect(write.explanation).toMatch(
      / 1,600 MB\/s of EBS bandwidth would give 200 MB\/s per core, .*; no type with 8 cores .* has it\.$/,
    );
  });

  test('a type that shares one interface has it all for its own volumes', () => {
    const storage = volumes(8, 'gp2', { sizeGiB: 750 });
    expect(figures({ storage, type: 'i2.8xlarge', cores: 16, write: 1200 }).write.bound).toMatchObject({
      kind: 'instance-ebs',
      MBps: 1250,
    });
  });

  test('hosts of a GFS2 cluster share their volumes, and each has its own EBS bandwidth', () => {
    const storage = { ...volumes(1, 'io2', { iops: 10_000 }), kind: 'gfs2' };
    const { write } = figures({ storage, type: 'r5b.4xlarge', hosts: 3, cores: 8, write: 860 });
    expect(write.limits).toMatchObject([
      { kind: 'device', MBps: 2621.44 },
      { kind: 'instance-ebs', MBps: 3750 },
    ]);
    expect(write.bound).toMatchObject({
      kind: 'device',
      what: '1 io2 volume of 2,621 MB/s shared by the hosts',
    });
  });

  test('what a managed file system was bought with', () => {
    const storage: KnownStorage = {
      kind: 'fsx-lustre',
      servers: 0,
      devices: [],
      provisionedMBps: 1200,
    };
    const { write } = figures({
      storage,
      type: 'm6i.16xlarge',
      cores: 32,
      write: 1150,
      setup: { fileSystemType: 'lustre' },
    });
    expect(write.bound).toMatchObject({ kind: 'provisioned', MBps: 1200 });
    expect(write.explanation).toMatch(/At least 3,200 MB\/s would have to be bought/);
    expect(write.caveats).toContain(
      'The data were zeros, which cost storage with compression nothing: random data show what it does.',
    );
  });

  test('the network of the hosts that measure', () => {
    const storage: KnownStorage = {
      kind: 'lustre',
      servers: 12,
      serverType: 'm6in.8xlarge',
      devices: [{ count: 4, type: 'gp3', throughputMiBps: 1000 }],
    };
    const { write } = figures({ storage, type: 'm6i.8xlarge', cores: 16, write: 1500 });
    expect(write.bound).toMatchObject({ kind: 'client-network', MBps: 1562.5 });
    expect(write.explanation).toMatch(
      / 1,600 MB\/s of network bandwidth each would give 100 MB\/s per core, .*, \S+ and \S+ for example\.$/,
    );
  });

  test('a server that bursts: what it does for a while is not what it does all day', () => {
    const storage: KnownStorage = {
      kind: 'nfs',
      servers: 1,
      serverType: 'm6in.4xlarge',
      devices: [{ count: 1, type: 'st1', sizeGiB: 5000 }],
    };
    const { write } = figures({ storage, type: 'm6i.8xlarge', cores: 16, write: 300, wanted: 50 });
    expect(write.bound).toMatchObject({
      kind: 'device',
      what: '1 st1 volume of 205 MB/s on 1 server, for a while; 205 MB/s all day',
    });
    expect(write.bound!.MBps).toBeCloseTo(524.288, 3);
  });
});

describe('memory that answers for the disks', () => {
  test('faster than the volumes can be: it does not pass, however much is wanted', () => {
    const storage = volumes(1, 'io2', { iops: 5000 });
    const { read, write } = figures({ storage, type: 'r5b.4xlarge', cores: 8, write: 1200, read: 4800 });
    expect(write.passed).toBe(true);
    expect(read).toMatchObject({
      passed: undefined,
      bound: { kind: 'cache', MBps: expect.closeTo(4800, 3) },
    });
    expect(read.explanation).toMatch(
      /^It came from memory of hosts or servers: the EBS bandwidth of 1 r5b\.4xlarge would have allowed 1,250 MB\/s\./,
    );
  });

  test('too slow is too slow, even from memory', () => {
    const storage = volumes(1, 'io2', { iops: 500 });
    expect(figures({ storage, type: 'r5b.4xlarge', cores: 8, write: 130, read: 400 }).read).toMatchObject({
      passed: false,
      bound: { kind: 'cache' },
    });
  });

  test('small types have more network for a while: nobody can tell', () => {
    const storage: KnownStorage = { kind: 'lustre', servers: 8, devices: [] };
    expect(figures({ storage, type: 'm6i.2xlarge', cores: 4, write: 900 }).write).toMatchObject({
      passed: true,
      bound: { kind: 'client-network' },
    });
  });
});

describe('what the same run measured of the parts', () => {
  const facts = (host: number, cores = 16) =>
    samples.hostFacts(samples.hosts(2, 'i4i.8xlarge')[host]!, cores, 249_856);
  const raw = (MBps: number) => (host: number) =>
    [
      facts(host),
      samples.phase({ phase: 'read', MBps, bytes: 4e10, startedAt: samples.START + 5000, processes: 2 }),
      samples.DONE,
    ].join('\n');
  const store: KnownStorage = {
    kind: 'xfs',
    servers: 0,
    devices: [{ count: 2, type: 'instance-store' }],
  };

  test('disks without a file system bound reading from it; there is no table of instance store', () => {
    const given: Given = {
      storage: store,
      type: 'i4i.8xlarge',
      hosts: 2,
      cores: 16,
      write: 2000,
      read: 2600,
      wanted: 200,
    };
    expect(figures(given).read).toMatchObject({ bound: undefined, limits: [] });
    expect(figures(given).read.explanation).toMatch(/Nobody publishes .* The test raw-device measures it\.$/);
    const { read, write } = figures({ ...given, others: { 'raw-device': raw(2800) } });
    expect(read).toMatchObject({
      bound: {
        kind: 'device',
        MBps: expect.closeTo(5600, 3),
        what: 'the disks of 2 hosts, as this run read them without a file system',
      },
    });
    expect(read.explanation).toMatch(
      /Faster or more disks are needed for 200 MB\/s per core, 6,400 MB\/s in all\.$/,
    );
    expect(write.limits).toEqual([]);
  });

  test('a part that came out slower than the whole is no limit', () => {
    const { read } = figures({
      storage: store,
      type: 'i4i.8xlarge',
      hosts: 2,
      cores: 16,
      write: 2000,
      read: 2600,
      others: { 'raw-device': raw(1000) },
    });
    expect(read.limits).toEqual([]);
  });

  test('disks of the servers: they bound what the hosts read through them, and not what they write', () => {
    const storage: KnownStorage = { kind: 'lustre', servers: 3, devices: [] };
    const given = { storage, type: 'm6i.16xlarge', cores: 32, write: 1100, read: 1100 };
    const disk = raw(400)(0);
    const { read, write } = figures({ ...given, onServers: [disk, disk] });
    expect(read.bound).toMatchObject({
      kind: 'device',
      MBps: expect.closeTo(1200, 3),
      what:
        'the disks of 3 servers, 400 MB/s each, as this run read them without a file system, ' +
        'of which 2 took part in it',
    });
    expect(write.limits).not.toContainEqual(expect.objectContaining({ kind: 'device' }));
    // What the hosts' own disks do says nothing of the servers, and neither do ours of those that AWS runs.
    expect(figures({ ...given, others: { 'raw-device': raw(400) } }).read.bound?.kind).not.toBe('device');
    const managed = { ...storage, kind: 'fsx-lustre' };
    expect(figures({ ...given, storage: managed, onServers: [disk] }).read.bound?.kind).not.toBe('device');
  });

  test('servers by themselves: more of them are what helps', () => {
    const survey =
      'ost  8 sz 25165824K rsz 1024K obj    8 thr    8 write  500.00 [  60.00,  70.00] ' +
      'rewrite  510.00 [  60.00,  70.00] read 1000.00 [ 120.00, 130.00]';
    const { write } = figures({
      storage: { kind: 'lustre', servers: 4, devices: [] },
      type: 'm6i.16xlarge',
      cores: 32,
      write: 2000,
      others: {
        'lustre-server': (host) =>
          [
            facts(host, 32),
            samples.say({ kind: 'raw', tool: 'obdfilter-survey' }),
            survey,
            samples.DONE,
          ].join('\n'),
      },
    });
    expect(write.bound).toMatchObject({ kind: 'server-count', MBps: expect.closeTo(2097.152, 3) });
    expect(write.bound!.what).toBe(
      "4 servers, 524 MB/s each by this run's test on the servers themselves, of which 1 took part in it",
    );
    expect(write.explanation).toMatch(/7 OSS like these 4 would give/);
  });

  test('a slow network between hosts is named before the table says so', () => {
    const slow = (host: number) =>
      [
        facts(host),
        samples.say({ kind: 'raw', tool: 'iperf3', peer: '10.0.0.9' }),
        samples.iperf3(600),
        samples.DONE,
      ].join('\n');
    const storage: KnownStorage = { kind: 'lustre', servers: 12, devices: [] };
    const { write } = figures({
      storage,
      type: 'm6i.8xlarge',
      hosts: 2,
      cores: 16,
      write: 560,
      others: { network: slow },
    });
    expect(write.bound).toMatchObject({
      kind: 'client-network',
      MBps: 1200,
      what: "the network of 2 hosts, 600 MB/s each by this run's TCP test",
    });
  });

  test('slower than all of them: the tests that were not run are proposed, and a slow host is named', () => {
    const storage: KnownStorage = { kind: 'lustre', servers: 12, devices: [] };
    const { write } = figures({ storage, type: 'm6i.8xlarge', hosts: 2, cores: 16, write: 300 });
    expect(write.bound).toMatchObject({ kind: 'unknown' });
    expect(write.explanation).toMatch(
      /of which it used 19 %\. The tests network, raw-device and lustre-server would tell which part is slow\.$/,
    );
  });
});

test('one host far behind the others is named', () => {
  const { run, outputs, ...rest } = samples.lustreSample();
  const id = '1-sas-io-saswork';
  const slow = run.hosts[1]!;
  const changed = {
    ...outputs,
    [id]: { ...outputs[id], [slow.instanceId]: samples.sasIo(slow, { write: 900, read: 3000 }) },
  };
  const [write] = samples.judge({ ...rest, run, outputs: changed }).figures;
  expect(write!.explanation).toMatch(
    /Slower than the others, which did .* MB\/s: grid-node-2 \(900 MB\/s\)\.$/,
  );
});

test('busy processors are a limit, and so is the source of random data', () => {
  const nodes = samples.hosts(1, 'm6i.8xlarge');
  const path: MeasuredPath = { directory: '/data', use: 'shared', writeMBpsPerCore: 100 };
  const test = samples.plan('1-sas-io', 'sas-io', [nodes], { path, parameters: { Data: 'both' } });
  const work = { bytes: 6.4e10, startedAt: samples.START, processes: 16 };
  const output = [
    samples.hostFacts(nodes[0]!, 16, 126_976),
    samples.say({ kind: 'note', text: 'the source of random data gives 1300 MB/s to 16 processes at once' }),
    samples.setup({ data: 'zero' }),
    samples.phase({ phase: 'write', MBps: 900, cpuShare: 0.96, ...work }),
    samples.setup({ data: 'random' }),
    samples.phase({ phase: 'write-random-data', MBps: 1250, ...work }),
    samples.DONE,
  ].join('\n');
  const { figures: found } = samples.judge({
    run: samples.runRecord('cpu', nodes, [
      { ...test, path: { ...path, storage: { kind: 'lustre', servers: 99, devices: [] } } },
    ]),
    outputs: { [test.id]: { [nodes[0]!.instanceId]: output } },
    history: [],
    endedAt: '',
  });
  expect(found[0]!.bound).toMatchObject({ kind: 'client-cpu', MBps: expect.closeTo(937.5, 1) });
  expect(found[0]!.explanation).toMatch(
    /^Held down by the processors of the hosts that measured, 96 % busy: 900 of 938 MB\/s \(96 %\)\./,
  );
  expect(found[1]!.bound).toMatchObject({
    kind: 'client-cpu',
    MBps: 1300,
    what: 'the source of random data on the hosts that measured',
  });
});
