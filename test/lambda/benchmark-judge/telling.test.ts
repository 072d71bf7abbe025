import { historyEntryOf } from '../../../lambda/benchmark-judge/history';
import { messageOf } from '../../../lambda/benchmark-judge/message';
import { metricLines } from '../../../lambda/benchmark-judge/metrics';
import { toItem } from '../../../lambda/shared/attributes';
import { metricDimensions } from '../../../lambda/shared/benchmark/metrics';
import type { Figure } from '../../../lambda/shared/benchmark/result';
import { sampleFigure, sampleHosts, sampleResult } from './report-samples';

const HOSTS = sampleHosts(2);
const SETTINGS = { bucket: 'results', region: 'eu-central-1', dashboardUrl: 'https://dashboard.example' };
const figures = (...some: Partial<Figure>[]) => some.map((each) => sampleFigure(HOSTS, 50, each));

describe('the item of a run', () => {
  test('has each figure in MB/s, per core, and what was wanted of it', () => {
    const entry = historyEntryOf(sampleResult(), 'r.json', 'r.html');
    expect(entry.MBpsPerCore['sas-io|/sasdata|write']).toBe(46.2);
    expect(entry.MBps['sas-io|/sasdata|write']).toBeCloseTo(46.2 * 64);
    expect(entry.wantedPerCore).toMatchObject({ 'sas-io|/sasdata|write': 50, 'sas-io|/saswork|write': 100 });
    expect(entry.wantedPerCore).not.toHaveProperty(['iozone|/sasdata|reread']);
    expect(entry).toMatchObject({
      verdict: 'failed',
      configuration: 'now',
      resultKey: 'r.json',
      reportKey: 'r.html',
    });
  });

  test('has the lowest of hosts that were measured one after another', () => {
    const result = sampleResult(
      {},
      { figures: figures({ MBpsPerCore: 70 }, { MBpsPerCore: 30 }, { MBpsPerCore: 60 }) },
    );
    expect(historyEntryOf(result, '', '').MBpsPerCore).toEqual({ 'sas-io|/sasdata|write': 30 });
  });

  test('has no figure from which hosts are missing: with fewer hosts it is another test', () => {
    const some = figures({ missing: ['i-3'] }, { phase: 'read', missing: [] });
    const result = sampleResult({}, { figures: some });
    expect(Object.keys(historyEntryOf(result, '', '').MBps)).toEqual(['sas-io|/sasdata|read']);
  });

  test('has no numbers that the table cannot hold', () => {
    const result = sampleResult(
      {},
      { figures: figures({ MBps: Number.NaN }, { MBpsPerCore: Number.POSITIVE_INFINITY }) },
    );
    expect(historyEntryOf(result, '', '').MBps).toEqual({});
  });

  test('stays below 400 KB, whatever the run, and keeps what is judged', () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({
      directory: `/${'d'.repeat(200)}${index}`,
      ...(index === 2999 ? { directory: '/judged' } : { wanted: undefined, passed: undefined }),
    }));
    const result = sampleResult(
      {},
      {
        figures: figures(...many),
        reasons: Array.from({ length: 1000 }, () => 'ü'.repeat(5000)),
        configuration: 'c'.repeat(50_000),
      },
    );
    const entry = historyEntryOf(result, 'k', 'k');
    expect(JSON.stringify(toItem(entry as never)).length).toBeLessThan(400_000);
    expect(entry.wantedPerCore).toHaveProperty(['sas-io|/judged|write']);
    expect(entry.configuration).toHaveLength(50_000);
  });
});

