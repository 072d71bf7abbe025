import { recording } from '../parsers/recordings';
import * as samples from '../samples';

const { DONE, hostFacts, hosts, plan, say, setup } = samples;

/** A run of one test, with the same output on every host or one for each. */
function result(
  test: Parameters<typeof plan>[1],
  count: number,
  output: (index: number) => string,
  parameters = {},
) {
  const nodes = hosts(count, 'm6i.8xlarge');
  const planned = plan(`1-${test}`, test, [nodes], { path: samples.LUSTRE_PATH, parameters });
  return samples.judge({
    run: samples.runRecord('tools', nodes, [planned]),
    outputs: {
      [planned.id]: Object.fromEntries(nodes.map(({ instanceId }, index) => [instanceId, output(index)])),
    },
    history: [],
    endedAt: '2026-11-22T12:00:00Z',
  });
}

const phases = ({ figures }: ReturnType<typeof result>) =>
  Object.fromEntries(figures.map(({ phase, MBps }) => [phase, MBps]));

describe('whole outputs of the programs, recorded', () => {
  test('sas-io, with both kinds of data', () => {
    const found = result('sas-io', 1, () => recording('program-sas-io.txt'), { Data: 'both' });
    expect(phases(found)).toEqual({
      write: expect.closeTo(134.217728 / (0.200531298 - 0.916188684 + 1), 2),
      read: expect.closeTo(134.217728 / (3.249664417 - 2.590982751), 2),
      'write-random-data': expect.closeTo(134.217728 / (4.109724212 - 3.511877483), 2),
      'read-random-data': expect.any(Number),
    });
    expect(found.figures[0]!.caveats).toEqual([
      expect.stringContaining('smaller than memory demands'),
      'It lasted 0.28 s: too short for starting and the last sync not to weigh.',
    ]);
    expect(found.tests[0]!.setup[0]).toBe(
      '2 processes of 64 MiB each, 64 KiB blocks; data: zero; file system: xfs; smaller than memory demands; ' +
        'caches dropped between phases',
    );
    expect(found.problems).toBeUndefined();
    expect(found.reasons.every((reason) => /sas-io on \/sasdata\)/.test(reason))).toBe(true);
  });

  test('caveats of a phase are those of its own data and caches', () => {
    const caveats = (change: (output: string) => string, phase: string) =>
      result('sas-io', 1, () => change(recording('program-sas-io.txt')), { Data: 'both' })
        .figures.find((one) => one.phase === phase)!
        .caveats.join(' ');
    // The second set-up is that of random data.
    const second = (output: string) => output.replace(/("data":"random","cachesDropped":)true/, '$1false');
    expect(caveats(second, 'read')).not.toMatch(/Caches could not be dropped/);
    expect(caveats(second, 'read-random-data')).toMatch(/Caches could not be dropped/);
    const noted = (output: string) =>
      `${say({ kind: 'note', text: 'caches were not dropped before the phase read' })}\n${output}`;
    expect(caveats(noted, 'read')).toMatch(/Caches could not be dropped/);
    expect(caveats(noted, 'read-random-data')).not.toMatch(/Caches could not be dropped/);
  });

  test('sas-io without random data has the phases that are judged, and no others are missed', () => {
    const found = result('sas-io', 1, () => recording('program-sas-io-zeros.txt'), { Data: 'zero' });
    expect(Object.keys(phases(found))).toEqual(['write', 'read']);
    expect(found.reasons.join()).not.toMatch(/no figure/);
  });

  test.each([
    [
      'disk-full',
      'sas-io on /sasdata on grid-node-1: refused: /saswork had no room left during the phase write.',
    ],
    [
      'no-room',
      'sas-io on /sasdata on grid-node-1: refused: /saswork has 77644 MiB free; the files need 200000 MiB (1 ' +
        'host(s)) and 12900 MiB (5 %) have to stay free.',
    ],
    ['killed', 'sas-io on /sasdata on grid-node-1: its output is not whole.'],
  ])('sas-io, %s: no figure, and why', (name, reason) => {
    const found = result('sas-io', 1, () => recording(`program-sas-io-${name}.txt`), { Data: 'zero' });
    expect(found).toMatchObject({ verdict: 'incomplete', figures: [] });
    expect(found.reasons[0]).toBe(reason);
  });

  test('fio: sequential, mixed, and operations on small files', () => {
    const found = result('fio', 1, () => recording('program-fio.txt'), { Jobs: 'sequential,mixed,metadata' });
    expect(Object.keys(phases(found)).sort()).toEqual(['mixed-read', 'mixed-write', 'read', 'write']);
    // From fio's start to its end, by the host's clock.
    expect(phases(found).write).toBeCloseTo(134.217728 / (5.699252628 - 4.913422964), 2);
    expect(found.otherFigures.map(({ name, unit }) => `${name} ${unit}`)).toEqual([
      'filecreate operations/s',
      'filestat operations/s',
      'filedelete operations/s',
      'write-small-files operations/s',
    ]);
    for (const { value } of found.otherFigures) expect(value).toBeGreaterThan(0);
    expect(found.reasons.join()).not.toMatch(/no figure/);
  });

  test('iozone: what its two runs printed', () => {
    const found = result('iozone', 1, () => recording('program-iozone.txt'));
    expect(Object.keys(phases(found))).toEqual(['write', 'rewrite', 'read', 'reread']);
    expect(found.reasons.join()).not.toMatch(/no figure/);
  });
});

