import { FIELDS, INITIAL, type Inputs, type NumberField } from '../../cli/planner/page/fields';
import { hashOf, inputsOf } from '../../cli/planner/page/link';
import { wishOf } from '../../cli/planner/page/wish';
import { needOf, type Wish } from '../../constructs/sizing/plan';

const NUMBERS = FIELDS.filter((field): field is NumberField => field.kind === 'number');
const withInput = (name: string, value: string): Inputs => ({ ...INITIAL, [name]: value });

test('what is filled in at first is right', () => {
  const { wish, problems } = wishOf(INITIAL);
  expect([...problems]).toEqual([]);
  expect(needOf(wish!).need).toMatchObject({ nodes: 4, sharedMBps: 4800, readShare: 0.5, clients: 4 });
});

describe('the ranges that are shown are those of the model', () => {
  // 'clients' has to be at least the nodes, 'capacity' 0 only goes with no throughput.
  const fits: { [name: string]: Partial<Wish> } = {
    clients: { nodes: 1 },
    capacity: { sharedMBpsPerCore: 0 },
  };
  const problemsOf = ({ name, wish, per = 1 }: NumberField, value: number) =>
    needOf({ ...wishOf(INITIAL).wish!, clients: 20_000, ...fits[name], [wish]: value / per }).problems;

  test.each(NUMBERS)('$name', (field) => {
    expect(problemsOf(field, field.min)).toEqual([]);
    expect(problemsOf(field, field.max)).toEqual([]);
    expect(problemsOf(field, field.min - 1)).not.toEqual([]);
    expect(problemsOf(field, field.max + 1)).not.toEqual([]);
  });
});

describe('a mistake is told at its field', () => {
  test.each(
    NUMBERS.flatMap(({ name, min, max }) => [min - 1, max + 1, 'x'].map((value) => [name, String(value)])),
  )('%s: %s', (name, value) => {
    const { wish, problems, others } = wishOf({ ...withInput('shared', '0'), [name!]: value! });
    expect(wish).toBeUndefined();
    expect([[...problems.keys()], others]).toEqual([[name], []]);
  });

  test.each([
    ['nodes', '', /^Left out. Give a number, hosts/],
    ['nodes', '1e999', /is not a number/],
    ['type', 'nonsense', /not of the form of i4i.8xlarge/],
    ['region', 'Mars', /not of the form of eu-west-1/],
    ['durability', 'forever', /Allowed: scratch, zone, region/],
    ['clients', '3', /Only 3 clients for 4 nodes/],
    ['capacity', '0', /Throughput without capacity/],
  ])('%s: "%s"', (name, value, text) => {
    const { problems } = wishOf(withInput(name, value));
    expect([...problems.keys()]).toEqual([name]);
    expect(problems.get(name as 'nodes')).toMatch(text);
  });

  test('two mistakes, each at its own', () => {
    const { problems } = wishOf({ ...INITIAL, nodes: '0', hours: '800' });
    expect([...problems.keys()].sort()).toEqual(['hours', 'nodes']);
  });

  test('neither type nor cores', () => {
    expect([...wishOf(withInput('type', '')).problems.keys()]).toEqual(['type']);
    expect(wishOf({ ...INITIAL, type: '', cores: '16' }).wish).toBeDefined();
    expect([...wishOf(withInput('type', 'x99.large')).problems.keys()]).toEqual(['type']);
  });
});

describe('a link', () => {
  test('carries all fields and the design', () => {
    const inputs: Inputs = {
      ...INITIAL,
      nodes: '7',
      cores: '12.5',
      region: 'eu-west-1',
      clients: '9',
      shared: '-1',
    };
    expect(inputsOf(hashOf(inputs, 'lustre-gp3'))).toEqual({ inputs, design: 'lustre-gp3', ignored: [] });
  });

  test('names what it does not know or cannot read, and keeps the rest', () => {
    const { inputs, ignored } = inputsOf('#nodes=8&price=0&type=<script>&shared=80&hours=all');
    expect(inputs).toEqual({ ...INITIAL, nodes: '8', shared: '80' });
    expect(ignored).toEqual(['price', 'type', 'hours']);
  });

  test.each([
    '',
    '#',
    '#%',
    '#%E0%A4%A',
    '#&&&==',
    '#__proto__=1',
    `#nodes=${'9'.repeat(5000)}`,
    '#nodes=9'.repeat(400),
  ])('stands %s', (hash) => {
    const { inputs } = inputsOf(hash);
    expect(Object.keys(inputs)).toEqual(Object.keys(INITIAL));
    wishOf(inputs);
  });
});
