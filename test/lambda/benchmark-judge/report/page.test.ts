import { reportHtml } from '../../../../lambda/benchmark-judge/report';
import { plainReport } from '../../../../lambda/benchmark-judge/report/plain';
import { STYLE } from '../../../../lambda/benchmark-judge/report/style';
import type { BenchmarkResult } from '../../../../lambda/shared/benchmark/result';
import {
  bytesText,
  changeText,
  dollarText,
  durationText,
  figureKey,
  figureOfKey,
  numberText,
} from '../../../../lambda/shared/benchmark/words';
import { everyString, HOSTILE, sampleFigure, sampleHosts, sampleResult } from '../report-samples';

/** The text that a person sees, without the charts. */
const textOf = (page: string) =>
  page
    .replace(/<style[\s\S]*?<\/style>|<svg[\s\S]*?<\/svg>/g, ' ')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
/** A result whose report has few charts: they take most of the time. */
function plain(overrides: Partial<BenchmarkResult> = {}): BenchmarkResult {
  const result = sampleResult({ hosts: 1, runs: 0 });
  return { ...result, figures: result.figures.map((figure) => ({ ...figure, limits: [] })), ...overrides };
}
const chartsOf = (page: string) => [...page.matchAll(/<svg[\s\S]*?<\/svg>/g)].map(([svg]) => svg);

