import { environmentOf } from '../../../lambda/benchmark-runner/environment';
import { handle } from '../../../lambda/benchmark-runner/handler';
import { runIdOf } from '../../../lambda/benchmark-runner/plan-run';
import { definition, Fleet, START, sasIo, Workflow } from './fleet';

const refusal = async (
  fleet: Fleet,
  more: Parameters<typeof definition>[0],
  input: unknown,
): Promise<string> => {
  const error = await new Workflow(fleet, definition(more), input).prepare().then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error?.name).toBe('BenchmarkRefused');
  expect(fleet.commands).toEqual([]);
  expect(fleet.lockHolder).toBeUndefined();
  return error.message;
};

const runOf = async (fleet: Fleet, more: Parameters<typeof definition>[0] = {}, input: unknown = {}) =>
  new Workflow(fleet, definition(more), input).run();

describe('what a run is about', () => {
  test('its id is that of the execution, and sorts by time', () => {
    const id = runIdOf('arn:x', START);
    expect(id).toMatch(/^20261122T101500Z-[0-9a-f]{4}$/);
    expect(runIdOf('arn:x', START)).toBe(id);
    expect(runIdOf('arn:y', START)).not.toBe(id);
    expect(runIdOf('arn:x', START + 1000) > id).toBe(true);
  });

  test('what it is expected to take is told before anything is done', async () => {
    const workflow = new Workflow(new Fleet(2), definition());
    const { summary, estimate } = await workflow.prepare();
    expect(summary).toMatch(
      /^1 test\(s\) on 2 host\(s\): about \d+ minutes, \d+ GB written, \d+\.\d\d USD\.$/,
    );
    // 16 cores each, files of 1024 MiB, on two hosts.
    expect(estimate!.bytesWritten).toBe(2 * 16 * 1024 * 2 ** 20);
    expect(workflow.fleet.commands).toEqual([]);
  });

  test('hosts, tests, sizes and order can be chosen by hand, by names and ids', async () => {
    const fleet = new Fleet(3);
    const tests = [sasIo(), sasIo('/other', '2-sas-io-other')];
    const input = {
      cause: 'after the new driver',
      hosts: ['node1', 'i-node3'],
      tests: ['2-sas-io-other'],
      sizes: { fileMiB: 64 },
      parallel: false,
    };
    const run = await runOf(fleet, { tests }, input);
    expect(run.cause).toBe('after the new driver');
    expect(run.hosts.map(({ name }) => name)).toEqual(['node1', 'node3']);
    expect(run.tests).toMatchObject([
      { id: '2-sas-io-other', parameters: { FileMiB: '64' }, waves: [['i-node1'], ['i-node3']] },
    ]);
    expect((await runOf(new Fleet(3), { tests }, { tests: ['sas-io'] })).tests).toHaveLength(2);
  });

  test('a run by hand may take place although others work there', async () => {
    const test = sasIo();
    const guarded = { ...test, parameters: { ...test.parameters, BusyMBps: '10', BusyCpuPercent: '50' } };
    const run = await runOf(
      new Fleet(1),
      { tests: [guarded] },
      { sizes: { busyMBps: 0, busyCpuPercent: 90 } },
    );
    expect(run.tests).toMatchObject([
      { parameters: { BusyMBps: '0', BusyCpuPercent: '90', FileMiB: '1024' } },
    ]);
  });

  test.each([
    [{ hosts: ['node9'] }, /hosts is "node9"; allowed: hosts of the benchmark that run: node1, node2, node3/],
    [{ tests: ['fio'] }, /tests is "fio"; allowed: 1-sas-io-saswork/],
    [{ sizes: { fileMiB: 0 } }, /sizes.fileMiB is 0; allowed: a whole number from 1/],
    [
      { sizes: { busyCpuPercent: 101 } },
      /sizes.busyCpuPercent is 101; allowed: a whole number from 1 to 100/,
    ],
    [{ sizes: { fileMB: 10 } }, /a key of sizes is "fileMB"; allowed: fileMiB/],
    [{ size: 1 }, /a key of the input is "size"; allowed: cause, hosts/],
    [{ hosts: 'node1' }, /hosts is "node1"; allowed: a list/],
    [{ parallel: 'no' }, /parallel is "no"; allowed: true or false/],
    [{ cause: 7 }, /cause is 7; allowed: text/],
    [[], /the input is \[\]; allowed: an object/],
    [{ sizes: { fileMiB: 60_000_000 } }, /expected to take \d+ hours; allowed: 30/],
  ])('%j is refused with words', async (input, words) => {
    expect(await refusal(new Fleet(3), {}, input)).toMatch(words);
  });

  test('servers of a group that all have the same name are told apart', async () => {
    const fleet = new Fleet(2);
    for (const id of ['i-node1', 'i-node2']) {
      fleet.machines.set(id, { ...fleet.machines.get(id)!, name: 'stack-oss' });
    }
    expect((await runOf(fleet)).hosts.map(({ name }) => name)).toEqual([
      'stack-oss (i-node1)',
      'stack-oss (i-node2)',
    ]);
  });

  test('a shared file system has room for all hosts together, one of its own for each', async () => {
    const hostsOf = async (path: object) => {
      const fleet = new Fleet(3);
      const test = sasIo();
      await runOf(fleet, { tests: [{ ...test, path: { ...test.path, ...path } }] });
      return fleet.commands[0]!.order.parameters.Hosts;
    };
    const devices: never[] = [];
    // Temporary space of which nothing is said may be shared, too.
    expect(await hostsOf({})).toBe('3');
    expect(await hostsOf({ storage: { kind: 'xfs', servers: 0, devices } })).toBe('1');
    expect(await hostsOf({ use: 'shared' })).toBe('3');
    expect(await hostsOf({ use: 'io2', storage: { kind: 'xfs', servers: 0, devices } })).toBe('1');
    expect(await hostsOf({ use: 'io2', storage: { kind: 'gfs2', servers: 0, devices } })).toBe('3');
    expect(await hostsOf({ storage: { kind: 'lustre', servers: 3, devices } })).toBe('3');
  });
});

