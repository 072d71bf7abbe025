import { nearest } from '../../cli/arguments';
import { parsePlan } from '../../cli/planner/options';
import { capacityTB, mbps, share } from '../../cli/planner/units';
import { COMPARE_USAGE, PLAN_USAGE } from '../../cli/planner/usage';
import { DESIGN_IDS } from '../../constructs/sizing/plan';
import fc from '../helpers/fast-check';
import { anyWish, argsOf, PLAN, run } from './terminal';

const BASE = 'plan --nodes 4 --type i4i.8xlarge --shared 75 --capacity 50TB';

const wishOf = ([, ...args]: string[]) => parsePlan(args).wish;

test('a wish that is typed is the wish that is planned', () => {
  fc.assert(
    fc.property(anyWish, (wish) => {
      expect(wishOf(argsOf(wish))).toMatchObject(wish);
    }),
  );
});

test('whatever is typed, it is understood or a message says what to type', () => {
  const word = fc.oneof(
    fc.constantFrom(
      'plan',
      'compare',
      ...PLAN.split(' '),
      '--',
      '-',
      '-h',
      '--json=1',
      '--nodes=',
      '__proto__',
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (args) => {
      const { code, err } = run(args);
      expect([0, 1, 2]).toContain(code);
      if (code === 2) expect(err).toContain('All options:');
    }),
    { numRuns: 500 },
  );
});

describe('units', () => {
  test.each([
    ['50TB', 50],
    ['50 tb', 50],
    ['500GB', 0.5],
    ['1.5PB', 1500],
    ['50TiB', 54.9755813888],
    ['1024GiB', 1.099511627776],
    ['.5TB', 0.5],
    ['0TB', 0],
  ])('%s are %d TB', (text, expected) => {
    expect(capacityTB('--capacity', text)).toBeCloseTo(expected, 9);
  });

  test('TiB and GiB are what they are in bytes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), (number) => {
        expect(capacityTB('--capacity', `${number}TiB`)).toBeCloseTo(
          capacityTB('--capacity', `${number * 1024}GiB`),
          6,
        );
      }),
    );
  });

  test.each(['50', '50Tb/s', 'fifty', '', '-50TB', '5e3TB', '1,5TB', '50constructor'])(
    "a capacity of '%s' is refused with an example",
    (text) => {
      expect(() => capacityTB('--capacity', text)).toThrow(/Type --capacity [\d.]+TB/);
    },
  );

  test('a capacity without unit is met with the one that was most likely meant', () => {
    expect(() => capacityTB('--capacity', '80')).toThrow('Type --capacity 80TB');
  });

  test('MB/s, never Mbit/s', () => {
    expect(mbps('--shared', '75')).toBe(75);
    expect(mbps('--shared', '75MB/s')).toBe(75);
    expect(mbps('--shared', '100MiB/s')).toBeCloseTo(104.8576, 9);
    expect(() => mbps('--shared', '75Mbps')).toThrow('Type --shared 75');
  });

  test('a share is a part or percent', () => {
    expect([share('--read-share', '0.7'), share('--read-share', '70%'), share('--read-share', '1')]).toEqual([
      0.7, 0.7, 1,
    ]);
    for (const text of ['70', '1.1', '101%', '-0.1', 'half'])
      expect(() => share('--read-share', text)).toThrow('Type');
  });
});