describe('iozone on several hosts', () => {
  const one = (write: number) =>
    [
      hostFacts(hosts(1, 'x')[0]!, 16, 126_976),
      setup({ test: 'iozone' }),
      say({ kind: 'raw', tool: 'iozone' }),
      samples.iozone(2, { write, rewrite: 1000, read: write, reread: 2000 }),
      DONE,
    ].join('\n');

  test('each for itself: they are added up', () => {
    const found = result('iozone', 3, (index) => one(1000 * (index + 1)));
    expect(found.figures[0]).toMatchObject({
      phase: 'write',
      physicalCores: 48,
      MBps: expect.closeTo(6.144, 6),
    });
    expect(Object.values(found.figures[0]!.perHost)).toEqual([
      expect.closeTo(1.024, 6),
      expect.closeTo(2.048, 6),
      expect.closeTo(3.072, 6),
    ]);
    expect(found.figures[0]!.caveats.at(-1)).toMatch(/^Each host ran IOZone for itself/);
  });

  test('one of them is silent: the others keep theirs, the silent one is missing', () => {
    const found = result('iozone', 3, (index) => (index === 1 ? '' : one(1000)));
    expect(found.figures[0]).toMatchObject({ physicalCores: 32, missing: [expect.any(String)] });
    expect(found.reasons).toContain('iozone on /sasdata on grid-node-2: it left no output.');
  });

  test('one of them came to its end without a number: it is missing as well', () => {
    const found = result('iozone', 2, (index) => (index === 1 ? DONE : one(1_500_000)));
    expect(found).toMatchObject({
      verdict: 'incomplete',
      reasons: [
        "iozone on /sasdata: no figure of the phase 'write' from grid-node-2.",
        "iozone on /sasdata: no figure of the phase 'read' from grid-node-2.",
      ],
    });
  });

  test("two that ran one after the other, by their programs' times, are not taken for two that ran together", () => {
    const at = (from: number) => (output: string) =>
      output.replace('"tool":"iozone"', `"tool":"iozone","startedAt":${from},"endedAt":${from + 100}`);
    const rate = (MBpsPerCore: number) => one((MBpsPerCore * 16 * 1e6) / 1024);
    const together = result('iozone', 2, () => at(1000)(rate(60)));
    expect(together).toMatchObject({
      verdict: 'passed',
      figures: [{ phase: 'write', MBps: expect.closeTo(1920, 3) }, {}, {}, {}],
    });
    const apart = result('iozone', 2, (index) => at(1000 + 100 * index)(rate(60)));
    expect(apart).toMatchObject({
      verdict: 'incomplete',
      figures: [{ phase: 'write', MBps: expect.closeTo(960, 3) }, {}, {}, {}],
    });
    expect(apart.figures[0]!.caveats.join()).toMatch(/ran together for only 0 % of the time/);
    // Half of what each did alone would be enough.
    expect(result('iozone', 2, (index) => at(1000 + 100 * index)(rate(120))).verdict).toBe('passed');
  });

  test('one that drives others speaks for all of them', () => {
    const nodes = hosts(3, 'm6i.8xlarge');
    const clients = nodes.slice(1).map(({ privateIp }) => privateIp);
    const found = result('iozone', 1, () => one(1_500_000), { Clients: clients.join(',') });
    // The addresses are of hosts that this run does not know.
    expect(found.figures[0]!.hosts).toEqual([nodes[0]!.instanceId]);
  });

  test('a run that ended with an error has no figure', () => {
    const failed = one(1000).replace('"tool":"iozone"', '"tool":"iozone","exitCode":1');
    expect(result('iozone', 1, () => failed)).toMatchObject({
      figures: [],
      problems: ['1-iozone, grid-node-1: iozone ended with 1.'],
    });
  });
});

