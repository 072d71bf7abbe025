import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cheapestToDeploy, writeConfiguration } from '../../cli/planner/write';
import { plan } from '../../constructs/sizing/plan';
import { loadConfig } from '../../lib/config';
import fc from '../helpers/fast-check';
import { anyWish, argsOf, PLAN, run } from './terminal';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'planner-')), 'config');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const mine = () => join(folder, 'mine.yaml');
const write = (line: string, ...more: string[]) => run([...line.split(' '), '--write', mine(), ...more]);

test('the design that was asked for is written as a configuration that loads', () => {
  const { code, out } = write(`${PLAN} --design lustre-gp3`);
  expect(code).toBe(0);
  const { storage, grid, region } = loadConfig('mine', folder);
  expect({ region, grid }).toMatchObject({
    region: 'us-east-1',
    grid: { nodes: 4, instanceType: 'i4i.8xlarge' },
  });
  expect(storage?.oss).toMatchObject({ count: 7, instanceType: 'm6in.2xlarge', volumesPerServer: 6 });
  expect(out).toContain(`${mine()} is written: lustre-gp3`);
  expect(out).toMatch(/- Images: name one that can run Lustre servers in storage\.image/);
  expect(out).toMatch(/- Account: [\s\S]*- Zone: [\s\S]*make deploy DEPLOYMENT=mine\n$/);
});

test('its comment says how this deployment is deployed', () => {
  write(PLAN);
  const text = readFileSync(mine(), 'utf8').replaceAll('\n# ', ' ');
  expect(text).toContain('make deploy DEPLOYMENT=mine');
  expect(text).not.toContain('planned-');
});

test('where the recommended design has no reference deployment, the cheapest that has one is written, and told', () => {
  const { code, out } = write(PLAN);
  expect(code).toBe(0);
  expect(loadConfig('mine', folder).fsxLustre?.ssd).toEqual({ capacityGiB: 48_000, throughputPerTiB: 125 });
  expect(out).toContain('About fsx-lustre-ssd-125');
  expect(out).toContain(
    'The cheapest is fsx-openzfs. There is no reference deployment with FSx for OpenZFS.',
  );
});

test('a file that is there is overwritten with --force only', () => {
  write(PLAN);
  writeFileSync(mine(), 'description: changed since\n');
  const refused = write(PLAN);
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(refused.err).toContain('Type --force to overwrite it');
  expect(readFileSync(mine(), 'utf8')).toBe('description: changed since\n');
  expect(write(PLAN, '--force').code).toBe(0);
  expect(loadConfig('mine', folder).fsxLustre).toBeDefined();
});

test.each([
  ['--design fsx-openzfs', 'There is no reference deployment with FSx for OpenZFS'],
  ['--region eu-west-3', 'No design that gives what is wanted, and whose price is known'],
  ['--shared 75000', 'No design that gives what is wanted'],
])('%s: nothing is written, and why is said', (more, message) => {
  const line = more.startsWith('--shared') ? PLAN.replace('--shared 75', more) : `${PLAN} ${more}`;
  const { code, err } = write(line);
  expect(code).toBe(1);
  expect(err).toContain(`${mine()} was not written. `);
  expect(err).toContain(message);
  expect(() => readFileSync(mine())).toThrow('ENOENT');
});

test('nor is one that came to be while the plan was made', () => {
  write(PLAN);
  expect(() => writeConfiguration(mine(), 'other', false)).toThrow('cannot be written: EEXIST');
});

test('a file that cannot be written is a wrong option', () => {
  writeFileSync(folder, 'no folder');
  const { code, err } = write(PLAN);
  expect(code).toBe(2);
  expect(err).toContain('cannot be written');
});

test('with --json what a program reads has nothing else in it', () => {
  const { out, err } = write(PLAN, '--json');
  expect(JSON.parse(out).chosen.id).toBe('fsx-lustre-ssd-125');
  expect(err).toContain('is written: fsx-lustre-ssd-125');
});

test('whatever is planned, what is written loads', () => {
  fc.assert(
    fc.property(anyWish, (wish) => {
      const chosen = cheapestToDeploy(plan(wish));
      const { code } = run([...argsOf(wish), '--json', '--force', '--write', mine()]);
      if (!chosen) return expect(code).toBe(1);
      expect(() => loadConfig('mine', folder)).not.toThrow();
      rmSync(mine());
    }),
    { numRuns: 40 },
  );
});
