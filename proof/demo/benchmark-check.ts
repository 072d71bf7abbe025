import type { BenchmarkResult } from '../../lambda/shared/benchmark/result';
import type { Check } from '../kit/model';

/** What must hold of a run of the benchmark, whatever was measured. */
export function verifyBenchmark(
  result: BenchmarkResult,
  page: string,
  left: Readonly<Record<string, string[]>>,
): Check[] {
  const hosts = result.hosts.map(({ instanceId }) => instanceId);
  const lost = result.tests.flatMap(({ id, outcomes }) =>
    hosts
      .filter((host) => !outcomes.some((one) => one.instanceId === host && one.status === 'done'))
      .map(
        (host) => `${host} in ${id}: ${outcomes.find((one) => one.instanceId === host)?.reason ?? 'nothing'}`,
      ),
  );
  const paths = [...new Set(result.tests.flatMap(({ path }) => (path ? [path.directory] : [])))];
  const unmeasured = paths.flatMap((path) =>
    ['write', 'read']
      .filter(
        (phase) =>
          !result.figures.some((one) => one.directory === path && one.phase === phase && one.MBps > 0),
      )
      .map((phase) => `${phase} of ${path}`),
  );
  const leftOver = Object.entries(left).flatMap(([host, files]) => files.map((file) => `${host}: ${file}`));
  const charts = page.match(/<svg/g)?.length ?? 0;
  return [
    check('benchmark-hosts', 'Every host ran every test to its end', lost, `${hosts.length} hosts`),
    check(
      'benchmark-figures',
      'Writing and reading were measured on every path',
      paths.length === 0 ? ['no path was measured'] : unmeasured,
      paths.join(', '),
    ),
    check('benchmark-clean', 'No test file is left', leftOver, 'none'),
    check(
      'benchmark-label',
      'The result says that this is no measurement of AWS',
      result.notRepresentative ? [] : ['it does not'],
      result.notRepresentative ?? '',
    ),
    check('benchmark-page', 'The report has its charts', charts > 0 ? [] : ['none'], `${charts} charts`),
  ];
}

const check = (id: string, title: string, offenders: string[], well: string): Check => ({
  id,
  title,
  passed: offenders.length === 0,
  detail: offenders.length === 0 ? well : offenders.slice(0, 5).join('; '),
});
