import { judgeRun } from '../../../../lambda/benchmark-judge/analysis';
import type { BenchmarkResult, Figure } from '../../../../lambda/shared/benchmark/result';
import * as samples from '../samples';

const figure = (result: BenchmarkResult, directory: string, phase: string): Figure =>
  result.figures.find((one) => one.directory === directory && one.phase === phase)!;

describe('four nodes on three OSS, as in paper 002', () => {
  const result = samples.judge(samples.lustreSample());

  test('the shared space misses its 50 MB/s per core, the temporary one reaches its 100', () => {
    expect(result.verdict).toBe('failed');
    expect(result.reasons).toEqual([
      'Write (sas-io on /sasdata): 23.2 MB/s per core (1,484 MB/s for 64 cores), less than the wanted 50.',
      'Read (sas-io on /sasdata): 23.7 MB/s per core (1,514 MB/s for 64 cores), less than the wanted 50.',
    ]);
    expect(figure(result, '/saswork', 'write')).toMatchObject({
      passed: true,
      physicalCores: 64,
      wanted: 100,
    });
  });

  test('it names the limit, and how many servers would do', () => {
    const { bound, limits, explanation } = figure(result, '/sasdata', 'write');
    expect(bound).toMatchObject({ kind: 'server-network', MBps: 1875 });
    expect(limits.map(({ kind }) => kind)).toEqual([
      'server-network',
      'client-network',
      'client-network',
      'device',
    ]);
    expect(explanation).toBe(
      "Held down by the network interface of 3 servers c3.8xlarge, which carries the volumes' traffic and the " +
        "clients' (625 MB/s of each a server): 1,484 of 1,875 MB/s (79 %). 7 OSS like these 3 would give 50 MB/s " +
        'per core, 3,200 MB/s in all.',
    );
  });

  test('the papers measured about the same', () => {
    expect(figure(result, '/sasdata', 'write').published).toEqual([
      {
        paper: '002',
        configuration: "3 OSS c3.8xlarge, 4 nodes i2.8xlarge, 'about'",
        MBps: 1500,
        MBpsPerCore: 23.4375,
      },
    ]);
  });

  test('a total is all bytes from the first start to the last end, and each host is there', () => {
    const { perHost, MBps, hosts } = figure(result, '/sasdata', 'write');
    expect(hosts).toHaveLength(4);
    expect(Object.values(perHost).map(Math.round)).toEqual([371, 374, 377, 380]);
    // The slowest decides when all are done.
    expect(MBps).toBeCloseTo(4 * 371, 3);
  });

  test('hosts, tests and their set-up are told', () => {
    expect(result.hosts[0]).toMatchObject({ name: 'grid-node-1', physicalCores: 16, memoryMiB: 249_856 });
    expect(result.tests[1]).toMatchObject({
      id: '2-sas-io-sasdata',
      setup: [
        '16 processes of 30.5 GiB each, 64 KiB blocks; data: zero; file system: lustre; caches dropped between phases',
      ],
      startedAt: '2026-11-22T10:27:10.000Z',
    });
  });

  test('the network between each pair is told', () => {
    expect(result.otherFigures).toHaveLength(4);
    expect(result.otherFigures[0]).toMatchObject({
      name: 'tcp grid-node-1 to 10.0.9.12',
      value: 1178,
      unit: 'MB/s',
    });
  });
});

describe('eight clients of one NFS server', () => {
  const result = samples.judge(samples.nfsSample());

  test('IOZone on one host is of all clients', () => {
    const write = figure(result, '/sasdata', 'write');
    expect(write.hosts).toHaveLength(8);
    expect(write).toMatchObject({ physicalCores: 128, passed: false, perHost: {} });
    expect(write.MBps).toBeCloseTo((402_118.4 * 1024) / 1e6, 6);
  });

  test('rewrite and reread are measured, not judged', () => {
    expect(figure(result, '/sasdata', 'rewrite')).toMatchObject({ wanted: undefined, passed: undefined });
  });

  test('the volume holds it down, and above 1 GB/s an NFS server is the wrong storage', () => {
    const { bound, explanation } = figure(result, '/sasdata', 'write');
    expect(bound).toMatchObject({ kind: 'device' });
    expect(explanation).toContain('more than the 1 GB/s up to which one NFS server is right');
  });

  test('the paper has a server of the same size', () => {
    expect(figure(result, '/sasdata', 'reread').published).toMatchObject([
      { paper: '003', MBps: (569_492.38 * 1024) / 1e6 },
    ]);
  });
});

describe('one host with an io2 volume, as in paper 004', () => {
  const result = samples.judge(samples.io2Sample());

  test('passes, bound by the EBS bandwidth of its type', () => {
    expect(result).toMatchObject({ verdict: 'passed', regressions: [] });
    expect(figure(result, '/saswork', 'read')).toMatchObject({
      passed: true,
      bound: { kind: 'instance-ebs', MBps: 1250 },
    });
    expect(figure(result, '/saswork', 'read').explanation).toBe(
      'Its first limit is the EBS bandwidth of 1 r5b.4xlarge: 1,202 of 1,250 MB/s (96 %); enough for the wanted ' +
        '100 MB/s per core.',
    );
  });
});

