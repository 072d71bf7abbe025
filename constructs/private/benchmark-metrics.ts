/** Namespace of the metrics of benchmarks in CloudWatch: the judge (lambda/shared/benchmark/metrics.ts) sends them. */
export const BENCHMARK_NAMESPACE = 'SasGrid/StorageBenchmark';

/** MB/s (10^6 bytes) per physical core, and of all hosts together. Dimensions `Benchmark`, `Test`, `Path`, `Phase`. */
export const THROUGHPUT_PER_CORE = 'ThroughputPerCore';
export const THROUGHPUT = 'Throughput';

/** 1 for a run that passed, 0 for one that failed or is incomplete. Dimension `Benchmark`. */
export const VERDICT = 'Verdict';
