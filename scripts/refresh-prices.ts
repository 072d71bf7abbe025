// Makes the prices of a region anew from the public price list, and compares the tables of types with what AWS describes.
// npx tsx scripts/refresh-prices.ts --help
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import Ajv from 'ajv';
import { type RegionPrices, regionPrices } from '../constructs/sizing/data/prices';
import { type FsxPriceFile, fsxPrices } from './refresh-prices/fsx';
import { type DescribedTypes, differences } from './refresh-prices/instance-types';
import { type Ec2Offer, readEc2Offer } from './refresh-prices/offer';
import { byFamily, regionFile } from './refresh-prices/region-file';
import { REGION_PRICES_SCHEMA } from './refresh-prices/schema';

const FOLDER = join(__dirname, '../constructs/sizing/data/prices');
const OFFERS = 'https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws';
const FSX =
  'https://raw.githubusercontent.com/aws-samples/sample-fsx-viewer/main/fsx_viewer/pricing_data.json';

const USAGE = `Makes the prices of a region anew: constructs/sizing/data/prices/<region>.ts

Usage: npx tsx scripts/refresh-prices.ts --region REGION [options]
       npx tsx scripts/refresh-prices.ts --types FILE

  --region REGION  eu-west-1 for example
  --ec2 FILE       offer file of EC2, index.csv (default: fetched, some hundred megabytes)
  --fsx FILE       prices of FSx, pricing_data.json of AWS' sample FSx viewer (default: fetched)
  --today DAY      the day of the comparison, yyyy-mm-dd (default: today)
  --print          print the file instead of writing it
  --types FILE     say where the tables of types differ from the output of 'aws ec2 describe-instance-types --output json'
  --help           this text

No credentials are needed for prices. What the files do not have stays as it was (EFS). Afterwards: npx biome check --write
constructs/sizing/data/prices, name a new region in index.ts there, and npx jest test/constructs/sizing.`;

/** What a region's file has to be, from what was read. */
export function newPrices(
  region: string,
  ec2: Ec2Offer,
  fsx: FsxPriceFile,
  before: RegionPrices | undefined,
  today: string,
): RegionPrices {
  const offer = {
    title: `AWS price list, AmazonEC2 in ${region}`,
    reference: `${OFFERS}/AmazonEC2/current/${region}/index.csv`,
    checked: today,
    pricesOf: ec2.published,
  };
  const sample = {
    title: 'AWS sample FSx viewer, prices by region',
    reference: FSX,
    checked: today,
    pricesOf: fsx.last_updated,
  };
  return {
    region,
    instances: { ...byFamily(ec2.hours), source: offer },
    ebs: Object.keys(ec2.ebs).length ? { ...ec2.ebs, source: offer } : (before?.ebs ?? {}),
    ...fsxPrices(fsx, region, sample),
    ...(before?.efs ? { efs: before.efs } : {}),
  };
}

async function linesOf(file: string | undefined, url: string): Promise<AsyncIterable<string>> {
  const input = file === undefined ? await fetched(url) : createReadStream(file);
  return createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

async function fetched(url: string): Promise<Readable> {
  const response = await fetch(url);
  if (!response.ok || !response.body) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return Readable.fromWeb(response.body as import('node:stream/web').ReadableStream);
}

async function jsonOf(file: string | undefined, url: string): Promise<unknown> {
  if (file !== undefined) return JSON.parse(readFileSync(file, 'utf8'));
  let text = '';
  for await (const chunk of await fetched(url)) text += chunk;
  return JSON.parse(text);
}

/** Runs it. @returns the exit code */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      region: { type: 'string' },
      ec2: { type: 'string' },
      fsx: { type: 'string' },
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
  const { region, ec2, fsx, today, print } = values;
  const offer = await readEc2Offer(await linesOf(ec2, `${OFFERS}/AmazonEC2/current/${region}/index.csv`));
  const managed = (await jsonOf(fsx, FSX)) as FsxPriceFile;
  const prices = newPrices(region, offer, managed, regionPrices(region), today);
  const ajv = new Ajv();
  if (!ajv.validate(REGION_PRICES_SCHEMA, prices)) throw new Error(`not written: ${ajv.errorsText()}`);
  if (Object.keys(prices.instances.perXlargeHour).length === 0)
    throw new Error('not written: no price of an instance was found');
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
