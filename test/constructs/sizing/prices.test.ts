import Ajv from 'ajv';
import { REGION_PRICES, regionPrices, volumePriceSource } from '../../../constructs/sizing/data/prices';
import { PRICES_2016, PRICES_2021 } from '../../../constructs/sizing/data/prices-papers';
import { knownInstanceTypes } from '../../../constructs/sizing/instance-types';
import { FSX_ONTAP, FSX_OPENZFS } from '../../../constructs/sizing/managed-file-systems';
import { PriceBook } from '../../../constructs/sizing/plan';
import { REGION_PRICES_SCHEMA } from '../../../scripts/refresh-prices/schema';

const everywhere = [...REGION_PRICES, PRICES_2016, PRICES_2021];
const families = new Set(knownInstanceTypes().map(({ family }) => family));

test.each(everywhere)('the prices of $region have the form and their sources', (prices) => {
  const ajv = new Ajv({ allErrors: true });
  expect(ajv.validate(REGION_PRICES_SCHEMA, prices) ? [] : ajv.errors).toEqual([]);
});

test('each region stands there once', () => {
  const regions = REGION_PRICES.map(({ region }) => region);
  expect(new Set(regions).size).toBe(regions.length);
  expect(regionPrices('us-east-1')?.region).toBe('us-east-1');
  expect(regionPrices('mars-1')).toBeUndefined();
});

test.each(REGION_PRICES)(
  '$region: prices are plausible',
  ({ instances, ebs, fsxLustre, fsxOpenZfs, fsxOntap }) => {
    for (const family of Object.keys(instances.perXlargeHour)) expect(families).toContain(family);
    for (const [type, hour] of Object.entries(instances.exactHour ?? {})) {
      const [family, size] = type.split('.') as [string, string];
      if (size === 'metal') continue;
      const { [family]: perXlarge } = instances.perXlargeHour;
      const byRule = new PriceBook(
        { region: '', instances: { ...instances, exactHour: {} }, ebs: {} },
        1,
      ).instanceHour(type);
      expect(perXlarge).toBeDefined();
      // A price in the list of exceptions differs by rounding only.
      expect(Math.abs(hour / byRule! - 1)).toBeLessThan(0.01);
    }
    const steps = ebs.io2?.iopsMonth.map(({ usd }) => usd) ?? [];
    expect(steps).toEqual([...steps].sort((a, b) => b - a));
    const tiers = Object.values(fsxLustre!.ssdGbMonth);
    expect(tiers).toEqual([...tiers].sort((a, b) => a - b));
    for (const deployment of Object.keys(fsxOpenZfs!.deployments)) {
      expect(Object.keys(FSX_OPENZFS.throughputMBps)).toContain(deployment);
    }
    for (const deployment of Object.keys(fsxOntap!.deployments)) {
      expect(Object.keys(FSX_ONTAP.deployments)).toContain(deployment);
    }
  },
);

test.each([
  ['m6in.8xlarge', 2.22768],
  ['i3en.24xlarge', 10.848],
  ['i4i.16xlarge', 5.491],
  ['r5b.large', 0.149],
  ['r5b.metal', 7.8672],
  ['i2.8xlarge', 6.82],
])('%s costs %d USD an hour in us-east-1', (type, usd) => {
  expect(new PriceBook(regionPrices('us-east-1'), 730).instanceHour(type)).toBeCloseTo(usd, 6);
});

test('an hour of what is not in the list is not known', () => {
  const book = new PriceBook(regionPrices('us-east-1'), 730);
  for (const type of ['x9.large', 'm6in.metal', 'nonsense', ''])
    expect(book.instanceHour(type)).toBeUndefined();
});

test('volumes: what is provisioned beyond the baseline costs, io2 by steps', () => {
  const usd = (volume: Parameters<PriceBook['volumeUsd']>[0]) =>
    new PriceBook(regionPrices('us-east-1'), 730).volumeUsd(volume);
  expect(usd({ type: 'gp3', sizeGiB: 1000 })).toBeCloseTo(80);
  expect(usd({ type: 'gp3', sizeGiB: 1000, iops: 4000, throughputMiBps: 225 })).toBeCloseTo(80 + 5 + 4);
  expect(usd({ type: 'io2', sizeGiB: 1000, iops: 70_000 })).toBeCloseTo(
    125 + 32_000 * 0.065 + 32_000 * 0.0455 + 6000 * 0.03185,
  );
  expect(usd({ type: 'sc1', sizeGiB: 1000 })).toBeUndefined();
});

test('gp3 whose throughput has no price here: what has none of it beyond the baseline has a price', () => {
  const book = new PriceBook(regionPrices('eu-central-1'), 730, regionPrices('us-east-1'));
  expect(book.volumeUsd({ type: 'gp3', sizeGiB: 1000, iops: 4000 })).toBeCloseTo(95.2 + 6);
  expect(book.volumeUsd({ type: 'gp3', sizeGiB: 1000, throughputMiBps: 126 })).toBeUndefined();
  // Layouts are compared by the price of the other region, not as though more throughput cost nothing.
  expect(book.forChoice().volumeUsd({ type: 'gp3', sizeGiB: 1000, throughputMiBps: 225 })).toBeCloseTo(
    95.2 + 4,
  );
});

test.each(REGION_PRICES)('$region: each price of a volume has its source', (prices) => {
  for (const type of ['gp3', 'gp2', 'st1', 'io2'])
    expect(volumePriceSource(prices, type)?.reference).toMatch(/^https:/);
  expect(volumePriceSource(prices, 'sc1')).toBeUndefined();
});