describe('the network between hosts', () => {
  const block = (peer: string, MBps: number) =>
    `${say({ kind: 'raw', tool: 'iperf3', peer, exitCode: 0 })}\n${samples.iperf3(MBps)}`;
  const output = (...blocks: string[]) =>
    [hostFacts(hosts(1, 'x')[0]!, 16, 126_976), ...blocks, DONE].join('\n');

  test('a host that tries its peers one after the other has their mean, and hosts add up', () => {
    const found = result('network', 2, (index) =>
      output(block('10.0.0.1', 1000 + index * 100), block('10.0.0.2', 500)),
    );
    expect(found.figures).toMatchObject([
      { phase: 'tcp', MBps: 750 + 800, perHost: { [found.hosts[0]!.instanceId]: 750 } },
    ]);
    expect(found.otherFigures.map(({ value }) => value)).toEqual([1000, 500, 1100, 500]);
  });

  test('a peer that refuses takes no other with it', () => {
    const raw = say({ kind: 'raw', tool: 'iperf3', peer: '10.0.0.3', exitCode: 1 });
    const refused = `${raw}\n${recording('iperf3-3.12-refused.json')}`;
    const found = result('network', 1, () => output(block('10.0.0.1', 1000), refused));
    expect(found.figures).toMatchObject([{ MBps: 1000 }]);
    expect(found.problems).toEqual([
      '1-network, grid-node-1 to 10.0.0.3: iperf3: unable to connect to server: Connection refused.',
    ]);
  });

  test("LNet's self-test: what clients sent and received", () => {
    const lnet =
      '[LNet Bandwidth of servers]\n[R] Avg: 9.00 MB/s Min: 9.00 MB/s Max: 9.00 MB/s\n' +
      '[W] Avg: 9.00 MB/s Min: 9.00 MB/s Max: 9.00 MB/s\n[LNet Bandwidth of clients]\n' +
      '[R] Avg: 1000.00 MB/s Min: 900.00 MB/s Max: 1100.00 MB/s\n' +
      '[W] Avg: 500.00 MB/s Min: 400.00 MB/s Max: 600.00 MB/s';
    const found = result('network', 1, () =>
      output(`${say({ kind: 'raw', tool: 'lnet-selftest', peer: '10.0.0.9' })}\n${lnet}`),
    );
    expect(phases(found)).toEqual({ 'lnet-write': 524.288, 'lnet-read': 1048.576 });
  });
});

test('servers by themselves: the best of obdfilter-survey; one that was cut off has none', () => {
  const line =
    'ost  8 sz 25165824K rsz 1024K obj    8 thr    8 write  500.00 [  60.00,  70.00] ' +
    'rewrite  510.00 [  60.00,  70.00] read 1000.00 [ 120.00, 130.00]';
  const whole = [
    hostFacts(hosts(1, 'x')[0]!, 16, 61_440),
    say({ kind: 'raw', tool: 'obdfilter-survey' }),
    line,
    DONE,
  ].join('\n');
  const found = result('lustre-server', 2, (index) => (index === 0 ? whole : whole.replace(DONE, '')));
  expect(phases(found)).toEqual({ write: 524.288, rewrite: expect.closeTo(534.774, 3), read: 1048.576 });
  expect(found.problems).toContain(
    '1-lustre-server, grid-node-2: the output of obdfilter-survey was cut off.',
  );
});
