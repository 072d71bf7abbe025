import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { regionPrices } from '../../constructs/sizing/data/prices';
import { newPrices } from '../../scripts/refresh-prices';
import { cells } from '../../scripts/refresh-prices/csv';
import { differences } from '../../scripts/refresh-prices/instance-types';
import { readEc2Offer } from '../../scripts/refresh-prices/offer';
import { regionFile } from '../../scripts/refresh-prices/region-file';

// Written by hand in the format of the price list, with the rows that mislead: nothing was fetched for these tests.
const read = (name: string) => readFileSync(join(__dirname, 'refresh-prices', name), 'utf8');
const offer = () => readEc2Offer(read('ec2-offer.csv').split('\n'), 'eu-west-1');
const NO_EFS = { published: '2026-11-20', prices: undefined };
const list = 'https://pricing.us-east-1.amazonaws.com';

test('a line of the price list: quotes, commas and quotes in quotes', () => {
  expect(cells('"a","b, c","say ""x""",plain,,""')).toEqual(['a', 'b, c', 'say "x"', 'plain', '', '']);
});

test('of the dozen prices of a type only Linux, shared, in use, on demand counts', async () => {
  const { hours, published } = await offer();
  expect(published).toBe('2026-11-20');
  expect(hours.get('m6in.4xlarge')).toBe(1.24488);
});

test('EBS: throughput is listed for GiB/s, IOPS of io2 in steps', async () => {
  const { ebs } = await offer();
  expect(ebs).toEqual({
    gp3: { gbMonth: 0.088, iopsMonth: 0.0055, mibpsMonth: 0.044 },
    st1: { gbMonth: 0.05 },
    io2: {
      gbMonth: 0.138,
      iopsMonth: [{ upTo: 32_000, usd: 0.072 }, { upTo: 64_000, usd: 0.0504 }, { usd: 0.03528 }],
    },
  });
});

test('what is no offer file is refused', async () => {
  await expect(readEc2Offer(['<html>', 'not found'], 'eu-west-1')).rejects.toThrow(
    'no offer file of the AWS price list',
  );
});

test("a region's file: families, exceptions, FSx, and what it had before", async () => {
  const before = regionPrices('us-east-1')!;
  const prices = newPrices(
    'eu-west-1',
    { ec2: await offer(), efs: NO_EFS, fsx: JSON.parse(read('fsx-prices.json')), list },
    before,
    '2026-11-22',
  );
  // z1d is not in the tables of types; 3.027 is not eight times 0.378.
  expect(prices.instances.perXlargeHour).toEqual({ i4i: 0.378, m6in: 0.31122 });
  expect(prices.instances.exactHour).toEqual({ 'i4i.8xlarge': 3.027 });
  expect(prices.instances.source).toMatchObject({ pricesOf: '2026-11-20', checked: '2026-11-22' });
  expect(prices.fsxLustre!.ssdGbMonth).toEqual({ 125: 0.16, 250: 0.231, 500: 0.374, 1000: 0.66 });
  expect(prices.fsxOpenZfs!.deployments).toEqual({ SINGLE_AZ_2: { gbMonth: 0.099, mbpsMonth: 0.286 } });
  // What the files lack stays, with the source that it had.
  expect(prices.efs).toBe(before.efs);
  expect(prices.ebs.gp2).toEqual({ gbMonth: 0.1, source: before.ebs.source });
  expect(prices.ebs.st1).toEqual({ gbMonth: 0.05 });
  expect(prices.ebs.source).toMatchObject({ title: 'AWS price list, AmazonEC2 in eu-west-1' });
  const text = regionFile(prices);
  const written = new Function(`return ${text.slice(text.indexOf('= {') + 2).replace(/;\s*$/, '')}`)();
  expect(written).toEqual(prices);
});

test('types: where the tables differ from what AWS describes', () => {
  expect(differences(JSON.parse(read('described-types.json')))).toEqual([
    'i4i.8xlarge: Mbps to EBS, baseline: 10000 here, 12000 at AWS',
    'i4i.8xlarge: Mbps to EBS, maximum: 10000 here, 12000 at AWS',
  ]);
});
