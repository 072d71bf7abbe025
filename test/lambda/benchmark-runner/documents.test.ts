import {
  BenchmarkHosts,
  MeasuredPath,
  RemoteShell,
  type StorageBenchmarkProps,
  StorageTest,
} from '../../../constructs';
import type { BenchmarkDefinition } from '../../../constructs/private/benchmark-definition';
import { definitionOf } from '../../../constructs/storage-benchmark/definition';
import { benchmarkDocuments } from '../../../constructs/storage-benchmark/documents';
import { Fleet, Workflow } from './fleet';

const DOCUMENTS = benchmarkDocuments();
const ALL = ['i-node1', 'i-node2', 'i-node3'];
const SERVERS = ['i-oss1', 'i-oss2'];

/** The definition that the construct makes, with the real documents. */
function defined(tests: StorageTest[], more: Partial<StorageBenchmarkProps> = {}): BenchmarkDefinition {
  const hosts = BenchmarkHosts.tagged('role', 'node');
  const paths = [
    MeasuredPath.temporary('/saswork', { storage: { kind: 'xfs' } }),
    MeasuredPath.shared('/sasdata', { user: 'sas' }),
  ];
  return definitionOf(
    { hosts, paths, tests, ...more },
    {
      benchmark: 'b',
      packageVersion: '0.1.0',
      documents: Object.fromEntries(
        DOCUMENTS.map(({ name, parameters }) => [name, { name, parameters: Object.keys(parameters) }]),
      ),
      hosts: [{ key: 'role', values: ['node'] }],
      servers: more.storageServers ? [{ key: 'role', values: ['oss'] }] : [],
      tests,
      hostsTimeoutSeconds: 900,
    },
  );
}

/** What a run sends: to whom, and with which parameters. What Systems Manager would refuse is an error. */
async function sent(definition: BenchmarkDefinition, input: object = {}, fleet = new Fleet(3)) {
  if (definition.servers.length > 0) fleet.add(2, 'oss', 'oss');
  const run = await new Workflow(fleet, definition, input).run();
  const orders = fleet.commands.map(({ order, at }) => ({
    ...order,
    ahead: ahead(order.parameters.StartAt, at),
  }));
  for (const { document, parameters } of orders) {
    const known = DOCUMENTS.find(({ name }) => name === document)!.parameters;
    const refused = Object.entries(parameters).filter(([name, value]) => {
      const { allowedPattern, maxChars = Number.POSITIVE_INFINITY } = known[name] ?? { allowedPattern: '$^' };
      return !new RegExp(allowedPattern).test(value) || value.length > maxChars;
    });
    const missing = Object.keys(known).filter(
      (name) => known[name]!.default === undefined && !(name in parameters),
    );
    expect({ document, refused, missing }).toEqual({ document, refused: [], missing: [] });
  }
  return { run, orders, of: (document: string) => orders.filter((order) => order.document === document) };
}

const ahead = (startAt: string | undefined, at: number): number =>
  Number(startAt ?? 0) === 0 ? 0 : Number(startAt) - at / 1000;

const EVERYTHING = [
  StorageTest.sasIo(),
  StorageTest.iozone(),
  StorageTest.fio(),
  StorageTest.mixedSas({ directories: ['/sasdata'] }),
  StorageTest.network(),
  StorageTest.rawDevice(),
  StorageTest.lustreServer({ acceptRiskForDataOnTargets: true }),
];
const storageServers = BenchmarkHosts.tagged('role', 'oss');

test('every test is sent with what its document takes, to the hosts that it is for', async () => {
  const { orders, run } = await sent(defined(EVERYTHING, { storageServers }));
  expect(orders.map(({ document, instanceIds }) => [document, instanceIds])).toEqual([
    ['install', ALL],
    ...['sas-io', 'sas-io', 'iozone', 'iozone', 'fio', 'fio', 'mixed-sas', 'network'].map((name) => [
      name,
      ALL,
    ]),
    ['raw-device', SERVERS],
    ['lustre-server', SERVERS],
    ['clean-up', ALL],
    ['clean-up', ALL],
    ['clean-up', SERVERS],
  ]);
  expect(run.problems).toBeUndefined();
  expect(run.cleanUp).toBeUndefined();
});

test('hosts get what is missing, Python for the mixed workload too, and storage servers get nothing', async () => {
  const { of } = await sent(defined(EVERYTHING, { storageServers }));
  expect(of('install').map(({ parameters, instanceIds }) => [parameters.Tools, instanceIds])).toEqual([
    ['iozone,fio,python3,iperf3', ALL],
  ]);
  const onServers = defined([StorageTest.rawDevice(), StorageTest.network()], { storageServers });
  expect((await sent(onServers, { tests: ['raw-device'] })).of('install')).toEqual([]);
  expect((await sent(defined([StorageTest.mixedSas()]))).of('install')[0]!.parameters.Tools).toBe('python3');
  expect((await sent(defined([StorageTest.sasIo()]))).of('install')).toEqual([]);
});

test('the network is one wave: all hosts know all addresses and begin together, also one after another', async () => {
  for (const parallel of [true, false]) {
    const network = (await sent(defined([StorageTest.network()], { parallel }))).of('network');
    expect(network).toHaveLength(1);
    expect(network[0]).toMatchObject({
      instanceIds: ALL,
      parameters: { Peers: '10.0.4.1,10.0.4.2,10.0.4.3' },
    });
    // A host looks for the others' work before; further ahead than 900 s its program refuses.
    expect(network[0]!.ahead).toBeGreaterThanOrEqual(30);
    expect(network[0]!.ahead).toBeLessThan(900);
  }
});

