import { definition, Fleet, START, sasIo, Workflow } from './fleet';

const statuses = (outcomes: readonly { instanceId: string; status: string }[] = []) =>
  Object.fromEntries(outcomes.map(({ instanceId, status }) => [instanceId, status]));

const TEST = '1-sas-io-saswork';

test('a run sends each document once, cleans up, and gives the lock back', async () => {
  const fleet = new Fleet(3);
  const workflow = new Workflow(fleet, definition({ tools: ['fio'] }), { cause: 'by hand' });
  const run = await workflow.run();
  expect(workflow.prepared).toMatchObject({ outcome: 'ready', steps: 3, cleanUpStep: 2, hosts: 3 });
  expect(run.runId).toMatch(/^20261122T101500Z-[0-9a-f]{4}$/);
  expect(fleet.commands.map(({ order }) => order.document)).toEqual([
    'doc-install',
    'doc-sas-io',
    'doc-clean-up',
  ]);
  expect(statuses(run.outcomes[TEST])).toEqual({ 'i-node1': 'done', 'i-node2': 'done', 'i-node3': 'done' });
  expect(run.outcomes[TEST]![0]!.outputKey).toBe(`runs/${run.runId}/outputs/${TEST}/c-1/i-node1/stdout`);
  expect(run.cleanUp).toBeUndefined();
  expect(run.problems).toBeUndefined();
  expect(Date.parse(run.endedAt!)).toBeGreaterThan(START);
  expect(fleet.lockHolder).toBeUndefined();
  const { parameters } = fleet.commands[1]!.order;
  // What the document does not have is not sent; the hosts begin at the same moment, soon.
  expect(parameters).toMatchObject({ RunId: run.runId, TestId: TEST, Directory: '/saswork', Hosts: '3' });
  const delay = Number(parameters.StartAt) - fleet.commands[1]!.at / 1000;
  expect(delay).toBeGreaterThan(30);
  expect(delay).toBeLessThan(60);
});

/** Calls at which the process dies: those of a look come again and again, and one of them is like the other. */
async function crashes(fleet: Fleet, more: Parameters<typeof definition>[0] = {}): Promise<number[]> {
  await new Workflow(fleet, definition(more)).run();
  const { names } = fleet;
  return names
    .map((name, index) => ({
      at: index + 1,
      before: names.slice(0, index).filter((one) => one === name).length,
    }))
    .filter(({ at, before }) => before < 6 || !names.slice(at).includes(names[at - 1]!))
    .map(({ at }) => at);
}

test.each(['before', 'after'] as const)(
  'a crash %s any call ends in the same, and nothing is sent twice',
  async (when) => {
    const more = { tools: ['fio'] };
    const points = await crashes(new Fleet(3), more);
    expect(points.length).toBeGreaterThan(40);
    for (const at of points) {
      const fleet = new Fleet(3);
      fleet.crashAt = at;
      fleet.crashWhen = when;
      const run = await new Workflow(fleet, definition(more)).run();
      const hosts = ['i-node1', 'i-node2', 'i-node3'];
      expect({ at, ran: fleet.ran('doc-sas-io'), cleaned: fleet.ran('doc-clean-up') }).toEqual({
        at,
        ran: hosts,
        cleaned: hosts,
      });
      expect({ at, outcomes: Object.values(statuses(run.outcomes[TEST])) }).toEqual({
        at,
        outcomes: ['done', 'done', 'done'],
      });
      expect({ at, problems: run.problems, lock: fleet.lockHolder }).toEqual({ at });
    }
  },
);

test('a command that was sent and is on no list yet is waited for; one that never was is sent in the end', async () => {
  for (const when of ['before', 'after'] as const) {
    for (const at of await crashes(new Fleet(1))) {
      const fleet = new Fleet(1);
      fleet.unseenSeconds = 60;
      fleet.crashAt = at;
      fleet.crashWhen = when;
      await new Workflow(fleet, definition()).run();
      expect({ at, when, ran: fleet.ran('doc-sas-io') }).toEqual({ at, when, ran: ['i-node1'] });
    }
  }
});

