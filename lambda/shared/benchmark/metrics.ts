/** Namespace of the metrics of benchmarks in CloudWatch. */
export const BENCHMARK_NAMESPACE = 'SasGrid/StorageBenchmark';

/** MB/s (10^6 bytes) per physical core, and all hosts together, of each figure. */
export const THROUGHPUT_PER_CORE = 'ThroughputPerCore';
export const THROUGHPUT = 'Throughput';

/** 1 for a run that passed, 0 for one that failed or is incomplete. Has the dimension `Benchmark` only. */
export const VERDICT = 'Verdict';

/** Dimensions of a figure, in this order. */
export const FIGURE_DIMENSIONS = ['Benchmark', 'Test', 'Path', 'Phase'] as const;

/** The dimensions' values of a figure: what a dashboard has to ask for to see it. */
export function metricDimensions(
  benchmark: string,
  figure: { readonly test: string; readonly directory?: string; readonly phase: string },
): Record<(typeof FIGURE_DIMENSIONS)[number], string> {
  return {
    Benchmark: dimensionValue(benchmark),
    Test: dimensionValue(figure.test),
    Path: dimensionValue(figure.directory ?? ''),
    Phase: dimensionValue(figure.phase),
  };
}

/** A value is of printable ASCII characters, not only blanks, and no longer than this (Amazon CloudWatch API Reference, Dimension, read 2026-11-22). */
const LONGEST_VALUE = 1024;

function dimensionValue(text: string): string {
  const value = text.replace(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_VALUE);
  return value.trim() === '' ? '-' : value;
}