describe('tests of the network and of servers', () => {
  const network = {
    id: '1-network',
    test: 'network',
    on: 'hosts' as const,
    parameters: { Seconds: '10', Peers: '' },
  };
  const raw = {
    id: '2-raw-device',
    test: 'raw-device',
    on: 'servers' as const,
    parameters: { MaxMiB: '10' },
  };

  test('all hosts that report measure each other; the servers are others', async () => {
    const fleet = new Fleet(3);
    fleet.add(2, 'oss', 'oss');
    fleet.offline.add('i-node3');
    const servers = [{ key: 'role', values: ['oss'] }];
    const run = await runOf(fleet, { tests: [network, raw], servers });
    expect(run.tests.map(({ waves }) => waves)).toEqual([[['i-node1', 'i-node2']], [['i-oss1', 'i-oss2']]]);
    expect(fleet.commands[0]!.order.parameters).toMatchObject({ Peers: '10.0.4.1,10.0.4.2' });
    expect(run.tests[0]!.parameters.Peers).toBe('10.0.4.1,10.0.4.2');
    expect(run.hosts).toHaveLength(4);
  });

  test('what they are expected to take counts the disks that each server has now', async () => {
    const servers = [{ key: 'role', values: ['oss'] }];
    const secondsOf = async (...volumes: (number | undefined)[]) => {
      const fleet = new Fleet(0);
      fleet.add(volumes.length, 'oss', 'oss');
      for (const [index, count] of volumes.entries()) {
        const id = `i-oss${index + 1}`;
        fleet.machines.set(id, { ...fleet.machines.get(id)!, volumes: count });
      }
      const tests = [{ ...raw, parameters: { MaxMiB: '4096' } }];
      const { estimate } = await new Workflow(fleet, definition({ tests, servers })).prepare();
      return estimate!.seconds;
    };
    const seconds = (disks: number) => Math.ceil((disks * 4096 * 2 ** 20) / 1e6 / 1600 + 30 + 60) + 180;
    expect(await secondsOf(8, 8)).toBe(seconds(8));
    expect(await secondsOf(2, 8, 3)).toBe(seconds(8));
    // EC2 does not say: one.
    expect(await secondsOf(undefined)).toBe(seconds(1));
  });

  test('what cannot be done is left out, and said', async () => {
    const fleet = new Fleet(1);
    const run = await runOf(fleet, {
      tests: [sasIo(), network, raw],
      servers: [{ key: 'role', values: ['oss'] }],
    });
    expect(run.problems).toEqual([
      '1-network is left out: it takes two hosts.',
      '2-raw-device is left out: none of its hosts runs.',
    ]);
    expect(run.outcomes).toMatchObject({ '1-network': [], '2-raw-device': [] });
  });
});