test('one after the other: a wave for each host, with no common start', async () => {
  const fleet = new Fleet(3);
  const run = await new Workflow(fleet, definition({ parallel: false })).run();
  expect(run.tests[0]!.waves).toEqual([['i-node1'], ['i-node2'], ['i-node3']]);
  const sent = fleet.commands.filter(({ order }) => order.document === 'doc-sas-io');
  expect(sent.map(({ order }) => order.instanceIds)).toEqual([['i-node1'], ['i-node2'], ['i-node3']]);
  expect(sent.map(({ order }) => order.parameters.StartAt)).toEqual(['0', '0', '0']);
  for (const [index, { at }] of sent.entries()) {
    if (index > 0) expect(at - sent[index - 1]!.at).toBeGreaterThan(20_000);
  }
  expect(run.outcomes[TEST]).toHaveLength(3);
});

test('more than fifty hosts are sent to in several commands, which begin at the same moment', async () => {
  const fleet = new Fleet(101);
  const run = await new Workflow(fleet, definition()).run();
  const sent = fleet.commands.filter(({ order }) => order.document === 'doc-sas-io');
  expect(sent.map(({ order }) => order.instanceIds.length)).toEqual([50, 50, 1]);
  expect(new Set(sent.map(({ order }) => order.parameters.StartAt)).size).toBe(1);
  expect(run.outcomes[TEST]!.filter(({ status }) => status === 'done')).toHaveLength(101);
});

test('each host has an outcome of its own, and none loses those of the others', async () => {
  const fleet = new Fleet(6);
  const course = (host: number, more: object) =>
    fleet.courses.set(`doc-sas-io i-node${host}`, { seconds: 60, outputAfter: 5, ...more });
  course(1, {
    status: 'Failed',
    exitCode: 75,
    said: '##sas-grid-benchmark {"kind":"refused","reason":"no-room","text":"full"}\n',
  });
  course(2, { status: 'Failed', exitCode: 3, said: 'one\ndd: broken\n' });
  course(3, { seconds: 1e9 });
  course(4, {
    seconds: 30,
    status: 'TimedOut',
    details: 'Delivery Timed Out',
    said: '',
    outputAfter: undefined,
  });
  fleet.offline.add('i-node5');
  const workflow = new Workflow(fleet, definition());
  const run = await workflow.run();
  expect(run.outcomes[TEST]!.map(({ instanceId, status, reason }) => [instanceId, status, reason])).toEqual([
    ['i-node1', 'refused', 'no-room: full'],
    ['i-node2', 'failed', 'exit code 3: dd: broken'],
    ['i-node3', 'timed-out', 'it took too long, and was cancelled'],
    ['i-node4', 'lost', 'Systems Manager could not deliver the command in time'],
    ['i-node5', 'lost', 'Systems Manager does not hear from its agent'],
    ['i-node6', 'done', undefined],
  ]);
  expect([...fleet.cancelled.keys()].every((key) => key.endsWith('i-node3'))).toBe(true);
  // Not at the first look, not before its time, and the rest went on.
  expect(fleet.ran('doc-clean-up')).toHaveLength(5);
  expect(run.cleanUp).toEqual([
    { instanceId: 'i-node5', status: 'lost', reason: 'Systems Manager does not hear from its agent' },
  ]);
});

test('a program that does not react to being cancelled is given up after two minutes more', async () => {
  const fleet = new Fleet(2);
  fleet.courses.set('doc-sas-io i-node2', { seconds: 1e9, deaf: true });
  const run = await new Workflow(fleet, definition()).run();
  expect(statuses(run.outcomes[TEST])).toEqual({ 'i-node1': 'done', 'i-node2': 'timed-out' });
  expect(run.outcomes[TEST]![1]!.reason).toContain('did not react');
  const { timeoutSeconds } = run.tests[0]!;
  expect(Date.parse(run.endedAt!) - START).toBeGreaterThan(timeoutSeconds * 1000);
  expect(Date.parse(run.endedAt!) - START).toBeLessThan((timeoutSeconds + 900) * 1000);
});

test.each([
  ['terminated', 'the instance is terminated'],
  ['stopping', 'the instance is stopping'],
])('a host that is %s in the middle is lost at once, without its time-out', async (state, reason) => {
  const fleet = new Fleet(2);
  fleet.courses.set('doc-sas-io i-node1', {
    seconds: 600,
    status: 'Success',
    exitCode: 0,
    said: 'x',
    outputAfter: 5,
  });
  const workflow = new Workflow(fleet, definition());
  workflow.beforeEach = (step) => {
    if (step === 0 && fleet.now > START + 60_000) fleet.setState('i-node2', state);
  };
  const run = await workflow.run();
  expect(run.outcomes[TEST]).toMatchObject([{ status: 'done' }, { status: 'lost', reason }]);
  expect(Date.parse(run.endedAt!) - START).toBeLessThan(1_200_000);
});

