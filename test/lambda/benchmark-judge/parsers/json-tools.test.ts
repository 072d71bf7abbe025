import { parseFio } from '../../../../lambda/benchmark-judge/parsers/fio';
import { parseIperf3 } from '../../../../lambda/benchmark-judge/parsers/iperf3';
import { parseSteps } from '../../../../lambda/benchmark-judge/parsers/time';
import fc from '../../../helpers/fast-check';
import { iperf3 } from '../samples';
import { beginnings, recording, recordingsOf } from './recordings';

/** fio 3 with one job of each direction. */
function fio(bytes: number, milliseconds: number, more: Record<string, unknown> = {}): string {
  const flow = {
    io_bytes: bytes,
    bw_bytes: Math.round((bytes * 1000) / milliseconds),
    iops: 100.5,
    runtime: milliseconds,
  };
  const none = { io_bytes: 0, bw_bytes: 0, iops: 0, runtime: 0 };
  return JSON.stringify(
    {
      'fio version': 'fio-3.35',
      'global options': { ioengine: 'psync', bs: '64k' },
      jobs: [
        { jobname: 'write', groupid: 0, error: 0, 'job options': { rw: 'write' }, read: none, write: flow },
        { jobname: 'read', groupid: 1, error: 0, 'job options': { rw: 'read' }, read: flow, write: none },
      ],
      ...more,
    },
    null,
    2,
  );
}

describe('fio', () => {
  test('jobs, their direction and their throughput', () => {
    const { value } = parseFio(fio(6_000_000_000, 4000));
    expect(value).toMatchObject({ version: 'fio-3.35', failures: [] });
    expect(value!.jobs).toEqual([
      {
        name: 'write',
        group: 0,
        rw: 'write',
        engine: 'psync',
        read: undefined,
        write: { bytes: 6e9, seconds: 4, MBps: 1500, iops: 100.5 },
      },
      {
        name: 'read',
        group: 1,
        rw: 'read',
        engine: 'psync',
        write: undefined,
        read: { bytes: 6e9, seconds: 4, MBps: 1500, iops: 100.5 },
      },
    ]);
  });

  test('warnings before and after the JSON', () => {
    const noisy =
      'fio: this platform does not support {process shared} mutexes, forcing use of threads.\n' +
      `${fio(6e9, 4000)}\nnote: both iodepth >= 1 and synchronous I/O engine are selected\n`;
    expect(parseFio(noisy)).toEqual(parseFio(fio(6e9, 4000)));
  });

  test('fio 2 counts io_bytes in KiB', () => {
    const old = fio(1_000_000, 1000).replace('fio-3.35', 'fio-2.99');
    expect(parseFio(old).value!.jobs[0]!.write!.MBps).toBeCloseTo(1024, 6);
  });

  test('a job that ended with an error has no numbers', () => {
    const text = fio(6e9, 4000).replace('"error": 0', '"error": 28');
    expect(parseFio(text).value).toMatchObject({
      failures: ["fio's job write ended with error 28"],
      jobs: [{ name: 'read' }],
    });
  });

  test.each([
    ['', 'fio printed no whole result'],
    ['bash: fio: command not found', 'fio printed no whole result'],
    [
      'fio: failed opening file /x: No space left on device',
      'fio: failed opening file /x: No space left on device',
    ],
  ])('no result in %j: it says why', (text, problem) => expect(parseFio(text)).toEqual({ problem }));
});

describe('recordings of fio', () => {
  test.each([
    [
      '3.25',
      'write',
      { name: 'sequential', rw: 'write', write: { bytes: 134_217_728, seconds: 0.187 }, read: undefined },
    ],
    [
      '3.33',
      'write',
      { name: 'sequential', rw: 'write', write: { bytes: 134_217_728, seconds: 0.184 }, read: undefined },
    ],
    [
      '3.39',
      'read',
      { name: 'sequential', rw: 'read', read: { bytes: 134_217_728, seconds: 0.482 }, write: undefined },
    ],
    [
      '3.33',
      'rw',
      {
        name: 'rw',
        rw: 'rw',
        read: { bytes: 1_862_795_264, seconds: 2.035 },
        write: { bytes: 1_870_725_120 },
      },
    ],
    ['3.25', 'filecreate', { engine: 'filecreate', read: { iops: 2816.901408 } }],
    ['3.39', 'filedelete', { engine: 'filedelete', read: { iops: 800 } }],
  ])('%s %s', (version, name, job) => {
    const { value } = parseFio(recording(`fio-${version}-${name}.json`));
    expect(value).toMatchObject({ version: `fio-${version}`, failures: [], jobs: [job] });
  });

  test('jobs that ran at the same time are apart', () => {
    const { value } = parseFio(recording('fio-3.33-mixed.json'));
    expect(value!.jobs).toMatchObject([
      { name: 'mixed-read', read: { bytes: 3_288_465_408 }, write: undefined },
      { name: 'mixed-write', write: { bytes: 1_677_787_136 }, read: undefined },
    ]);
  });

  test('what failed says why', () => {
    expect(parseFio(recording('fio-3.33-disk-full.json'))).toEqual({
      problem: "fio's job a ended with error 28",
    });
    expect(parseFio(recording('fio-3.25-filedelete.json'))).toEqual({
      problem: 'fio: engine filedelete not loadable',
    });
    expect(parseFio(recording('fio-3.33-cut-off.json'))).toEqual({ problem: 'fio printed no whole result' });
  });
});

