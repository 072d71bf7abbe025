import type { AllLost } from './all-lost';
import { GOALS, type OneLostSummary, type Spread } from './measure';

/** What was measured. */
export interface SpeedReport {
  readonly one: OneLostSummary;
  readonly all: AllLost;
}

/** A heading, the columns and the rows of a table. */
export interface ReportTable {
  readonly heading: string;
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const seconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} s`;
const times = (value: number): string => `${value.toFixed(3)} x`;
const yes = (met: boolean): string => (met ? 'yes' : 'no');
const spread = (values: Spread): string[] =>
  [values.least, values.median, values.p95, values.most].map(seconds);

/** Whether each goal is met. */
export function isMet({ one, all }: SpeedReport): boolean {
  const own = one.own.median <= GOALS.ownSeconds && one.withoutDelivery.most <= GOALS.ownSeconds;
  return own && all.ratio <= GOALS.ratio && all.ratioOfBuckets <= GOALS.ratio;
}

/** What was measured, as tables. */
export function tables({ one, all }: SpeedReport): ReportTable[] {
  return [
    {
      heading: `One of ${one.slots} servers lost, ${one.volumesPerSlot} volumes each, ${one.runs} runs`,
      headers: ['What', 'Least', 'Median', '95 %', 'Most', 'Goal', 'Met'],
      rows: [
        [
          'Control plane’s own share',
          ...spread(one.withoutDelivery),
          `most <= ${GOALS.ownSeconds} s`,
          yes(one.withoutDelivery.most <= GOALS.ownSeconds),
        ],
        [
          'with Systems Manager’s delivery',
          ...spread(one.own),
          `median <= ${GOALS.ownSeconds} s`,
          yes(one.own.median <= GOALS.ownSeconds),
        ],
        ['delivery of the command alone', ...spread(one.deliverySeconds), '', ''],
        ['Whole recovery', ...spread(one.whole), '', ''],
        [
          'API calls',
          ...[one.calls.least, one.calls.median, one.calls.p95, one.calls.most].map(String),
          '',
          '',
        ],
      ],
    },
    {
      heading: 'Where it is, step by step: mean seconds after the loss',
      headers: ['Step is over', 'Was', 'Could have been', 'Behind'],
      rows: one.steps.map(({ step, actual, earliest, behind }) => [
        step,
        seconds(actual),
        seconds(earliest),
        seconds(behind),
      ]),
    },
    {
      heading: `All ${all.slots} servers lost at once, ${all.volumesPerSlot} volumes each`,
      headers: ['What', 'Measured', 'Goal', 'Met'],
      rows: [
        ['Until all were served', seconds(all.seconds), '', ''],
        ['Allowed by EC2’s buckets alone', seconds(all.bucketSeconds), '', ''],
        [
          'EC2 and host before the first attach and after the last',
          seconds(all.beforeSeconds + all.afterSeconds),
          '',
          '',
        ],
        ['Against both together', times(all.ratio), `<= ${GOALS.ratio} x`, yes(all.ratio <= GOALS.ratio)],
        [
          'Without EC2 and host, against the buckets',
          times(all.ratioOfBuckets),
          `<= ${GOALS.ratio} x`,
          yes(all.ratioOfBuckets <= GOALS.ratio),
        ],
        ...all.servedAfter.map(({ share, seconds: after }) => [
          `${share * 100} % of the slots served`,
          seconds(after),
          '',
          '',
        ]),
        ['Requests that EC2 refused', String(all.refused.ec2), '', ''],
        ['Passes that looked', String(all.passes), '', ''],
      ],
    },
    {
      heading: 'API calls of that recovery',
      headers: ['Operation', 'Calls', 'Needed at least'],
      rows: Object.entries(all.calls)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([operation, count]) => [operation, String(count), String(all.needed[operation] ?? '')]),
    },
    {
      heading: 'How its passes looked, beside the answers of hosts that were told',
      headers: ['Calls of a pass'],
      rows: all.looks.map((look) => [look]),
    },
  ];
}

/** The tables as Markdown. */
export function markdown(report: SpeedReport): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return tables(report)
    .map(({ heading, headers, rows }) =>
      [`**${heading}**`, '', row(headers), row(headers.map(() => '---')), ...rows.map(row)].join('\n'),
    )
    .join('\n\n');
}
