import { METRIC_DIMENSION_CHARACTERS } from '../../../constructs/facts/services';

// The library has them, too, for its dashboard and alarms, and cannot import from here.
export {
  BENCHMARK_NAMESPACE,
  THROUGHPUT,
  THROUGHPUT_PER_CORE,
  VERDICT,
} from '../../../constructs/private/benchmark-metrics';

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

/** A value is of printable ASCII characters, not only blanks, and no longer than this. */
const LONGEST_VALUE = METRIC_DIMENSION_CHARACTERS.value;

function dimensionValue(text: string): string {
  const value = text.replace(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_VALUE);
  return value.trim() === '' ? '-' : value;
}
