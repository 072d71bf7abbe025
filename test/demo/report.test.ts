import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020';
import { passed } from '../../proof/kit/report';
import { reportHtml } from '../../proof/kit/report-html';
import { describeVolumes, machinesOf, reportJson, serversOf } from '../../proof/kit/report-json';
import { goodEstate, managedReport, sampleBenchmark, sampleFailure, sampleReport } from './samples';

const schema = JSON.parse(readFileSync(join(__dirname, '../../proof/demo/report.schema.json'), 'utf8'));
const broken = { id: 'x', title: 'X', passed: false, detail: 'broken' };

describe('report.json', () => {
  test.each([
    ['a report that passed', sampleReport()],
    [
      'a report of a cluster',
      sampleReport({ sharedVolumes: true, failures: [sampleFailure({ fencedBy: 'i-0ddd' })] }),
    ],
    ['a report of a file system that AWS runs', managedReport()],
    ['a report with a benchmark', sampleReport({ benchmark: sampleBenchmark() })],
    ['a report of a run that ended early', sampleReport({ servers: [], failures: [], error: 'no Python' })],
  ])('%s follows the schema', (_name, report) => {
    const validate = new Ajv({ allErrors: true }).compile(schema);
    validate(JSON.parse(reportJson(report)));
    expect(validate.errors ?? []).toEqual([]);
  });

  test('the schema rejects what it does not describe', () => {
    const validate = new Ajv().compile(schema);
    expect(validate({ ...sampleReport(), surprise: 1 })).toBe(false);
    expect(validate({ ...sampleReport(), failures: [{}] })).toBe(false);
  });

  test('times are rounded', () => {
    expect(JSON.parse(reportJson(sampleReport())).totalSeconds).toBe(71.23);
  });
});

describe('a run passes only when everything held', () => {
  const good = sampleReport();
  test('all held', () => expect(passed(good)).toBe(true));
  test.each([
    ['a check of the deployment', { ...good, deploymentChecks: [broken] }],
    ['a check after the teardown', { ...good, teardownChecks: [broken] }],
    ['a recovery that is not verified', { ...good, failures: [sampleFailure({ verified: false })] }],
    ['a check of a recovery', { ...good, failures: [sampleFailure({ checks: [broken] })] }],
    ['no failure at all', { ...good, failures: [] }],
    ['no check of the deployment', { ...good, deploymentChecks: [] }],
    ['an early end', { ...good, error: 'interrupted' }],
  ])('%s', (_name, report) => expect(passed(report)).toBe(false));
});

describe('report.html of a cluster', () => {
  const server = sampleReport().servers[0]!;
  const page = reportHtml(
    sampleReport({
      sharedVolumes: true,
      servers: [
        { ...server, slot: 'node1', tier: 'node1' },
        { ...server, slot: 'node2', tier: 'node2' },
      ],
      failures: [sampleFailure({ fencedBy: 'i-0ddd' })],
    }),
  );

  test('says who fenced, and nothing of volumes that only one server had', () => {
    expect(page).toContain('<code>i-0ddd</code> fenced it');
    expect(page).toContain('fenced it before anybody got another lock');
    expect(page).not.toContain('At no time did two servers hold the same volume');
  });

  test('counts shared volumes once', () => {
    expect(page).toMatch(/<b>2<\/b><span>cluster nodes<\/span>/);
    expect(page).toMatch(/<b>2<\/b><span>volumes<\/span>/);
  });
});

