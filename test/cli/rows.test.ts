import { limitRows, priceDays, rowOf, sorted } from '../../cli/planner/page/rows';
import { grouped } from '../../cli/planner/words';
import { plan, type Wish } from '../../constructs/sizing/plan';

const WISH: Wish = { nodes: 4, nodeType: 'i4i.8xlarge', sharedMBpsPerCore: 75, capacityTB: 50 };

const rowsOf = (wish: Wish) =>
  plan(wish)
    .designs.filter(({ feasible }) => feasible)
    .map(rowOf);
const row = (wish: Wish, id: string) => rowsOf(wish).find((one) => one.id === id)!;

test('a design says what to build, what it delivers and what limits it', () => {
  const { build, read, cost, items } = row(WISH, 'lustre-gp3');
  expect(build[0]).toMatch(/^\d+ x m6in\.\w+$/);
  expect(build[1]).toMatch(/^\d+ x gp3, [\d,]+ GiB, [\d,]+ IOPS, [\d,]+ MiB\/s each$/);
  expect(read.total).toMatch(/^\d,\d{3} MB\/s$/);
  expect(read.perCore).toMatch(/^\d+ per core$/);
  expect(read.limit).toMatch(/^(EBS bandwidth|volumes)$/);
  expect(cost).toMatch(/^\$[\d,]+$/);
  expect(items.length).toBeGreaterThan(2);
});

test('a limit that is the network of the nodes is named', () => {
  expect(row(WISH, 'fsx-lustre-ssd-1000').read.limit).toBe('network of the nodes');
});

test('a price that is not known in full says so, with what is known', () => {
  const { cost, usd, items } = row(WISH, 'fsx-lustre-intelligent-tiering');
  expect(usd).toBeUndefined();
  expect(cost).toMatch(/^not known; at least \$[\d,]+$/);
  expect(items.map((item) => item.usd)).toContain('not known');
});

test('no text has a number that is none', () => {
  for (const wish of [
    WISH,
    { ...WISH, nodes: 1, sharedMBpsPerCore: 0, capacityTB: 0 },
    { ...WISH, hoursPerMonth: 0 },
  ])
    expect(JSON.stringify(rowsOf(wish))).not.toMatch(/NaN|undefined|Infinity/);
});

test('the limits: exactly those that are lowest decide', () => {
  const { designs, need } = plan(WISH);
  for (const design of designs.filter(({ feasible }) => feasible)) {
    const limits = limitRows(design, need!.readShare, need!.sharedMBps);
    const least = Math.min(...limits.map(({ mbps }) => mbps));
    expect(limits.filter(({ binds }) => binds).map(({ mbps }) => mbps)).toContain(least);
    expect(least).toBeCloseTo(design.mixedMBps!, 6);
  }
});

test('sorted: what is not known comes last both ways', () => {
  const rows = rowsOf(WISH);
  for (const descending of [false, true]) {
    const order = sorted(rows, 'cost', descending);
    expect(order.at(-1)!.usd).toBeUndefined();
    const prices = order.flatMap(({ usd }) => (usd === undefined ? [] : [usd]));
    expect(prices).toEqual([...prices].sort((a, b) => (descending ? b - a : a - b)));
  }
});

test('large numbers in texts of the model get their separators', () => {
  expect(grouped('46567 GiB SSD, 9156 IOPS, 500 MB/s')).toBe('46,567 GiB SSD, 9,156 IOPS, 500 MB/s');
  expect(grouped('PERSISTENT_2, 2026-01-19')).toBe('PERSISTENT_2, 2026-01-19');
});

test('prices have a day, and a region without prices has none', () => {
  expect(priceDays('us-east-1').join()).toMatch(
    /EC2 of \d{4}-\d\d-\d\d,gp3 .*\d{4}-\d\d-\d\d,.*FSx of \d{4}/,
  );
  // What was added from elsewhere names its own day.
  expect(priceDays('eu-west-1')).toEqual(
    expect.arrayContaining(['gp3 of 2026-08-06', 'st1 of 2021-07-14', 'EFS not known']),
  );
  expect(priceDays('xx-nowhere-1')).toEqual([]);
});
