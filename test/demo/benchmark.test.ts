import type { BenchmarkResult } from '../../lambda/shared/benchmark/result';
import { verifyBenchmark } from '../../proof/demo/benchmark-check';
import { passed } from '../../proof/kit/report';
import { reportHtml } from '../../proof/kit/report-html';
import { sampleBenchmark, sampleReport } from './samples';

const page = '<svg></svg>';
const host = { instanceId: 'i-1', name: 'node1', instanceType: 'i4i.4xlarge', privateIp: '172.16.0.9' };

function result(change: Partial<BenchmarkResult> = {}): BenchmarkResult {
  const figure = (phase: string) => ({ directory: '/saswork', phase, MBps: 90, hosts: ['i-1'] });
  return {
    notRepresentative: 'Measured on the disk of one machine.',
    hosts: [host],
    tests: [
      { id: '1-sas-io', path: { directory: '/saswork' }, outcomes: [{ instanceId: 'i-1', status: 'done' }] },
    ],
    figures: [figure('write'), figure('read')],
    ...change,
  } as unknown as BenchmarkResult;
}

const broken = (change: Partial<BenchmarkResult>, left = {}, shown = page) =>
  verifyBenchmark(result(change), shown, left)
    .filter(({ passed: ok }) => !ok)
    .map(({ id, detail }) => `${id}: ${detail}`);

test('a whole run holds', () => expect(broken({})).toEqual([]));

test('what is missing is named', () => {
  const lost = [
    { ...result().tests[0]!, outcomes: [{ instanceId: 'i-1', status: 'lost', reason: 'it is gone' }] },
  ];
  expect(broken({ tests: lost as BenchmarkResult['tests'] })).toEqual([
    'benchmark-hosts: i-1 in 1-sas-io: it is gone',
  ]);
  expect(broken({ figures: result().figures.slice(0, 1) })).toEqual(['benchmark-figures: read of /saswork']);
  expect(broken({ tests: [], figures: [] })).toEqual(['benchmark-figures: no path was measured']);
  expect(broken({}, { 'i-1': ['/saswork/.sas-grid-benchmark/x'] })).toEqual([
    'benchmark-clean: i-1: /saswork/.sas-grid-benchmark/x',
  ]);
  expect(broken({ notRepresentative: undefined })).toEqual(['benchmark-label: it does not']);
  expect(broken({}, {}, '<html>')).toEqual(['benchmark-page: none']);
});

test('a check of the benchmark that does not hold fails the demo', () => {
  const check = { id: 'x', title: 'X', passed: false, detail: 'broken' };
  expect(passed(sampleReport({ benchmark: sampleBenchmark() }))).toBe(true);
  expect(passed(sampleReport({ benchmark: { ...sampleBenchmark(), checks: [check] } }))).toBe(false);
});

test('the page says first that nothing of AWS was measured, and leads to the charts', () => {
  const text = reportHtml(sampleReport({ benchmark: sampleBenchmark() }));
  expect(text).toContain('<b>Measured on the disk of one machine.</b>');
  expect(text).toContain('<a href="benchmark.html">');
});
