import { type Stack, Token } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CfnNatGateway, CfnVolume } from 'aws-cdk-lib/aws-ec2';
import { CfnFileSystem } from 'aws-cdk-lib/aws-fsx';
import { CfnKey } from 'aws-cdk-lib/aws-kms';
import type { IConstruct } from 'constructs';
import {
  ALARM_MONTH,
  KEY_MONTH,
  NAT_GATEWAY_HOUR,
  SCHEDULE_DUE,
} from '../../constructs/facts/operations-prices';
import { BENCHMARK_PRICES } from '../../constructs/sizing/data/benchmark-prices';
import { billOf, type Part } from '../../lib/bill';
import { loadConfig } from '../../lib/config';
import { createDeployment, type Deployment } from '../../lib/deployment';
import { monthlyCost } from '../../lib/monthly-cost';
import { testApp } from '../helpers/app';

// What operations cost a month, from the templates. Quantities that no template says are the constants below.

const HOURS = 730;

/** A night of each: all of them are backed up, those of workdays are slept through. */
const RUNS = { backup: 30, stop: 22, start: 22 } as const;

/** Steps of an operation on the embedded AWS, doubled: on AWS servers boot and EBS answers more slowly. */
const STEPS = { backup: 30, stop: 35, start: 60 } as const;

/** Step, choice and wait. */
const TRANSITIONS = 3;

/** How long a step, or a measurement by the clock, runs; with calls to other services that are slow. */
const SECONDS = 3;

/** Reads and writes of a step: lock, progress and volume map. */
const READS = 6;
const WRITES = 3;

/** What a step, and a measurement, write to logs: Step Functions logs what goes in and out of each state. */
const STEP_KB = 10;
const PASS_KB = 2;

export const ALL_ON = {
  sleep: { stop: 'cron(0 20 ? * MON-FRI *)', start: 'cron(0 7 ? * MON-FRI *)', timeZone: 'UTC' },
  backup: { schedule: 'cron(0 2 * * ? *)', timeZone: 'UTC', copyTo: { region: 'eu-west-1' } },
};

/** A line of the bill. */
export interface Line {
  readonly what: string;
  readonly many: string;
  readonly usd: number;
}

/** What is read of one, by its type. */
interface Resource {
  readonly Properties: {
    readonly Namespace?: string;
    readonly ScheduleExpression: string;
    readonly MemorySize: number;
  };
}

const inMonth = (rate: string): number => {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(rate)!;
  return (
    (HOURS * 60) / (Number(count) * { minute: 1, hour: 60, day: 1440 }[unit as 'minute' | 'hour' | 'day'])
  );
};

/** The bill of the stack of operations, with each schedule on. */
export function operationsBill(name: string): Line[] {
  const config = { ...loadConfig(name), operations: ALL_ON };
  const template = Template.fromStack(createDeployment(testApp(), name, config).operations);
  const of = (type: string) => Object.values(template.findResources(type)) as Resource[];
  const alarms = of('AWS::CloudWatch::Alarm');
  const own = alarms.filter(({ Properties }) => Properties.Namespace === 'CdkSasGrid');
  const passes = of('AWS::Events::Rule').reduce(
    (sum, { Properties }) => sum + inMonth(Properties.ScheduleExpression),
    0,
  );
  const operations = Object.keys(RUNS) as (keyof typeof RUNS)[];
  const steps = operations.reduce((sum, each) => sum + RUNS[each] * STEPS[each], 0);
  const due = operations.reduce((sum, each) => sum + RUNS[each], 0);
  const calls = steps + passes;
  const gb = Math.max(...of('AWS::Lambda::Function').map(({ Properties }) => Properties.MemorySize)) / 1024;
  const logs = (steps * STEP_KB + passes * PASS_KB) / 1e6;
  const P = BENCHMARK_PRICES;
  const line = (what: string, many: string, usd: number): Line => ({ what, many, usd });
  return [
    line('Alarms', `${alarms.length}`, alarms.length * ALARM_MONTH.value),
    line('Metrics of the ages', `${own.length}`, own.length * HOURS * P.metricHour),
    line(
      'Workflows',
      `${of('AWS::StepFunctions::StateMachine').length}; ${thousands(steps * TRANSITIONS)} transitions`,
      steps * TRANSITIONS * P.stateTransition,
    ),
    line(
      'Functions',
      `${of('AWS::Lambda::Function').length}; ${thousands(calls)} calls`,
      calls * (P.lambdaRequest + SECONDS * gb * P.lambdaGBSecond),
    ),
    line('Logs', `${logs.toFixed(2)} GB`, logs * P.logGB),
    line(
      'Table',
      `${thousands(calls * READS)} reads, ${thousands(calls * WRITES)} writes`,
      calls * (READS * P.dynamoRead + WRITES * P.dynamoWrite),
    ),
    line('Schedules', `${of('AWS::Scheduler::Schedule').length}; due ${due} times`, due * SCHEDULE_DUE.value),
    line('Documents, Run Command', `${of('AWS::SSM::Document').length}`, 0),
  ];
}

const thousands = (count: number): string =>
  Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');

/** What a deployment costs awake, and asleep, by list prices. */
export function nightBill(name: string): { awake?: number; asleep?: number } {
  const stacks = stacksOf(createDeployment(testApp(), name, { ...loadConfig(name), region: 'us-east-1' }));
  const nodes = stacks.flatMap((stack) => stack.node.findAll());
  const kept: Part[] = nodes.flatMap((node): Part[] => {
    if (!(node instanceof CfnVolume) || Token.isUnresolved(node.size)) return [];
    const { volumeType = 'gp2', size, iops, throughput: throughputMiBps } = node;
    return [{ count: 1, volume: { type: volumeType, sizeGiB: size!, iops, throughputMiBps } }];
  });
  const fixed =
    nodes.filter((node) => node instanceof CfnNatGateway).length * HOURS * NAT_GATEWAY_HOUR.value +
    nodes.filter((node) => node instanceof CfnKey).length * KEY_MONTH.value;
  const all = stacks.map((stack) => monthlyCost(stack)?.cost);
  if (all.some((cost) => cost !== undefined && cost.usd === undefined)) return {};
  const awake = all.reduce((sum, cost) => sum + (cost?.usd ?? 0), fixed);
  const left = billOf([...kept, ...nodes.flatMap(runsOn)], 'us-east-1')?.cost.usd ?? 0;
  return { awake, asleep: left + fixed };
}

/** AWS cannot stop it. */
function runsOn(node: IConstruct): Part[] {
  if (!(node instanceof CfnFileSystem)) return [];
  const { perUnitStorageThroughput: mbpsPerTiB } =
    node.lustreConfiguration as CfnFileSystem.LustreConfigurationProperty;
  return [{ count: 1, lustre: { capacityGiB: node.storageCapacity, mbpsPerTiB } }];
}

const stacksOf = ({ network, storage, grid }: Deployment): Stack[] =>
  [network, storage, grid].filter((stack) => stack !== undefined) as Stack[];