describe('the report', () => {
  const result = sampleResult();
  const page = reportHtml(result);
  const text = textOf(page);

  test('needs nothing from elsewhere, and allows nothing', () => {
    expect(page).not.toMatch(/<script|src=|@import|url\((?!#c)|href="(?!data:,)/);
    expect(page).toContain("default-src 'none'");
  });

  test('says the verdict first, and why, before any figure', () => {
    const order = [
      'Storage benchmark sas-grid-lustre failed',
      '1 of 6 judged figures missed',
      'less than the wanted 50',
      'fell by 14 %',
      '/sasdata write, shared space 46.2 MB/s per core missed; wanted 50',
      'MB/s per physical core',
    ].map((words) => text.indexOf(words));
    expect(order).not.toContain(-1);
    expect([...order].sort((a, b) => a - b)).toEqual(order);
  });

  test.each([
    ['passed', 'The storage gives what is wanted'],
    ['incomplete', 'Nothing that was measured is too slow, but'],
  ] as const)('of a run that %s says so', (verdict, words) => {
    expect(textOf(reportHtml(plain({ verdict })))).toContain(words);
  });

  test('has a tile for the worst write and read of each path', () => {
    expect(page.match(/<div class="tile[ "]/g)).toHaveLength(4);
    const worse = [
      ...plain().figures,
      sampleFigure(sampleHosts(1), 31, { phase: 'read', passed: false, limits: [] }),
    ];
    expect(textOf(reportHtml(plain({ figures: worse })))).toContain(
      '/sasdata read, shared space 31.0 MB/s per core missed',
    );
  });

  test('says at the top and in its title that it is not representative', () => {
    const labelled = reportHtml(plain({ notRepresentative: 'Measured on the local disk.' }));
    expect(labelled).toMatch(/<title>Not representative: /);
    expect(textOf(labelled).indexOf('Not representative. Measured on the local disk.')).toBeLessThan(
      textOf(labelled).indexOf('Storage benchmark sas-grid-lustre failed'),
    );
    expect(page).not.toContain('Not representative');
  });

  test('has every figure with its explanation, limits, caveats, change, and the papers’ figures', () => {
    for (const words of [
      'The servers moved what their EBS bandwidth allows.',
      '24 gp3 volumes of 250 MiB/s each on 3 servers',
      'The files are smaller than memory',
      'In run 20261121T101500Z-aaaa it was 2,868 MB/s: +3 %.',
      'paper 003: d2.8xlarge, 8 clients, IOZone 1,140',
      'EBS bandwidth of the instances (hit) 3,562 83 %',
    ])
      expect(text).toContain(words);
  });

  test('of runs of another set-up says how many, and that nothing is compared with them', () => {
    expect(text).toContain('3 of the runs measured something else');
  });

  test('has set-up, hosts, estimate and actual run, the mixed workload beside the papers’, and other figures', () => {
    for (const words of [
      '16 processes of 16 GiB each, 64 KiB blocks',
      'shared space; lustre on 3 servers c5n.9xlarge, 8 x gp3 of 750 GiB each',
      'Red Hat Enterprise Linux 9.5',
      'Duration 1 h 30 min 1 h 47 min',
      'Step Functions: 900 transitions $0.023',
      'this run 1,481 1,750 275 92.4 1.15 0.37 2.11',
      'paper 001: temporary and shared files on Lustre, four i2.8xlarge 1,493 1,094 434',
      'round trip 0.08 ms',
    ])
      expect(text).toContain(words);
  });

  test('names the hosts on which a test did not end well, and why', () => {
    expect(text).toMatch(/grid-node-4 i-\w+ not in time it did not end within 3600 s, and was cancelled/);
    expect(text).toContain('3 done, 1 not in time');
  });

  test('tells what went wrong besides, and where files were left', () => {
    const told = textOf(
      reportHtml(
        plain({
          problems: ['The history could not be read.'],
          cleanUp: [
            { instanceId: result.hosts[0]!.instanceId, status: 'failed', reason: 'read-only' },
            { instanceId: result.hosts[1]!.instanceId, status: 'done' },
          ],
        }),
      ),
    );
    expect(told).toContain('What went wrong besides The history could not be read.');
    expect(told).toContain(
      'Hosts on which test files were left Host Clean-up Why grid-node-1 failed read-only',
    );
  });

  test('has each chart in two widths with a text alternative, and every table with caption and headers', () => {
    const charts = page.match(/<div class="chart (wide|narrow)" role="img" aria-label="[^"]{20,}">/g) ?? [];
    expect(charts).toHaveLength(chartsOf(page).length);
    expect(charts.filter((chart) => chart.includes('wide'))).toHaveLength(charts.length / 2);
    const tables = page.match(/<table>[\s\S]*?<\/table>/g) ?? [];
    expect(tables.length).toBeGreaterThan(20);
    for (const table of tables) {
      expect(table).toMatch(/^<table><caption><span>[^<]+<\/span><\/caption>/);
      const columns = table.match(/<th scope="col"/g)!.length;
      for (const row of table.match(/<tr><th scope="row"[\s\S]*?<\/tr>/g) ?? [])
        expect(row.match(/<td|<th/g)).toHaveLength(columns);
    }
  });

  test('draws a bar for each figure in the colour of its verdict, and a mark where something was wanted', () => {
    const [chart] = chartsOf(page);
    const painted = (colour: string) => chart!.split(`fill="var(--${colour})"`).length - 1;
    expect([painted('good-fill'), painted('bad-fill'), painted('warn-fill'), painted('other')]).toEqual([
      4, 1, 1, 3,
    ]);
    expect(chart!.match(/<rect [^>]*fill="var\(--text\)"/g)).toHaveLength(6);
  });

  test('uses no colour that its style does not define', () => {
    for (const [, name] of page.matchAll(/var\((--[\w-]+)\)/g)) expect(STYLE).toContain(`${name}:`);
  });

  test('is the same each time', () => expect(reportHtml(sampleResult())).toBe(page));
});

describe('a report of something unusual', () => {
  const empty: Partial<BenchmarkResult> = {
    figures: [],
    otherFigures: [],
    tests: [],
    mixed: [],
    hosts: [],
    history: [],
    reasons: ['No host was found.'],
    regressions: [],
    verdict: 'incomplete',
  };

  test('of a run that measured nothing says so', () => {
    const text = textOf(reportHtml(plain(empty)));
    expect(text).toContain('No host was found.');
    expect(text).toContain('Nothing was measured.');
    expect(text).toContain('This is the first run');
  });

  test('of one host has no chart of how far hosts are apart', () => {
    const page = reportHtml(plain());
    expect(page).not.toContain('a dot for each');
    expect(page).toContain('Host by host');
  });

  test('of a figure whose test is not known still shows the figure', () => {
    const figure = sampleFigure(sampleHosts(2), 42, { testId: 'stray', explanation: 'It strayed.' });
    expect(reportHtml(plain({ figures: [figure] }))).toContain('It strayed.');
  });

  test('of a figure from which hosts are missing says so', () => {
    const figure = sampleFigure(sampleHosts(2), 42, { missing: ['i-9'], limits: [] });
    expect(textOf(reportHtml(plain({ figures: [figure] })))).toContain(
      '1 host that was to take part is not in it',
    );
  });

  test('of figures that are no numbers says so, and does not fail', () => {
    const broken = sampleFigure(sampleHosts(2), Number.NaN, {
      limits: [{ kind: 'device', MBps: Number.NaN, what: 'x' }],
    });
    expect(textOf(reportHtml(plain({ figures: [broken] })))).toContain('not known');
  });

  test('of hosts one after another names them, puts them into one table, and keeps to the slowest', () => {
    const hosts = sampleHosts(7);
    const figures = hosts.map((host, index) =>
      sampleFigure([host], 50 + index, {
        testId: '5-network',
        test: 'network',
        directory: undefined,
        phase: 'tcp',
        limits: [],
        wanted: undefined,
      }),
    );
    const text = textOf(reportHtml(sampleResult({ hosts: 7, runs: 0 }, { figures })));
    expect(text).toContain('TCP, grid-node-1 not judged 800 MB/s by 1 host');
    expect(text).not.toContain('TCP, grid-node-5 not judged 864 MB/s by');
    expect(text).toContain('3 more groups of hosts were faster');
    expect(text).toMatch(
      /MB\/s of each host, the slowest first Host TCP grid-node-\d i-\w+ [\d.]+ grid-node/,
    );
  });

  test('of groups of hosts one after another says how large they are', () => {
    const hosts = sampleHosts(4);
    const figures = [hosts.slice(0, 2), hosts.slice(2)].map((group) =>
      sampleFigure(group, 50, { limits: [] }),
    );
    expect(textOf(reportHtml(plain({ hosts, figures })))).toContain('write, grid-node-3 and 1 more');
  });

  test('shows no more than 30 bars, the judged ones among them, and all figures in the table', () => {
    const hosts = sampleHosts(1);
    const figures = Array.from({ length: 50 }, (_, index) =>
      sampleFigure(hosts, 50, {
        directory: `/d${index}`,
        limits: [],
        ...(index < 48 ? { wanted: undefined, passed: undefined } : {}),
      }),
    );
    const page = reportHtml(sampleResult({ hosts: 1, runs: 0 }, { figures }));
    expect(chartsOf(page)[0]!.split('fill="var(--other)"').length - 1).toBe(28);
    expect(chartsOf(page)[0]!.split('fill="var(--good-fill)"').length - 1).toBe(2);
    expect(page).toContain('20 more figures are in the table');
  });

  test.each([
    ['the report', reportHtml],
    ['the plain one', plainReport],
  ])('%s escapes every value', (_name, render) => {
    const page = render(
      everyString(
        sampleResult({ hosts: 2, runs: 3 }, { problems: ['p'], notRepresentative: 'n' }),
        (text) => HOSTILE + text,
      ),
    );
    expect(page).toContain('&lt;img src=x');
    expect(page).not.toMatch(/<img|<script|<\/style><|onerror=alert\(1\)>/);
  });
});

test.each([
  [1403.4, '1,403'],
  [99.96, '100'],
  [76.44, '76.4'],
  [9.996, '10.0'],
  [0.354, '0.35'],
  [0, '0.00'],
  [Number.NaN, 'not known'],
])('the number %d is written %s', (value, text) => expect(numberText(value)).toBe(text));

test('durations, sizes, changes and costs have units', () => {
  expect([42.4, 725, 3600, 6461, -1].map(durationText)).toEqual([
    '42 s',
    '12 min 5 s',
    '1 h',
    '1 h 47 min',
    'not known',
  ]);
  expect([0, 999, 1.44e12, 9.6e11].map(bytesText)).toEqual(['0 bytes', '999 bytes', '1.44 TB', '960 GB']);
  expect([0.117, -0.14, 0.001].map(changeText)).toEqual(['+12 %', '−14 %', '±0 %']);
  expect([0, 0.0001, 0.0225, 1.4, 1234.5].map(dollarText)).toEqual([
    '$0.000',
    'less than $0.001',
    '$0.023',
    '$1.40',
    '$1,234.50',
  ]);
});

test('a figure is found again by its key, whatever its directory', () => {
  for (const directory of ['', '/saswork', '/a|b|c']) {
    const figure = { test: 'fio', directory, phase: 'mixed-read' } as const;
    expect(figureOfKey(figureKey(figure))).toEqual(figure);
  }
});