describe('the hosts', () => {
  test('that do not run are not counted, and where none runs nothing is begun', async () => {
    const fleet = new Fleet(2);
    fleet.setState('i-node2', 'stopped');
    expect((await runOf(fleet)).hosts.map(({ name }) => name)).toEqual(['node1']);
    fleet.setState('i-node1', 'stopped');
    fleet.now = START;
    expect(await refusal(new Fleet(0), {}, {})).toMatch(/no host of the benchmark runs/);
  });

  test('that run and do not report are waited for, a minute, or longer after a deployment', async () => {
    const silent = (): Fleet => {
      const fleet = new Fleet(1);
      fleet.offline.add('i-node1');
      return fleet;
    };
    const byHand = silent();
    expect(await refusal(byHand, {}, {})).toMatch(/Systems Manager hears from none/);
    expect(byHand.now - START).toBe(60_000);
    const deployed = silent();
    expect(await refusal(deployed, {}, { cause: 'deployment' })).toMatch(/Systems Manager hears from none/);
    expect(deployed.now - START).toBe(900_000);
  });

  test('that a group has not launched yet are waited for after a deployment', async () => {
    const fleet = new Fleet(0);
    const workflow = new Workflow(fleet, definition(), { cause: 'deployment' });
    const prepared = workflow.prepare();
    const waiting = await handle(
      {
        action: 'prepare',
        definition: definition(),
        execution: { id: 'x', startedAt: new Date(START).toISOString() },
        input: { cause: 'deployment' },
      },
      fleet.ports(),
    );
    expect(waiting).toEqual({ outcome: 'waiting', waitSeconds: 10 });
    fleet.add(1, 'node', 'node');
    await expect(prepared).resolves.toMatchObject({ outcome: 'ready', hosts: 1 });
  });
});

describe('the lock', () => {
  test('of another run keeps this one from beginning, and ends by itself', async () => {
    const fleet = new Fleet(1);
    fleet.lockHolder = { runId: 'another', until: START / 1000 + 600 };
    await expect(new Workflow(fleet, definition()).prepare()).rejects.toThrow(
      /run another of this benchmark is under way.*at 2026-11-22T10:25:00/s,
    );
    fleet.now = START + 601_000;
    await expect(new Workflow(fleet, definition()).prepare()).resolves.toMatchObject({ outcome: 'ready' });
  });

  test('is held for as long as a step may take, and not for the whole run', async () => {
    const fleet = new Fleet(1);
    const workflow = new Workflow(fleet, definition());
    await workflow.prepare();
    expect(fleet.lockHolder!.until - fleet.now / 1000).toBe(900);
    const { runId } = workflow.prepared!;
    await handle({ action: 'start', runId, step: 0 }, fleet.ports());
    const { timeoutSeconds } = (fleet.objects.get(`${runId}/run`) as { tests: { timeoutSeconds: number }[] })
      .tests[0]!;
    expect(fleet.lockHolder!.until - fleet.now / 1000).toBe(timeoutSeconds + 900);
  });
});

test('a run that was written down is not planned anew', async () => {
  const fleet = new Fleet(2);
  const workflow = new Workflow(fleet, definition());
  const first = await workflow.prepare();
  fleet.add(5, 'late', 'node');
  expect(await workflow.prepare()).toEqual(first);
});

describe('a deployment that waits', () => {
  test('is not kept for a run that cannot end in time', async () => {
    const input = { cause: 'deployment', deadlineSeconds: 3300 };
    const tests = [{ ...sasIo(), parameters: { ...sasIo().parameters, FileMiB: '400000' } }];
    expect(await refusal(new Fleet(2), { tests }, input)).toMatch(
      /expected to take \d+ s, and of the time that CloudFormation waits 26\d\d s/,
    );
  });
});

describe('an emulated AWS', () => {
  const env = { BUCKET: 'b', TABLE: 't', BENCHMARK: 'n' };

  test.each(['http://127.0.0.1:4566', 'http://localhost:4566', 'https://[::1]:1'])(
    'at %s is told in the record',
    async (url) => {
      const { notRepresentative } = environmentOf({ ...env, AWS_ENDPOINT_URL: url });
      expect(notRepresentative).toMatch(/all hosts share its processors and its disk/);
      const fleet = new Fleet(2);
      fleet.notRepresentative = notRepresentative;
      const workflow = new Workflow(fleet, definition());
      expect((await workflow.run()).notRepresentative).toBe(notRepresentative);
      expect(workflow.prepared!.summary).toContain('its processors and its disk');
    },
  );

  test.each([undefined, '', 'https://vpce-1.ec2.us-east-1.vpce.amazonaws.com', 'nonsense'])(
    'is not %s',
    (url) => {
      expect(environmentOf({ ...env, AWS_ENDPOINT_URL: url })).not.toHaveProperty('notRepresentative');
    },
  );

  test('a variable that is missing is named', () => {
    expect(() => environmentOf({ ...env, TABLE: undefined })).toThrow(/TABLE is missing/);
  });
});

test.each([
  [{ action: 'begin' }, /action is "begin"; allowed: prepare, start, check, finish/],
  [undefined, /action is undefined/],
  [{ action: 'start', runId: 'x', step: 0 }, /runId is "x"/],
  [{ action: 'check', runId: '20261122T101500Z-4f1c', step: -1 }, /step is -1/],
  [{ action: 'start', runId: '20261122T101500Z-4f1c', step: 0 }, /has no step 0/],
  [{ action: 'finish', runId: '20261122T101500Z-4f1c' }, /has no record/],
])('the event %j is an error', async (event, words) => {
  await expect(handle(event, new Fleet(1).ports())).rejects.toThrow(words);
});