describe('errors say what to type', () => {
  test.each([
    ['plan', '--nodes, --shared, --capacity, --type'],
    [
      'plan --nodes 4 --type i4i.8xlarge --shared 75',
      'plan needs --capacity as well. Type for example npx cdk-sas-grid plan',
    ],
    [`${BASE} --node 4`, 'did you mean --nodes?'],
    [`${BASE} --readshare 1`, 'did you mean --read-share?'],
    [`${BASE} --colour`, 'there are: --nodes, --type'],
    [`${BASE} -x`, 'There is no option -x'],
    [`${BASE} --nodes 5`, '--nodes is given twice'],
    [`${BASE} --region --json`, '--region lacks its value'],
    [`${BASE} --json=yes`, "--json takes no value: leave 'yes' out"],
    [`${BASE} --json --csv`, '--json and --csv: give one of them'],
    [`${BASE} --force`, '--force overwrites the file of --write'],
    [`${BASE} extra`, "plan does not know what to do with 'extra'"],
    [`${BASE} --design lustre-gp2`, 'did you mean lustre-gp3?'],
    [`${BASE} --design xyz`, DESIGN_IDS.join(', ')],
    [`${BASE} --write config/Mine.yaml`, 'Type --write config/mine.yaml'],
    [`${BASE} --write config/mine.yml`, 'Type --write config/mine.yaml'],
    [`${BASE} --region frankfurt`, 'Type --region eu-west-1'],
    [`${BASE} --hours 1000`, '--hours: The hours in a month: 1000. Allowed: 0 to 744'],
    [`${BASE} --clients 2`, '--clients: Only 2 clients for 4 nodes'],
    [`${BASE} --cores 0`, '--cores: The cores of a node: 0'],
    [`${BASE} --durability good`, "--durability: The durability: 'good'. Allowed: scratch, zone, region"],
    [`${BASE} --availability 99%`, "--availability: The availability: '99%'"],
    [`${BASE} --temp 99999`, '--temp: The MB/s of temporary space'],
    [
      'plan --nodes 4 --type i4i.8xlarge --shared 75 --capacity 0TB',
      '--capacity: Throughput without capacity',
    ],
    ['plan --nodes 0 --type i4i.8xlarge --shared 75 --capacity 1TB', '--nodes: The number of nodes: 0'],
    ['plan --nodes -4 --type i4i.8xlarge --shared 75 --capacity 1TB', '--nodes: The number of nodes: -4'],
    [
      'plan --nodes 1e3 --type i4i.8xlarge --shared 75 --capacity 1TB',
      "--nodes is '1e3'; allowed: a number. Type --nodes 4",
    ],
    [
      'plan --nodes 4 --type i4i.8xlarge --shared 9999999 --capacity 1TB',
      '--shared: The MB/s of shared space',
    ],
    ['plan --nodes 4 --type i4i.9xlarge --shared 75 --capacity 1TB', 'of its family there are i4i.large'],
    ['plan --nodes 4 --type i44i.8xlarge --shared 75 --capacity 1TB', 'did you mean i4i.8xlarge'],
    ['plan --nodes 4 --type quantum --shared 75 --capacity 1TB', 'its physical cores as well: --cores 16'],
    ['compare a.yaml', 'compare takes two files; there are 1'],
    ['compare a.yaml b.yaml c.yaml', 'compare takes two files; there are 3'],
    ['compare a.yaml b.yaml --hours 1000', 'Type --hours 730'],
    ['comapre a.yaml b.yaml', 'Type npx cdk-sas-grid compare A.yaml B.yaml'],
    ['--nodes 4', 'Type npx cdk-sas-grid plan'],
  ])('%s', (line, message) => {
    const { code, out, err } = run(line);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(err).toMatch(/All options: npx cdk-sas-grid( plan| compare)? --help\n$/);
  });

  test('what a terminal would obey is not printed', () => {
    expect(run(['plan', '--nodes', '\u001b[31m4']).err).not.toContain('\u001b');
  });
});

test('a type that is not in the tables is planned with its cores', () => {
  expect(wishOf(`${BASE} --cores 20`.replace('i4i.8xlarge', 'x9.huge').split(' '))).toMatchObject({
    nodeType: 'x9.huge',
    coresPerNode: 20,
  });
});

test('the help names every option', () => {
  const optionsOf = (line: string) =>
    [...run(line).err.matchAll(/--[a-z-]+(?=[,.])/g)].map(([option]) => option);
  const [ofPlan, ofCompare] = [optionsOf('plan --qqqqqqqqqq'), optionsOf('compare --qqqqqqqqqq')];
  expect([ofPlan.length, ofCompare.length]).toEqual([18, 5]);
  for (const option of ofPlan) expect(PLAN_USAGE).toContain(option);
  for (const option of ofCompare) expect(COMPARE_USAGE).toContain(option);
});

test('nothing is guessed from too little', () => {
  expect(nearest('x', ['nodes', 'type'])).toBeUndefined();
  expect(nearest('', ['nodes'])).toBeUndefined();
});

test('the help has each verb, and each verb has its own', () => {
  const [, list] = /has to be ([\w ]+);/.exec(run('nonsense').err)!;
  const verbs = list!.split(' or ');
  expect(verbs.length).toBeGreaterThan(1);
  for (const verb of verbs) {
    expect(run('--help').out).toMatch(new RegExp(`cdk-sas-grid ${verb} .* {3}`));
    expect(run(`${verb} --help`).out).toContain(`Usage: npx cdk-sas-grid ${verb}`);
  }
});
