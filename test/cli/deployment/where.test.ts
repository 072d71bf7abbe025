import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whereIs } from '../../../cli/deployment/where';
import * as identity from '../../../cli/preflight/aws/identity';

jest.mock('../../../cli/preflight/aws/identity', () => ({
  ...jest.requireActual('../../../cli/preflight/aws/identity'),
  callerIn: jest.fn(async () => ({ account: '123456789012', arn: 'arn' })),
}));

const ENV = { AWS_REGION: 'us-east-1' };
const before = process.cwd();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'where-'));
  mkdirSync(join(folder, 'config'));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

const regionOf = async (region?: string) => (await whereIs({ deployment: 'mine', region }, ENV)).region;

test('the region is that of the option, else of the configuration, else of the environment', async () => {
  expect(await regionOf()).toBe('us-east-1');
  writeFileSync('config/mine.yaml', 'region: eu-west-1\n');
  expect(await regionOf()).toBe('eu-west-1');
  expect(await regionOf('eu-north-1')).toBe('eu-north-1');
});

test('a configuration that is being edited hides nothing', async () => {
  writeFileSync('config/mine.yaml', 'region: [eu-west-1\n');
  expect(await regionOf()).toBe('us-east-1');
});

test('without credentials it says what to do', async () => {
  const refused = new identity.NoCaller('there are no credentials', 'aws sso login');
  (identity.callerIn as jest.Mock).mockRejectedValueOnce(refused);
  await expect(regionOf()).rejects.toMatchObject({
    name: 'OptionError',
    message: 'AWS cannot be asked in us-east-1: there are no credentials. aws sso login',
  });
});
