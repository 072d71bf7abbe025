import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

/** Where AWS publishes its price list; no credentials are needed. */
export const PRICE_LIST = 'https://pricing.us-east-1.amazonaws.com';

// A region's name, not a local zone's (us-west-2-lax-1) or wavelength zone's: they have lists of their own, at other
// prices.
const REGION = /^[a-z]{2}(-[a-z]+)+-\d$/;

/**
 * @throws Error when there can be no prices in USD of it, with what to type instead
 */
export function checkedRegion(region: string): string {
  if (!REGION.test(region)) throw new Error(`--region ${region} is no region; eu-west-1 for example`);
  if (region.startsWith('cn-')) {
    throw new Error(
      `--region ${region}: China has a price list of its own (pricing.cn-north-1.amazonaws.com.cn), in CNY; ` +
        'prices here are in USD',
    );
  }
  return region;
}

/** The address of the offer file of a service in a region. */
export function offerUrl(list: string, service: string, region: string): string {
  return `${list.replace(/\/+$/, '')}/offers/v1.0/aws/${service}/current/${region}/index.csv`;
}

/**
 * What stands at an address, as it comes in: the file of EC2 has hundreds of megabytes.
 *
 * @throws Error when it is not there
 */
export async function fetched(url: string): Promise<Response> {
  const response = await fetch(url).catch((error: Error & { cause?: Error }) => {
    throw new Error(`${url}: ${error.cause?.message ?? error.message}`);
  });
  // The list answers 403 as well as 404 for what it does not have.
  if (response.status === 403 || response.status === 404) {
    throw new Error(`${url}: ${response.status}; is the region right, and does it have the service?`);
  }
  if (!response.ok || !response.body) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return response;
}

/**
 * The lines of a file, or of what stands at an address when none is named. @throws Error also in their midst, when it
 * is cut off
 */
export async function* linesOf(file: string | undefined, url: string): AsyncGenerator<string> {
  const input =
    file === undefined
      ? Readable.fromWeb((await fetched(url)).body as import('node:stream/web').ReadableStream)
      : createReadStream(file);
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    throw new Error(`${file ?? url}: ended before its end (${cause?.message ?? message})`);
  } finally {
    input.destroy();
  }
}