describe('iperf3', () => {
  test.each([
    ['3.9', 785_645_568, 381.668],
    ['3.12', 725_876_736, 356.273],
    ['3.18', 972_816_384, 481.846],
  ])('recorded, %s', (version, bytes, MBps) => {
    const { value } = parseIperf3(recording(`iperf3-${version}.json`));
    expect(value).toMatchObject({ version: `iperf ${version}`, bytes, streams: 2 });
    expect(value!.MBps).toBeCloseTo(MBps, 3);
  });

  test.each([
    ['3.9-busy', /^iperf3: unable to send control message: Connection reset by peer$/],
    ['3.9-refused', /^iperf3: unable to send control message: Bad file descriptor$/],
    ['3.12-busy', /^iperf3: the server is busy running a test/],
    ['3.12-refused', /^iperf3: unable to connect to server: Connection refused$/],
    ['3.18-refused', /^iperf3: unable to connect to server - /],
  ])('recorded, %s: it says why', (name, problem) => {
    expect(parseIperf3(recording(`iperf3-${name}.json`)).problem).toMatch(problem);
  });

  test('what the other side received', () => {
    expect(parseIperf3(iperf3(1178)).value).toMatchObject({
      MBps: 1178,
      seconds: 10,
      streams: 4,
      retransmits: 12,
      version: 'iperf 3.9',
    });
  });

  test.each([
    [
      '{"start":{},"intervals":[],"end":{},"error":"unable to connect to server: Connection refused"}',
      'iperf3: unable to connect to server: Connection refused',
    ],
    // It was interrupted: what it has counted by then is not the whole.
    [
      iperf3(1178).replace(/}$/, ',"error":"interrupt - the server has terminated"}'),
      'iperf3: interrupt - the server has terminated',
    ],
    [
      'iperf3: error - unable to connect to server: No route to host',
      'iperf3: unable to connect to server: No route to host',
    ],
    ['{"start":{},"end":{}}', 'iperf3 received nothing'],
    ['', 'iperf3 printed no whole result'],
  ])('no result: it says why (%#)', (text, problem) => expect(parseIperf3(text)).toEqual({ problem }));
});

describe('steps of the mixed workload', () => {
  const step = {
    step: 'sort',
    kind: 'io',
    job: 'sort-0',
    realSeconds: 10.5,
    userSeconds: 4,
    systemSeconds: 3,
    bytesRead: 5,
    bytesWritten: 6,
  };

  test('a line each; others and those that were cut off are left out', () => {
    const wrong = JSON.stringify({ ...step, realSeconds: 'long' });
    const cutOff = JSON.stringify(step).slice(0, -9);
    const text = `starting\n${JSON.stringify(step)}\r\n${wrong}\n${cutOff}`;
    expect(parseSteps(text).value).toEqual({ steps: [step], unreadable: 2 });
    expect(parseSteps('nothing')).toEqual({ problem: 'The mixed workload printed no step' });
  });
});

const PARSERS = { fio: parseFio, iperf3: parseIperf3 } as const;
const WHOLE: [keyof typeof PARSERS, string, string][] = [
  ['fio', 'made here', fio(6e9, 4000)],
  ['iperf3', 'made here', iperf3(1178)],
  ...recordingsOf('fio').map((name): [keyof typeof PARSERS, string, string] => [
    'fio',
    name,
    recording(name),
  ]),
  ...recordingsOf('iperf3').map((name): [keyof typeof PARSERS, string, string] => [
    'iperf3',
    name,
    recording(name),
  ]),
];

test.each(WHOLE)('%s, %s, cut off anywhere: the whole, or why there is nothing', (tool, _, text) => {
  const whole = PARSERS[tool](text).value;
  for (const beginning of beginnings(text)) {
    const { value, problem } = PARSERS[tool](beginning);
    if (value) expect(value).toEqual(whole);
    else expect(problem).toBeTruthy();
  }
});

test('a long result that was cut off is given up quickly', () => {
  const deep = `{${'"a":{"b":'.repeat(200_000)}`;
  const started = process.cpuUsage();
  expect(parseFio(deep).value).toBeUndefined();
  expect(process.cpuUsage(started).user / 1e6).toBeLessThan(20);
});

test('any numbers are read as they were printed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2 ** 50 }),
      fc.integer({ min: 1, max: 10_000_000 }),
      (bytes, milliseconds) => {
        const { write } = parseFio(fio(bytes, milliseconds)).value!.jobs[0]!;
        expect(write).toMatchObject({ bytes, seconds: milliseconds / 1000 });
      },
    ),
  );
});

test('any text: no exception', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      for (const parse of [parseFio, parseIperf3, parseSteps])
        expect(parse(text).value === undefined).toBe(parse(text).problem !== undefined);
    }),
  );
});