test('so it is with more hosts than a command takes', async () => {
  const network = (await sent(defined([StorageTest.network()]), {}, new Fleet(101))).of('network');
  expect(network.map(({ instanceIds }) => instanceIds.length)).toEqual([50, 50, 1]);
  for (const name of ['Peers', 'StartAt']) {
    expect(new Set(network.map(({ parameters }) => parameters[name])).size).toBe(1);
  }
  expect(network[0]!.parameters.Peers!.split(',')).toHaveLength(101);
});

test('addresses that do not fit into a parameter leave the test out, and the run goes on', async () => {
  const tests = [StorageTest.sasIo({ directories: ['/saswork'] }), StorageTest.network({ seconds: 1 })];
  const { run, of } = await sent(defined(tests), {}, new Fleet(400));
  expect(of('network')).toEqual([]);
  expect(of('sas-io')).toHaveLength(8);
  expect(run.problems).toEqual([
    '2-network is left out: the addresses of its 400 hosts do not fit into a parameter; choose fewer of them by hand.',
  ]);
  await expect(sent(defined([StorageTest.network()]), {}, new Fleet(1))).rejects.toThrow(
    /nothing can be measured: 1-network is left out: it takes two hosts\./,
  );
});

describe('iozone', () => {
  const directories = ['/sasdata'];

  test('runs on all hosts at the same moment, each for itself', async () => {
    const [order, ...more] = (await sent(defined([StorageTest.iozone({ directories })]))).of('iozone');
    expect(more).toEqual([]);
    expect(order).toMatchObject({ instanceIds: ALL, parameters: { RemoteShell: 'none', Hosts: '3' } });
    expect(order!.parameters.Clients ?? '').toBe('');
    expect(order!.ahead).toBeGreaterThanOrEqual(30);
  });

  test('is driven by one host where there is a remote shell', async () => {
    const iozone = StorageTest.iozone({ directories, remoteShell: RemoteShell.SSH });
    const [order, ...more] = (await sent(defined([iozone]))).of('iozone');
    expect(more).toEqual([]);
    expect(order).toMatchObject({
      instanceIds: ['i-node1'],
      ahead: 0,
      parameters: { RemoteShell: 'ssh', Clients: '10.0.4.1,10.0.4.2,10.0.4.3' },
    });
  });
});

test('room is looked for as many hosts as write there: the wave on a shared file system, one on its own', async () => {
  for (const [parallel, shared] of [
    [true, '3'],
    [false, '1'],
  ] as const) {
    for (const test of [
      StorageTest.sasIo(),
      StorageTest.iozone(),
      StorageTest.fio(),
      StorageTest.mixedSas(),
    ]) {
      const { of } = await sent(defined([test], { parallel }));
      const hosts = of(test.name).map(({ parameters }) => `${parameters.Directory} ${parameters.Hosts}`);
      expect([...new Set(hosts)]).toEqual(['/saswork 1', `/sasdata ${shared}`]);
    }
  }
});

test("cleaning up takes all hosts' files, by the account that wrote them, only where any were written", async () => {
  const cleanUps = (await sent(defined(EVERYTHING, { storageServers }))).of('clean-up');
  expect(
    cleanUps.map(({ parameters: { User, Directories, All }, instanceIds }) => [
      User,
      Directories,
      All,
      instanceIds,
    ]),
  ).toEqual([
    ['root', '/saswork', 'yes', ALL],
    ['sas', '/sasdata', 'yes', ALL],
    // Programs may be left there, too.
    ['root', '', 'yes', SERVERS],
  ]);
  const network = (await sent(defined([StorageTest.network()]))).of('clean-up');
  expect(network.map(({ parameters }) => parameters.Directories)).toEqual(['']);
});

test('the test of Lustre servers has the time that it was given, and writes only since that was accepted', async () => {
  const slow = StorageTest.lustreServer({ acceptRiskForDataOnTargets: true, seconds: 7200 });
  const [order] = (await sent(defined([slow], { storageServers }))).of('lustre-server');
  expect(order!.parameters).toMatchObject({ AllowOnTargets: 'yes', Seconds: '7200', MiB: '4096' });
  expect(Number(order!.parameters.TimeoutSeconds)).toBeGreaterThan(7200 + 60);
});

test('a size that a program would refuse is refused before anything is sent', async () => {
  const refuses = (sizes: object) => sent(defined(EVERYTHING, { storageServers }), { sizes });
  await expect(refuses({ seconds: 5000 })).rejects.toThrow(
    /sizes\.seconds is 5000; allowed: a whole number from 1 to 3600 for network; /,
  );
  await expect(refuses({ seconds: 5 })).rejects.toThrow(/from 10 to 86400 for lustre-server/);
  await expect(refuses({ streams: 500 })).rejects.toThrow(/from 1 to 128 for network/);
  await expect(refuses({ inputMiB: 2_000_000 })).rejects.toThrow(/from 1 to 1048576/);
  const { of } = await sent(defined(EVERYTHING), { sizes: { seconds: 5000 }, tests: ['fio'] });
  expect(of('fio')[0]!.parameters.Seconds).toBe('5000');
});
