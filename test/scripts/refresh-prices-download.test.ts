import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../scripts/refresh-prices';
import { hour, line, offerFile, VOLUMES } from './refresh-prices/offer-file';

// The price list on loopback. It never was the real one: from where this was written there is no way to it.
let server: Server;
let list: string;
let answer: RequestListener;
const folder = mkdtempSync(join(tmpdir(), 'prices-'));
const fsx = join(__dirname, 'refresh-prices/fsx-prices.json');

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  list = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  rmSync(folder, { recursive: true });
});

const EC2 = offerFile('AmazonEC2', [
  hour('m6in.xlarge', '0.33432'),
  hour('m6in.4xlarge', '1.33728'),
  ...VOLUMES,
]);
const EFS = offerFile('AmazonEFS', [
  line({ usageType: 'EUC1-TimedStorage-ByteHrs', PricePerUnit: '0.36', Unit: 'GB-Mo' }),
  line({ usageType: 'EUC1-ProvisionedTP-MiBpsHrs', PricePerUnit: '7.2', Unit: 'MiBps-Mo' }),
]);

async function printed(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const log = jest.spyOn(console, 'log').mockImplementation((text: string) => void lines.push(text));
  try {
    expect(await main([...args, '--list', list, '--fsx', fsx, '--today', '2026-11-22', '--print'])).toBe(0);
  } finally {
    log.mockRestore();
  }
  return lines.join('\n');
}

test('a region is made from the addresses of the price list', async () => {
  const asked: string[] = [];
  answer = ({ url = '' }, response) => {
    asked.push(url);
    response.end(url.includes('AmazonEC2') ? EC2 : EFS);
  };
  const text = await printed('--region', 'eu-central-1');
  expect(asked).toEqual([
    '/offers/v1.0/aws/AmazonEC2/current/eu-central-1/index.csv',
    '/offers/v1.0/aws/AmazonEFS/current/eu-central-1/index.csv',
  ]);
  expect(text).toContain('m6in: 0.33432');
  expect(text).toContain('mibpsMonth: 0.0476');
  expect(text).toContain('efs: { gbMonth: 0.36, mbpsMonth: 7.2');
  // The source is AWS, whatever it was read through; what the list lacked keeps the source that it had.
  expect(text).toContain(
    "reference: 'https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEFS/current/eu-central-1/index.csv'",
  );
  expect(text).toMatch(/st1: \{ gbMonth: 0.054, source: \{ title: 'Amazon EBS pricing page/);
  expect(text).toMatch(/fsxLustre: \{ ssdGbMonth: \{ 125: 0.181/);
});

test('a download that breaks off is an error, not a short list', async () => {
  answer = (_, response) => {
    response.writeHead(200, { 'Content-Length': EC2.length });
    // At the end of a line, so that the lines do not show it.
    response.write(EC2.slice(0, EC2.indexOf('\n', EC2.length / 2) + 1), () => response.destroy());
  };
  await expect(printed('--region', 'eu-central-1')).rejects.toThrow(/AmazonEC2.*: ended before its end/);
});

test.each([403, 404])('a region that is not there (%d)', async (status) => {
  answer = (_, response) => void response.writeHead(status).end('<Error>NoSuchKey</Error>');
  await expect(printed('--region', 'eu-nowhere-9')).rejects.toThrow(/eu-nowhere-9.*is the region right/);
});

test('nobody listens', async () => {
  const args = ['--region', 'eu-west-1', '--list', 'http://127.0.0.1:9', '--fsx', fsx, '--print'];
  await expect(main(args)).rejects.toThrow(/^http:\/\/127.0.0.1:9\/offers.*(ECONNREFUSED|bad port)/);
});

test.each([
  ['cn-north-1', /China has a price list of its own .* in CNY/],
  ['us-west-2-lax-1', /is no region/],
  ['../../etc', /is no region/],
  ['Ireland', /is no region/],
])('no prices are made of %s', async (region, error) => {
  await expect(main(['--region', region, '--list', list])).rejects.toThrow(error);
});

test('a file without one price of an instance of the region is not written', async () => {
  answer = ({ url = '' }, response) => void response.end(url.includes('AmazonEC2') ? EC2 : EFS);
  await expect(printed('--region', 'eu-west-3')).rejects.toThrow(/no price of an instance in eu-west-3/);
});

test('files that were fetched by hand: those that are no prices of FSx are named', async () => {
  const [ec2, efs, other] = ['ec2.csv', 'efs.csv', 'fsx.json'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(ec2, EC2.replaceAll('\n', '\r\n'));
  writeFileSync(efs, EFS);
  writeFileSync(other, '{"message":"Not Found"}');
  const args = ['--region', 'eu-central-1', '--ec2', ec2, '--efs', efs];
  expect(await printed(...args)).toContain('m6in: 0.33432');
  await expect(main([...args, '--fsx', other, '--print'])).rejects.toThrow(/no prices of FSx/);
  await expect(main([...args, '--efs', join(folder, 'none'), '--fsx', fsx])).rejects.toThrow(/ENOENT/);
  expect(readFileSync(ec2, 'utf8')).toContain('\r\n');
});
