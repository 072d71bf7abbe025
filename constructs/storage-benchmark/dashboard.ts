import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { BenchmarkDefinition, DefinedTest } from '../private/benchmark-definition';
import { BENCHMARK_NAMESPACE, THROUGHPUT_PER_CORE, VERDICT } from '../private/benchmark-metrics';

/** Phases of the tests whose figures are judged. */
const PHASES: { readonly [test: string]: readonly string[] } = {
  'sas-io': ['write', 'read', 'write-random-data', 'read-random-data'],
  iozone: ['write', 'rewrite', 'read', 'reread'],
  fio: ['write', 'read', 'mixed-write', 'mixed-read'],
};

const WIDTH = 24;

/** The history of a benchmark: the last runs, the verdicts, and MB/s per core of each path beside what is wanted. */
export class BenchmarkDashboard extends Construct {
  readonly dashboard: cloudwatch.Dashboard;

  constructor(
    scope: Construct,
    id: string,
    props: {
      readonly dashboardName: string;
      readonly definition: BenchmarkDefinition;
      readonly widget: lambda.IFunction;
    },
  ) {
    super(scope, id);
    const { definition, widget } = props;
    this.dashboard = new cloudwatch.Dashboard(this, 'Dashboard', {
      dashboardName: props.dashboardName,
      defaultInterval: Duration.days(90),
    });
    this.dashboard.addWidgets(
      new cloudwatch.CustomWidget({
        functionArn: widget.functionArn,
        title: `Storage benchmark ${definition.benchmark}`,
        width: WIDTH,
        height: 10,
        updateOnRefresh: true,
        updateOnResize: false,
        updateOnTimeRangeChange: false,
        params: {},
      }),
    );
    this.dashboard.addWidgets(
      ...definition.tests
        .filter(({ test }) => PHASES[test])
        .map((test) => graphOf(definition.benchmark, test)),
      new cloudwatch.GraphWidget({
        title: 'Verdicts (1: passed)',
        width: WIDTH / 2,
        height: 6,
        left: [verdictMetric(definition.benchmark).with({ label: 'verdict' })],
        leftYAxis: { min: 0, max: 1, showUnits: false },
      }),
    );
  }
}

function graphOf(benchmark: string, { test, path }: DefinedTest): cloudwatch.GraphWidget {
  const wanted = [
    { value: path?.writeMBpsPerCore, label: 'wanted, write', color: cloudwatch.Color.RED },
    { value: path?.readMBpsPerCore, label: 'wanted, read', color: cloudwatch.Color.ORANGE },
  ].filter((one): one is typeof one & { value: number } => one.value !== undefined);
  const same = wanted.length === 2 && wanted[0]!.value === wanted[1]!.value;
  return new cloudwatch.GraphWidget({
    title: `${test} on ${path?.directory ?? 'the hosts'}, MB/s per physical core`,
    width: WIDTH / 2,
    height: 6,
    left: PHASES[test]!.map((phase) =>
      perCoreMetric(benchmark, test, path?.directory ?? '-', phase).with({ label: phase }),
    ),
    leftYAxis: { min: 0, showUnits: false },
    leftAnnotations: same ? [{ ...wanted[0]!, label: 'wanted' }] : wanted,
  });
}

/** MB/s per physical core of one figure. A run is one point. */
export function perCoreMetric(
  benchmark: string,
  test: string,
  directory: string,
  phase: string,
): cloudwatch.Metric {
  return new cloudwatch.Metric({
    namespace: BENCHMARK_NAMESPACE,
    metricName: THROUGHPUT_PER_CORE,
    dimensionsMap: { Benchmark: benchmark, Test: test, Path: directory, Phase: phase },
    statistic: cloudwatch.Stats.MINIMUM,
    period: Duration.hours(1),
  });
}

/** 1 for a run that passed, 0 for one that did not. */
export function verdictMetric(benchmark: string): cloudwatch.Metric {
  return new cloudwatch.Metric({
    namespace: BENCHMARK_NAMESPACE,
    metricName: VERDICT,
    dimensionsMap: { Benchmark: benchmark },
    statistic: cloudwatch.Stats.MINIMUM,
    period: Duration.hours(1),
  });
}
