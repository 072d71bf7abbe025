import { definition, Fleet, sasIo, Workflow } from './fleet';

const RAW_DEVICE = {
  id: '2-raw-device',
  test: 'raw-device',
  on: 'servers' as const,
  parameters: { MaxMiB: '1' },
};
const SERVERS = { servers: [{ key: 'role', values: ['server'] }], tests: [sasIo(), RAW_DEVICE] };

/** Two nodes that write, and three servers whose devices are read. */
function nodesAndServers(): Fleet {
  const fleet = new Fleet(2);
  fleet.add(3, 'oss', 'server');
  return fleet;
}

const NODES = ['i-node1', 'i-node2'];
const OSS = ['i-oss1', 'i-oss2', 'i-oss3'];

test('tools are installed where a test needs them, not on the servers of the storage', async () => {
  const fleet = nodesAndServers();
  const tests = [{ ...sasIo(), test: 'fio' }, RAW_DEVICE];
  await new Workflow(fleet, definition({ ...SERVERS, tests, tools: ['fio'] })).run();
  expect(fleet.ran('doc-install')).toEqual(NODES);
});

test('nothing is installed for tests that need nothing, whatever others of the benchmark do', async () => {
  const fleet = new Fleet(2);
  const tests = [sasIo(), { ...sasIo('/saswork', '2-fio-saswork'), test: 'fio' }];
  const all = definition({ tests, tools: ['fio'] });
  await new Workflow(fleet, all, { tests: ['sas-io'] }).run();
  expect(fleet.ran('doc-install')).toEqual([]);
});

test('files are looked for where they were written; on other machines only programs are ended', async () => {
  const fleet = nodesAndServers();
  // As on a server, which does not have the directory, and does not know the account.
  for (const id of OSS)
    fleet.courses.set(`doc-clean-up ${id}`, { seconds: 1, status: 'Failed', exitCode: 64 });
  const run = await new Workflow(fleet, definition(SERVERS)).run();
  const cleaned = fleet.commands
    .filter(({ order }) => order.document === 'doc-clean-up')
    .map(({ order }) => [order.parameters.Directories, order.instanceIds]);
  expect(cleaned).toEqual([
    ['/saswork', NODES],
    ['', OSS],
  ]);
  expect(run.cleanUp).toBeUndefined();
});

test('hosts that could not be told in time begin together all the same', async () => {
  const fleet = new Fleet(2);
  await new Workflow(fleet, definition()).run();
  const again = new Fleet(2);
  again.crashAt = fleet.names.indexOf('send') + 1;
  await new Workflow(again, definition()).run();
  const { order, at } = again.commands[0]!;
  expect(at - fleet.commands[0]!.at).toBeGreaterThan(60_000);
  expect(1000 * Number(order.parameters.StartAt)).toBeGreaterThan(at);
});
