import type { BenchmarkResult } from '../../shared/benchmark/result';
import { plainReport } from './plain';
export const reportHtml = (result: BenchmarkResult): string => plainReport(result);