describe('report.html', () => {
  const page = reportHtml(sampleReport());

  test('needs nothing from elsewhere', () => {
    expect(page).not.toMatch(/<script|<link|src=|@import|url\(/);
  });

  test('says what happened, to whom and how long it took', () => {
    for (const text of [
      'passed',
      'oss-01',
      'i-0aaa',
      'i-0bbb',
      '172.16.4.21',
      '8.1 s',
      '2 x 750 GiB gp3',
      'grid-1',
    ]) {
      expect(page).toContain(text);
    }
  });

  test('has a chart of the steps and one of what the map recorded, each in two widths', () => {
    expect(page.match(/<svg /g)).toHaveLength(4);
    expect(page).toContain('Server mounts and serves');
    expect(page).toContain('fence: the old server is terminated');
    expect(
      page.match(/<div class="chart (wide|narrow)" role="img" aria-label="Bars of [^"]+">/g),
    ).toHaveLength(4);
    expect(page).toContain('Server mounts and serves: after ');
    const without = reportHtml(sampleReport({ failures: [sampleFailure({ recorded: undefined })] }));
    expect(without.match(/<svg /g)).toHaveLength(2);
    expect(without).not.toContain('As the volume map recorded it');
  });

  test('escapes what it shows', () => {
    const hostile = '<img src=x onerror=alert(1)>&"\'';
    const steps = [{ name: hostile, start: 0, end: 1, seconds: 1 }];
    const text = reportHtml(
      sampleReport({
        deployment: hostile,
        error: hostile,
        failures: [sampleFailure({ slot: hostile, steps, checks: [{ ...broken, detail: hostile }] })],
      }),
    );
    expect(text).not.toContain('<img');
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });

  test('of a file system that AWS runs speaks of hosts, not of storage servers', () => {
    const text = reportHtml(managedReport());
    for (const words of ['Node recovery', 'fs-0123', 'node2 lost its hardware', 'nodes came back', 'grid-1'])
      expect(text).toContain(words);
    expect(text).not.toMatch(/storage server|volumes|terminated/);
    const failures = [sampleFailure({ slot: 'node2', volumes: [], verified: false })];
    expect(reportHtml(managedReport({ failures }))).toContain('Not all came back as it must');
    expect(reportHtml(managedReport({ failures: [] }))).toContain('before a node could be stopped');
  });

  test('a run that ended early shows why', () => {
    const text = reportHtml(
      sampleReport({ servers: [], failures: [], deploymentChecks: [], error: 'no Python here' }),
    );
    expect(text).toContain('no Python here');
    expect(text).toContain('failed');
  });
});

test('volumes are described by kind', () => {
  const volume = (sizeGiB: number) => ({ id: 'v', type: 'gp3', sizeGiB });
  expect(describeVolumes([volume(10), volume(750), volume(750)])).toBe('1 x 10 GiB gp3, 2 x 750 GiB gp3');
});

test('servers own slots, running machines without a slot are listed apart', () => {
  const estate = goodEstate();
  const node = {
    id: 'i-grid',
    name: 'grid-1',
    type: 'i4i.8xlarge',
    state: 'running',
    privateAddress: '172.16.0.9',
  };
  const withNode = { ...estate, instances: [...estate.instances, node] };
  expect(serversOf(withNode)).toMatchObject([
    { slot: 'oss-00', instance: 'i-new', volumes: [{ sizeGiB: 750 }, {}] },
  ]);
  expect(machinesOf(withNode).map(({ name }) => name)).toEqual(['grid-1']);
});

describe('harm that a server endured', () => {
  const clients = [
    { instance: 'i-1', acknowledged: 934, lost: 0, strange: 0, stopped: 0.1, wroteAgain: 27.9 },
  ];
  const endured = sampleFailure({
    harm: 'had its root disk full',
    oldInstance: 'i-0aaa',
    newInstance: 'i-0aaa',
    recoverySeconds: 999,
    clients,
  });
  const replaced = sampleFailure({ harm: 'stood still', recoverySeconds: 12 });
  const report = sampleReport({ failures: [endured, replaced] });

  test('is told as what it was, and is no recovery', () => {
    const page = reportHtml(report);
    expect(page).toContain(
      'Servers were harmed in 2 ways while clients wrote; after 2 of them all held. In 1 another',
    );
    expect(page).toContain('harms withstood');
    expect(page).toContain(': its server had its root disk full');
    expect(page).toContain('nobody took over');
    expect(page).not.toMatch(/<b>16 min 39 s<\/b>/);
    expect(page).toContain('What clients saw');
  });

  test('is in report.json as the schema says', () => {
    const validate = new Ajv({ strict: false }).compile(schema);
    expect(validate(JSON.parse(reportJson(report)))).toBe(true);
  });
});