describe('a host was lost', () => {
  const result = samples.judge(samples.hostLostSample());

  test('the others keep their results', () => {
    const write = figure(result, '/sasdata', 'write');
    expect(write).toMatchObject({ physicalCores: 48, missing: [result.hosts[2]!.instanceId], passed: false });
    expect(write.caveats).toEqual([
      'grid-node-3 did not take part: the 3 other hosts had the storage for themselves.',
    ]);
    expect(result.reasons).toContain('sas-io on /sasdata on grid-node-3: the instance is terminated.');
  });

  test('what fewer hosts did is not compared with earlier runs, nor kept for later ones', () => {
    expect(figure(result, '/sasdata', 'write').previous).toBeUndefined();
    expect(figure(result, '/saswork', 'write').previous).toBeDefined();
    expect(result.regressions).toEqual([]);
  });

  test('where the others reach what is wanted, the run is incomplete', () => {
    const { run, ...rest } = samples.hostLostSample();
    const low = run.tests.map((test) =>
      test.path ? { ...test, path: { ...test.path, writeMBpsPerCore: 10, readMBpsPerCore: 10 } } : test,
    );
    expect(samples.judge({ ...rest, run: { ...run, tests: low } })).toMatchObject({
      verdict: 'incomplete',
      reasons: ['sas-io on /sasdata on grid-node-3: the instance is terminated.'],
    });
  });
});

describe('small files, caches not dropped', () => {
  const result = samples.judge(samples.reducedSample());

  test('reading does not pass, however fast it was; writing does, with a caveat', () => {
    expect(result.verdict).toBe('incomplete');
    expect(figure(result, '/saswork', 'read')).toMatchObject({ passed: undefined, wanted: 100 });
    expect(figure(result, '/saswork', 'write').passed).toBe(true);
    expect(figure(result, '/saswork', 'write').caveats[0]).toMatch(/smaller than memory demands/);
    expect(result.reasons[0]).toMatch(/the caches that they fit into could not be dropped\.$/);
  });

  test('what it does not represent is passed on', () => {
    expect(result.notRepresentative).toMatch(/its local disk/);
  });
});

test('a regression over 10 % is told, the last run of the same configuration counts', () => {
  const result = samples.judge(samples.regressionSample());
  expect(result.regressions[0]).toBe(
    'Write (sas-io on /saswork) fell by 17 %, from 14,088 MB/s in run 20261121T101500Z-002a to 11,740 MB/s.',
  );
  expect(result.regressions).toHaveLength(5);
});

describe('hosts that did not run at the same time, by their clocks', () => {
  const nodes = samples.hosts(2, 'i2.8xlarge');
  const test_ = samples.plan('1-sas-io', 'sas-io', [nodes], {
    path: samples.SCRATCH_PATH,
    parameters: { Data: 'zero' },
  });
  const judged = (MBps: number) => {
    const outputs = nodes.map((node, index) => [
      node.instanceId,
      samples.sasIo(node, { write: MBps, read: MBps }, { startedAt: samples.START + index * 86_400 }),
    ]);
    return samples.judge({
      run: samples.runRecord('clocks', nodes, [test_]),
      outputs: { [test_.id]: Object.fromEntries(outputs) },
      history: [],
      endedAt: '',
    });
  };

  test('neither pass nor fail, where it depends on whether they did', () => {
    const result = judged(2000);
    // 2000 MB/s one after the other, 4000 together; 3200 are wanted.
    expect(result.figures[0]).toMatchObject({ MBps: expect.closeTo(2000, 6), passed: undefined });
    expect(result.verdict).toBe('incomplete');
    expect(result.reasons[0]).toMatch(
      /The hosts did not run at the same time by their clocks; what each did while it ran is 4,000 MB\/s in sum\.$/,
    );
    expect(result.figures[0]!.caveats[0]).toMatch(/^The hosts ran together for only 0 % of the time/);
  });

  test('what is too slow either way fails, what is fast enough either way passes', () => {
    expect(judged(1500).verdict).toBe('failed');
    expect(judged(3300).verdict).toBe('passed');
  });
});

test('a run of which nothing is left is incomplete, and says so of each host', () => {
  const { run } = samples.lustreSample();
  const result = judgeRun({ ...run, outcomes: {} }, {}, [], '2026-11-22T12:00:00Z');
  expect(result).toMatchObject({ verdict: 'incomplete', figures: [], mixed: [] });
  expect(result.reasons).toHaveLength(8);
  expect(result.reasons[0]).toBe('sas-io on /saswork on grid-node-1: there is no word of how it ended.');
  // Tests that are not judged cannot fail a run; what went wrong there is told all the same.
  expect(result.problems).toContain('network on grid-node-2: there is no word of how it ended.');
});

