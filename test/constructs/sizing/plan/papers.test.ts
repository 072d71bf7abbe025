import { readFileSync } from 'node:fs';
import {
  PAPER_HOURS_PER_MONTH,
  PRICES_2016,
  PRICES_2021,
  PUBLISHED_DISK_SERVER_COSTS,
  PUBLISHED_VOLUME_SERVER_COSTS,
} from '../../../../constructs/sizing/data/prices-papers';
import { io2MonthlyUsd } from '../../../../constructs/sizing/io2-block-express';
import { costOf, PriceBook } from '../../../../constructs/sizing/plan';
import { compareWithPapers } from '../../../../constructs/sizing/plan/published';
import { medianError, PLANNER_DOCUMENT, withTable } from '../../../../scripts/planner-table';

const comparisons = compareWithPapers();
const counted = comparisons.filter(({ error }) => error !== undefined);

test('every throughput of the papers is compared', () => {
  const of = (paper: string) => comparisons.filter((one) => one.paper === paper).length;
  expect([of('003'), of('004'), of('002')]).toEqual([16, 6, 3]);
});

test('the median error is at most 5 %, and none is above 20 %', () => {
  expect(medianError(counted)).toBeLessThanOrEqual(0.05);
  for (const { configuration, phase, error } of counted) {
    expect(`${configuration} ${phase} ${Math.abs(error!) <= 0.2}`).toBe(`${configuration} ${phase} true`);
  }
});

test('so it is without the figures that the model takes a number from', () => {
  const fresh = counted.filter(({ calibrates }) => !calibrates);
  expect(fresh.length).toBeGreaterThanOrEqual(13);
  expect(medianError(fresh)).toBeLessThanOrEqual(0.05);
});

test('the one read that came out of memory is known as such', () => {
  const cached = comparisons.filter(({ error }) => error === undefined);
  expect(cached.map(({ configuration, phase }) => [configuration, phase])).toEqual([
    ['NFS, m4.4xlarge, 1 st1', 'read'],
  ]);
});

test('the limits are those that the papers name', () => {
  const limitOf = (part: string) => [
    ...new Set(
      comparisons.filter(({ configuration }) => configuration.includes(part)).map(({ limit }) => limit),
    ),
  ];
  expect(limitOf('d2.')).toEqual(['devices']);
  expect(limitOf('st1')).toEqual(['ebs-bandwidth']);
  expect(limitOf('r5b')).toEqual(['ebs-bandwidth']);
  expect(limitOf('OSS')).toEqual(['shared-interface']);
});

test('docs/planner.md has the table that the model gives now', () => {
  const document = readFileSync(PLANNER_DOCUMENT, 'utf8');
  // npx tsx scripts/planner-table.ts writes it.
  expect(withTable(document)).toBe(document);
});

const book = new PriceBook(PRICES_2016, PAPER_HOURS_PER_MONTH);
const months = [1 / PAPER_HOURS_PER_MONTH, 1, 12, 36];

test.each(PUBLISHED_VOLUME_SERVER_COSTS)(
  '003 costs $type with $ebsTB TB to the cent',
  ({ type, ebsTB, usd }) => {
    const cost = costOf([book.instances(1, type), book.volumes(1, { type: 'st1', sizeGiB: ebsTB * 1000 })]);
    expect(months.map((number) => (cost.usd! * number).toFixed(2))).toEqual(usd.map((one) => one.toFixed(2)));
  },
);

test.each(PUBLISHED_DISK_SERVER_COSTS)('003 costs $type to the dollar', ({ type, usd }) => {
  const { usd: month } = costOf([book.instances(1, type)]);
  // The hour is written with two digits, 0.735 as 0.74.
  expect(Math.abs(month! / PAPER_HOURS_PER_MONTH - usd[0])).toBeLessThan(0.0051);
  expect([month!, month! * 12, month! * 36].map(Math.round)).toEqual(usd.slice(1));
});

test.each([1, 32_000, 32_001, 64_000, 100_000, 256_000])(
  "004's prices: %d IOPS cost what the construct says that they cost",
  (iops) => {
    const usd = new PriceBook(PRICES_2021, 730).volumeUsd({ type: 'io2', sizeGiB: 500, iops });
    expect(usd).toBeCloseTo(io2MonthlyUsd({ volumes: 1, sizeGiB: 500, iops }), 6);
  },
);
