import type { AllLost } from './all-lost';
import { BOUNDS, GOALS, type OneLostSummary, type SpareSummary, type Spread } from './measure';

/** What was measured. */
export interface SpeedReport {
  readonly one: OneLostSummary;
  readonly spare: SpareSummary;
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
const yesOrNo = (met: boolean): string => (met ? 'yes' : 'no');
const spread = (values: Spread): string[] =>
  [values.least, values.median, values.p95, values.most].map(seconds);

const isDeliveredInTime = ({ own }: OneLostSummary): boolean =>
  own.median <= GOALS.ownSeconds && own.p95 <= BOUNDS.ownWithDelivery;

/** How long after EC2 would have taken it the first attach came: seconds. */
const firstAttachDelay = (all: AllLost): number => all.firstAttachSeconds - all.beforeSeconds;

/** Whether each goal is met. That to the letter is none: EC2 and the hosts alone need more. */
export function isMet({ one, all }: SpeedReport): boolean {
  const own = one.withoutDelivery.most <= GOALS.ownSeconds && isDeliveredInTime(one);
  const ratios = all.ratio <= GOALS.ratio && all.ratioOfBuckets <= GOALS.ratio;
  return own && ratios && firstAttachDelay(all) <= BOUNDS.firstAttach;
}

/** What was measured, as tables. */
export function tables({ one, spare, all }: SpeedReport): ReportTable[] {
  return [...tablesOfOne(one), ...tablesOfSpare(one, spare), ...tablesOfAll(all)];
}

function tablesOfOne(one: OneLostSummary): ReportTable[] {
  return [
    {
      heading: `One of ${one.slots} servers lost, ${one.volumesPerSlot} volumes each, ${one.runs} runs`,
      headers: ['What', 'Least', 'Median', '95 %', 'Most', 'Goal', 'Met'],
      rows: [
        [
          'Control plane’s own share',
          ...spread(one.withoutDelivery),
          `most <= ${GOALS.ownSeconds} s`,
          yesOrNo(one.withoutDelivery.most <= GOALS.ownSeconds),
        ],
        [
          'with Systems Manager’s delivery',
          ...spread(one.own),
          `median <= ${GOALS.ownSeconds} s, 95 % <= ${BOUNDS.ownWithDelivery} s`,
          yesOrNo(isDeliveredInTime(one)),
        ],
        ['delivery of the command alone', ...spread(one.deliverySeconds), '', ''],
        ['with the wait for the launch, too', ...spread(one.withNotice), '', ''],
        ['Launch by the group, after the loss', ...spread(one.launch), '', ''],
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
  ];
}

function tablesOfSpare(one: OneLostSummary, spare: SpareSummary): ReportTable[] {
  const { what, usdMonth, region, source } = spare.price;
  const whole = (by: string, values: Spread): string[] => [`Whole recovery ${by}`, ...spread(values)];
  return [
    {
      heading: `One of ${one.slots} servers lost with one hot spare, beside a launch, ${spare.runs} runs each`,
      headers: ['What', 'Least', 'Median', '95 %', 'Most'],
      rows: [
        whole('by a launch', one.whole),
        whole('by the spare', spare.whole),
        whole('by the spare, without EC2’s own events', spare.wholeWithoutEvents),
        ['Control plane’s own share, by the spare', ...spread(spare.withoutDelivery)],
        ['with Systems Manager’s delivery', ...spread(spare.own)],
      ],
    },
    {
      heading: `What the spare costs a month, list price of ${region} on demand, without its root disk`,
      headers: ['What', 'USD', 'Prices of', 'Checked', 'Source', 'Address'],
      rows: [
        [
          what,
          usdMonth === undefined ? 'not known' : usdMonth.toFixed(0),
          source?.pricesOf ?? '',
          source?.checked ?? '',
          source?.title ?? '',
          source?.reference ?? '',
        ],
      ],
    },
  ];
}

function tablesOfAll(all: AllLost): ReportTable[] {
  return [
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
        ['Against both together', times(all.ratio), `<= ${GOALS.ratio} x`, yesOrNo(all.ratio <= GOALS.ratio)],
        [
          'Without EC2 and host, against the buckets',
          times(all.ratioOfBuckets),
          `<= ${GOALS.ratio} x`,
          yesOrNo(all.ratioOfBuckets <= GOALS.ratio),
        ],
        [
          'Read to the letter: until all were served, against the buckets alone',
          times(all.literalRatio),
          `<= ${GOALS.ratio} x`,
          `${yesOrNo(all.literalRatio <= GOALS.ratio)}; ${times(all.leastLiteralRatio)} at least`,
        ],
        [
          'First attach, after EC2 could have taken it',
          seconds(firstAttachDelay(all)),
          `<= ${BOUNDS.firstAttach} s`,
          yesOrNo(firstAttachDelay(all) <= BOUNDS.firstAttach),
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

/** The longest line of a Markdown file. */
const WIDTH = 120;

/** The tables as Markdown; one that is too wide is a list of its cells. */
export function markdown(report: SpeedReport): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return tables(report)
    .map(({ heading, headers, rows }) => {
      const lines = [headers, headers.map(() => '---'), ...rows].map(row);
      const cells = rows.flatMap((each) => each.map((cell, at) => `- ${headers[at]}: ${cell}`));
      const isWide = lines.some((line) => line.length > WIDTH);
      return [`**${heading}**`, '', ...(isWide ? cells : lines)].join('\n');
    })
    .join('\n\n');
}