describe('the metrics', () => {
  const lines = metricLines(sampleResult()).map((line) => JSON.parse(line));

  test('are one line for each figure, in the format that CloudWatch reads', () => {
    const line = lines.find(
      ({ Path, Phase, Test }) => Path === '/sasdata' && Phase === 'write' && Test === 'sas-io',
    );
    expect(line).toMatchObject({
      Benchmark: 'sas-grid-lustre',
      ThroughputPerCore: 46.2,
      RunId: '20261122T101500Z-4f1c',
    });
    const [directive] = line._aws.CloudWatchMetrics;
    expect(directive.Namespace).toBe('SasGrid/StorageBenchmark');
    expect(directive.Metrics).toEqual([
      { Name: 'ThroughputPerCore', Unit: 'Megabytes/Second' },
      { Name: 'Throughput', Unit: 'Megabytes/Second' },
    ]);
    for (const dimension of directive.Dimensions[0]) expect(typeof line[dimension]).toBe('string');
    for (const { Name } of directive.Metrics) expect(typeof line[Name]).toBe('number');
    expect(line._aws.Timestamp).toBe(Date.parse('2026-11-22T12:02:41.000Z'));
  });

  test.each([
    ['passed', 1],
    ['failed', 0],
    ['incomplete', 0],
  ] as const)('say of a run that %s: %d', (verdict, value) => {
    const last = JSON.parse(metricLines(sampleResult({}, { verdict })).at(-1)!);
    expect(last).toMatchObject({ Benchmark: 'sas-grid-lustre', Verdict: value });
    expect(last._aws.CloudWatchMetrics[0].Dimensions).toEqual([['Benchmark']]);
  });

  test('have dimensions that CloudWatch takes', () => {
    expect(metricDimensions('grün\n', { test: 'network', phase: 'x'.repeat(2000) })).toEqual({
      Benchmark: 'gr?n?',
      Test: 'network',
      Path: '-',
      Phase: 'x'.repeat(1024),
    });
  });

  test('leave out what is no number', () => {
    expect(metricLines(sampleResult({}, { figures: figures({ MBps: Number.NaN }) }))).toHaveLength(1);
  });
});

describe('the message', () => {
  const { subject, text } = messageOf(sampleResult(), 'runs/x/report.html', SETTINGS);

  test('has the verdict first, then why, the figures that were missed, and where the report is', () => {
    expect(subject).toBe('FAILED: storage benchmark sas-grid-lustre');
    const order = [
      'Storage benchmark sas-grid-lustre: FAILED',
      'less than the wanted 50',
      'fell by 14 %',
      '/sasdata, write (SAS-style I/O): 46.2, wanted 50: MISSED',
      '/saswork, write (SAS-style I/O): 182, wanted 100: reached',
      's3://results/runs/x/report.html',
      'https://eu-central-1.console.aws.amazon.com/s3/object/results?region=eu-central-1&prefix=runs%2Fx%2Freport.html',
      'https://dashboard.example',
    ].map((words) => text.indexOf(words));
    expect(order).not.toContain(-1);
    expect([...order].sort((a, b) => a - b)).toEqual(order);
  });

  test('never has an address that opens the report to everybody', () =>
    expect(text).not.toMatch(/X-Amz-Signature|amazonaws\.com\/runs/));

  test('has a subject that SNS takes, whatever the name', () => {
    const hostile = messageOf(
      sampleResult({}, { benchmark: `a\r\nBcc: b ü ${'x'.repeat(300)}` }),
      undefined,
      SETTINGS,
    );
    expect(hostile.subject).toMatch(/^[\x20-\x7e]{1,99}$/);
  });

  test('says which hosts may have left test files, and where', () => {
    const { instanceId, name } = HOSTS[0]!;
    const cleanUp = [{ instanceId, status: 'timed-out' as const, reason: 'it took longer than 900 s' }];
    const result = sampleResult({}, { cleanUp });
    const { text } = messageOf(result, 'r.html', SETTINGS);
    expect(text).toContain(`.sas-grid-benchmark/${result.runId}`);
    expect(text).toContain(`- ${name}: it took longer than 900 s`);
    expect(messageOf(sampleResult(), 'r.html', SETTINGS).text).not.toContain('Test files');
  });

  test('says of what is not representative so in subject and text', () => {
    const told = messageOf(sampleResult({}, { notRepresentative: 'local disk' }), 'k', SETTINGS);
    expect(told.subject).toContain('(not representative)');
    expect(told.text).toContain('NOT REPRESENTATIVE: local disk');
  });

  test('is no longer than SNS takes, whatever the run', () => {
    const many = Array.from({ length: 500 }, (_, index) => ({ directory: `/${'ü'.repeat(3000)}${index}` }));
    const told = messageOf(sampleResult({}, { figures: figures(...many) }), 'k', SETTINGS);
    expect(Buffer.byteLength(told.text)).toBeLessThan(262_144);
    expect(told.text).toContain('cut off here');
  });

  test('has no link where the console of a region is not known', () => {
    const told = messageOf(sampleResult(), 'k', { bucket: 'b', region: 'us-iso-east-1' });
    expect(told.text).toContain('s3://b/k');
    expect(told.text).not.toContain('https://');
  });

  test.each([
    ['cn-north-1', 'https://console.amazonaws.cn/s3/object/'],
    ['us-gov-west-1', 'https://us-gov-west-1.console.amazonaws-us-gov.com/s3/object/'],
  ])('has the console of the partition of %s', (region, page) => {
    expect(messageOf(sampleResult(), 'k', { bucket: 'b', region }).text).toContain(page);
  });
});