test('a run without thresholds has nothing to judge', () => {
  const { run, ...rest } = samples.io2Sample();
  const tests = run.tests.map((test) => ({
    ...test,
    path: { ...test.path!, writeMBpsPerCore: undefined, readMBpsPerCore: undefined },
  }));
  expect(samples.judge({ ...rest, run: { ...run, tests } })).toMatchObject({
    verdict: 'incomplete',
    reasons: ['No test has a threshold: there was nothing to judge.'],
  });
});

test('an output that is there and could not be read: the host was not measured, and it says why', () => {
  const { run, ...rest } = samples.io2Sample();
  const [[id, [outcome]]] = Object.entries(run.outcomes) as [
    [string, [(typeof run.outcomes)[string][number]]],
  ];
  const outcomes = { [id]: [{ ...outcome, reason: 'its output could not be read: AccessDenied' }] };
  expect(samples.judge({ ...rest, outputs: {}, run: { ...run, outcomes } })).toMatchObject({
    verdict: 'incomplete',
    reasons: ['sas-io on /saswork on sas-1: its output could not be read: AccessDenied.'],
  });
});

test('an output of SSM stands in for one that did not reach the bucket', () => {
  const { run, outputs, ...rest } = samples.io2Sample();
  const [id] = Object.keys(outputs) as [string];
  const [[instanceId, output]] = Object.entries(outputs[id]!) as [[string, string]];
  const outcomes = { [id]: [{ instanceId, status: 'done' as const, output }] };
  expect(samples.judge({ ...rest, outputs: {}, run: { ...run, outcomes } }).verdict).toBe('passed');
  const cut = { [id]: [{ instanceId, status: 'done' as const, output: output.slice(0, 900) }] };
  expect(samples.judge({ ...rest, outputs: {}, run: { ...run, outcomes: cut } })).toMatchObject({
    verdict: 'incomplete',
    reasons: ['sas-io on /saswork on sas-1: its output is not whole.'],
  });
});

describe('a slow host among fast ones', () => {
  const path = { ...samples.SCRATCH_PATH, storage: undefined };
  const run = (nodes: samples.Sample['run']['hosts'], outputs: string[], test: 'sas-io' | 'iozone') => {
    const planned = samples.plan('1', test, [nodes], { path, parameters: { Data: 'zero' } });
    const said = Object.fromEntries(nodes.map(({ instanceId }, index) => [instanceId, outputs[index]!]));
    const record = samples.runRecord('b', nodes, [planned]);
    return samples.judge({ run: record, outputs: { 1: said }, history: [], endedAt: record.startedAt });
  };

  test('misses what is wanted, though all together reach it', () => {
    const nodes = samples.hosts(4, 'i2.8xlarge');
    const outputs = nodes.map((node, index) => {
      const KiBps = ((index === 0 ? 400 : 3000) * 1e6) / 1024;
      const rates = { write: KiBps, rewrite: KiBps, read: KiBps, reread: KiBps };
      const block = samples.say({ kind: 'raw', tool: 'iozone', exitCode: 0 });
      const own = [samples.setup({ test: 'iozone' }), block, samples.iozone(1, rates), samples.DONE];
      return [samples.hostFacts(node, 16, 249_856), ...own].join('\n');
    });
    const { verdict, reasons, figures } = run(nodes, outputs, 'iozone');
    expect(verdict).toBe('failed');
    expect(reasons[0]).toBe(
      'Write (iozone on /saswork): 147 MB/s per core (9,400 MB/s for 64 cores) together, but grid-node-1 did 25 ' +
        'MB/s per core, less than the wanted 100.',
    );
    expect(figures[0]!.caveats).toContain('By itself grid-node-1 did 25 MB/s per core.');
  });

  test('as does one that has more cores for the same files', () => {
    const nodes = [...samples.hosts(1, 'i2.8xlarge'), ...samples.hosts(1, 'r5b.4xlarge', 'other')];
    const outputs = nodes.map((node, index) =>
      samples.sasIo(node, { write: 1300, read: 1300 }, { cores: index === 0 ? 16 : 8, memoryMiB: 100_000 }),
    );
    const { verdict, reasons } = run(nodes, outputs, 'sas-io');
    expect(verdict).toBe('failed');
    expect(reasons[0]).toContain('grid-node-1 did 81.3 MB/s per core');
  });

  test('a host whose cores nobody knows does not pass on those of the others', () => {
    const nodes = samples.hosts(2, 'x99.unknown');
    const [known, silent] = nodes.map((node) => samples.sasIo(node, { write: 1700, read: 1700 }));
    const withoutFacts = silent!.split('\n').filter((line) => !line.includes('"kind":"host"'));
    const { verdict, reasons } = run(nodes, [known!, withoutFacts.join('\n')], 'sas-io');
    expect(verdict).toBe('incomplete');
    expect(reasons[0]).toContain('Nobody knows how many physical cores grid-node-2 has');
  });
});