test('an instance that EC2 has forgotten is lost, too', async () => {
  const fleet = new Fleet(2);
  const workflow = new Workflow(fleet, definition());
  workflow.beforeEach = (step) => {
    if (step === 0 && fleet.now > START + 60_000) fleet.machines.delete('i-node2');
  };
  const run = await workflow.run();
  expect(run.outcomes[TEST]![1]).toMatchObject({ status: 'lost', reason: 'the instance is gone' });
});

test('an output that comes late is waited for, and what never comes is taken from Systems Manager', async () => {
  const fleet = new Fleet(2);
  const well = { seconds: 60, status: 'Success', exitCode: 0, said: 'the beginning' };
  fleet.courses.set('doc-sas-io i-node1', { ...well, outputAfter: 50 });
  fleet.courses.set('doc-sas-io i-node2', well);
  const run = await new Workflow(fleet, definition()).run();
  expect(run.outcomes[TEST]![0]!.outputKey).toMatch(/i-node1\/stdout$/);
  expect(run.outcomes[TEST]![1]).toEqual({ instanceId: 'i-node2', status: 'done', output: 'the beginning' });
});

test('a host that Systems Manager refuses does not keep the others from being sent to', async () => {
  const fleet = new Fleet(3);
  fleet.refused.add('i-node2');
  const run = await new Workflow(fleet, definition()).run();
  expect(statuses(run.outcomes[TEST])).toEqual({ 'i-node1': 'done', 'i-node2': 'lost', 'i-node3': 'done' });
  expect(fleet.ran('doc-sas-io')).toEqual(['i-node1', 'i-node3']);
});

test('what breaks a run off leads to its clean-up and into its record', async () => {
  const fleet = new Fleet(2);
  const tests = [sasIo(), sasIo('/other', '2-sas-io-other')];
  const workflow = new Workflow(fleet, definition({ tests }));
  workflow.beforeEach = (step) => {
    // Somebody else has the lock by now.
    if (step === 1) fleet.lockHolder = { runId: 'another', until: 1e12 };
  };
  const run = await workflow.run();
  expect(statuses(run.outcomes[TEST])).toEqual({ 'i-node1': 'done', 'i-node2': 'done' });
  expect(run.outcomes['2-sas-io-other']).toMatchObject([
    { status: 'failed', reason: expect.stringContaining('LockLost') },
    { status: 'failed' },
  ]);
  expect(run.problems).toEqual([
    expect.stringMatching(/^The run was broken off: LockLost: run another has taken/),
  ]);
  expect(fleet.ran('doc-clean-up')).toEqual(['i-node1', 'i-node2']);
  expect(fleet.lockHolder).toEqual({ runId: 'another', until: 1e12 });
});

test('while CloudFormation waits, what runs too long is ended in time to clean up and to answer', async () => {
  const fleet = new Fleet(2);
  fleet.courses.set('doc-sas-io i-node2', { seconds: 1e9, deaf: true });
  const tests = [{ ...sasIo(), timeoutSeconds: 86_400 }, sasIo('/other', '2-sas-io-other')];
  const workflow = new Workflow(fleet, definition({ tests }), { cause: 'deployment', deadlineSeconds: 3300 });
  const run = await workflow.run();
  expect(statuses(run.outcomes[TEST])).toEqual({ 'i-node1': 'done', 'i-node2': 'timed-out' });
  expect(statuses(run.outcomes['2-sas-io-other'])).toEqual({
    'i-node1': 'timed-out',
    'i-node2': 'timed-out',
  });
  expect(fleet.ran('doc-clean-up')).toEqual(['i-node1', 'i-node2']);
  expect(Date.parse(run.endedAt!) - START).toBeLessThan(3000 * 1000);
});

test('files are removed by the account that wrote them', async () => {
  const fleet = new Fleet(1);
  const tests = [
    sasIo(),
    sasIo('/sasdata/lsf', '2-sas-io-lsf', 'sas'),
    sasIo('/utilloc', '3-sas-io-utilloc'),
  ];
  await new Workflow(fleet, definition({ tests })).run();
  const cleanUps = fleet.commands.filter(({ order }) => order.document === 'doc-clean-up');
  expect(cleanUps.map(({ order }) => [order.parameters.User, order.parameters.Directories])).toEqual([
    ['root', '/saswork,/utilloc'],
    ['sas', '/sasdata/lsf'],
  ]);
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
