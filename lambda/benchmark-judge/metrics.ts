import {
  BENCHMARK_NAMESPACE,
  FIGURE_DIMENSIONS,
  metricDimensions,
  THROUGHPUT,
  THROUGHPUT_PER_CORE,
  VERDICT,
} from '../shared/benchmark/metrics';
import type { BenchmarkResult } from '../shared/benchmark/result';

const RATE = 'Megabytes/Second';

/**
 * The metrics of a run as lines of the log, in CloudWatch's embedded metric format ("Specification: Embedded metric
 * format", Amazon CloudWatch User Guide, read 2026-11-22): no call that may be throttled, no right to write metrics of
 * any name. A line is one figure, far from the format's 100 metrics. Its time is the end of the run, so that a run that
 * is judged again does not look like a new one.
 */
export function metricLines(result: BenchmarkResult): string[] {
  const Timestamp = Date.parse(result.endedAt);
  const figures = result.figures
    .filter(({ MBps, MBpsPerCore }) => Number.isFinite(MBps) && Number.isFinite(MBpsPerCore))
    .map((figure) => ({
      _aws: {
        Timestamp,
        CloudWatchMetrics: [
          {
            Namespace: BENCHMARK_NAMESPACE,
            Dimensions: [FIGURE_DIMENSIONS],
            Metrics: [
              { Name: THROUGHPUT_PER_CORE, Unit: RATE },
              { Name: THROUGHPUT, Unit: RATE },
            ],
          },
        ],
      },
      ...metricDimensions(result.benchmark, figure),
      RunId: result.runId,
      [THROUGHPUT_PER_CORE]: figure.MBpsPerCore,
      [THROUGHPUT]: figure.MBps,
    }));
  const verdict = {
    _aws: {
      Timestamp,
      CloudWatchMetrics: [
        {
          Namespace: BENCHMARK_NAMESPACE,
          Dimensions: [['Benchmark']],
          Metrics: [{ Name: VERDICT, Unit: 'None' }],
        },
      ],
    },
    Benchmark: metricDimensions(result.benchmark, { test: '', phase: '' }).Benchmark,
    RunId: result.runId,
    [VERDICT]: result.verdict === 'passed' ? 1 : 0,
  };
  return [...figures, verdict].map((line) => JSON.stringify(line));
}
