// Makes the prices of a region anew from the public price list, and compares the tables of types with what AWS
// describes. npx tsx scripts/refresh-prices.ts --help
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Ajv from 'ajv';
import {
  type RegionPrices,
  regionPrices,
  VOLUME_TYPES,
  volumePriceSource,
} from '../constructs/sizing/data/prices';
import { type EfsOffer, readEfsOffer } from './refresh-prices/efs';
import { type FsxPriceFile, fsxPrices } from './refresh-prices/fsx';
import { type DescribedTypes, differences } from './refresh-prices/instance-types';
import { checkedRegion, fetched, linesOf, offerUrl, PRICE_LIST } from './refresh-prices/list';
import { type Ec2Offer, readEc2Offer } from './refresh-prices/offer';
import { byFamily, regionFile } from './refresh-prices/region-file';
import { REGION_PRICES_SCHEMA } from './refresh-prices/schema';

const FOLDER = join(__dirname, '../constructs/sizing/data/prices');
const FSX =
  'https://raw.githubusercontent.com/aws-samples/sample-fsx-viewer/main/fsx_viewer/pricing_data.json';

const USAGE = `Makes the prices of a region anew: constructs/sizing/data/prices/<region>.ts

Usage: npx tsx scripts/refresh-prices.ts --region REGION [options]
       npx tsx scripts/refresh-prices.ts --types FILE

  --region REGION  eu-west-1 for example; not China, whose list is in CNY
  --ec2 FILE       offer file of EC2, index.csv (default: fetched, some hundred megabytes, read as they come)
  --efs FILE       offer file of EFS, index.csv (default: fetched)
  --fsx FILE       prices of FSx, pricing_data.json of AWS' sample FSx viewer (default: fetched)
  --list URL       where the price list is (default: ${PRICE_LIST})
  --today DAY      the day of the comparison, yyyy-mm-dd (default: today)
  --print          print the file instead of writing it
  --types FILE     say where the tables of types differ from the output of
                   'aws ec2 describe-instance-types --output json'
  --help           this text

No credentials are needed for prices. Prices of instances are replaced; of the rest what the files do not have stays
as it was. Afterwards: npx biome check --write constructs/sizing/data/prices, name a new region in index.ts there, and
npx jest test/constructs/sizing.`;

/** What was read. */
export interface Found {
  readonly ec2: Ec2Offer;
  readonly efs: EfsOffer;
  readonly fsx: FsxPriceFile;
  /** Where the price list is. */
  readonly list: string;
}

/** What a region's file has to be, from what was read. What the files do not have stays as it was before. */
export function newPrices(
  region: string,
  { ec2, efs, fsx, list }: Found,
  before: RegionPrices | undefined,
  today: string,
): RegionPrices {
  const offer = (service: string, pricesOf: string) => ({
    title: `AWS price list, ${service} in ${region}`,
    reference: offerUrl(list, service, region),
    checked: today,
    pricesOf,
  });
  const sample = {
    title: 'AWS sample FSx viewer, prices by region from the AWS price list',
    reference: FSX,
    checked: today,
    pricesOf: fsx.last_updated,
  };
  const source = offer('AmazonEC2', ec2.published);
  const { fsxLustre, fsxOpenZfs, fsxOntap } = before ?? {};
  return {
    region,
    instances: { ...byFamily(ec2.hours), source },
    ebs: { ...(before && volumesOf(before)), ...ec2.ebs, ...(Object.keys(ec2.ebs).length ? { source } : {}) },
    ...withoutGaps({ fsxLustre, fsxOpenZfs, fsxOntap }),
    ...fsxPrices(fsx, region, sample),
    ...withoutGaps({
      efs: efs.prices ? { ...efs.prices, source: offer('AmazonEFS', efs.published) } : before?.efs,
    }),
  };
}

/** Each price of a volume with the source that it has, for the region's may change. */
function volumesOf(prices: RegionPrices): RegionPrices['ebs'] {
  return Object.fromEntries(
    VOLUME_TYPES.filter((type) => prices.ebs[type]).map((type) => [
      type,
      { ...prices.ebs[type], source: volumePriceSource(prices, type) },
    ]),
  );
}

function withoutGaps<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<T>;
}

async function fsxOf(file: string | undefined): Promise<FsxPriceFile> {
  const text = file === undefined ? await (await fetched(FSX)).text() : readFileSync(file, 'utf8');
  const prices = JSON.parse(text) as Partial<FsxPriceFile>;
  if (!prices.regions || !prices.last_updated) {
    throw new Error(`${file ?? FSX}: no prices of FSx: 'regions' and 'last_updated' are expected`);
  }
  return prices as FsxPriceFile;
}

/** Runs it. @returns the exit code */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      region: { type: 'string' },
      ec2: { type: 'string' },
      efs: { type: 'string' },
      fsx: { type: 'string' },
      list: { type: 'string', default: PRICE_LIST },
      today: { type: 'string', default: new Date().toISOString().slice(0, 10) },
      types: { type: 'string' },
      print: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false, short: 'h' },
    },
  });
  if (values.types !== undefined) {
    const found = differences(JSON.parse(readFileSync(values.types, 'utf8')) as DescribedTypes);
    for (const line of found) console.log(line);
    return found.length ? 1 : 0;
  }
  if (values.help || values.region === undefined) {
    console.log(USAGE);
    return values.help ? 0 : 2;
  }
  const { ec2, efs, fsx, list, today, print } = values;
  const region = checkedRegion(values.region);
  const lines = (service: string, file: string | undefined) => linesOf(file, offerUrl(list, service, region));
  const found = {
    ec2: await readEc2Offer(lines('AmazonEC2', ec2), region),
    efs: await readEfsOffer(lines('AmazonEFS', efs), region),
    fsx: await fsxOf(fsx),
    list: PRICE_LIST,
  };
  for (const what of found.ec2.left) console.error(`left out, for the list has two prices of it: ${what}`);
  const prices = newPrices(region, found, regionPrices(region), today);
  const ajv = new Ajv();
  if (!ajv.validate(REGION_PRICES_SCHEMA, prices)) throw new Error(`not written: ${ajv.errorsText()}`);
  if (Object.keys(prices.instances.perXlargeHour).length === 0) {
    throw new Error(`not written: no price of an instance in ${region} was found`);
  }
  if (print) console.log(regionFile(prices));
  else writeFileSync(join(FOLDER, `${region}.ts`), regionFile(prices));
  return 0;
}

if (require.main === module) {
  main(process.argv.slice(2)).then(
    (code) => {
      process.exitCode = code;
    },
    (error: Error) => {
      console.error(error.message);
      process.exitCode = 1;
    },
  );
}
