import { REGION_PRICES } from '../../../../constructs/sizing/data/prices';
import {
  AVAILABILITY,
  costCurve,
  DESIGN_IDS,
  DURABILITY,
  mixedMBps,
  type Plan,
  plan,
  predict,
  type Wish,
} from '../../../../constructs/sizing/plan';
import fc from '../../../helpers/fast-check';

const WISH: Wish = {
  nodes: 4,
  nodeType: 'i4i.8xlarge',
  temporaryMBpsPerCore: 100,
  sharedMBpsPerCore: 75,
  capacityTB: 50,
};
const designOf = ({ designs }: Plan, id: string) => designs.find((one) => one.id === id)!;
const answer = plan(WISH);

test('every design is there, feasible or with a reason', () => {
  expect(answer.designs.map(({ id }) => id)).toEqual(DESIGN_IDS);
  for (const { feasible, reason } of answer.designs) expect(feasible).toBe(reason === undefined);
});

test.each([
  ['lustre-instance-store', "Its data is as durable as 'scratch'; 'zone' is wanted."],
  ['nfs-ebs', 'More than one NFS server is for (paper 003): 4800 MB/s is more than 1 GB/s.'],
  ['io2-single-host', 'One host has the volumes; 4 are to use them. GFS2 or a server shares them.'],
])('%s says why not', (id, reason) => {
  expect(designOf(answer, id).reason).toBe(reason);
});

test('Lustre on gp3: servers, volumes, throughput, capacity, price and recovery', () => {
  const { storage, prediction, perCore, capacityTB, cost, recovery } = designOf(answer, 'lustre-gp3');
  expect(storage).toMatchObject({ kind: 'lustre', servers: 7, serverType: 'm6in.2xlarge' });
  expect(prediction!.binding.write!.text).toBe('7 servers x 781 MB/s: EBS bandwidth of m6in.2xlarge');
  expect(perCore!.mixedMBps).toBeGreaterThanOrEqual(75);
  expect(capacityTB).toBeGreaterThanOrEqual(50);
  expect(cost!.items.map(({ what }) => what).slice(0, 1)).toEqual(['7 x m6in.2xlarge (OSS)']);
  // 7 x 0.55692 an hour.
  expect(cost!.items[0]!.usd).toBeCloseTo(7 * 0.55692 * 730, 6);
  expect(recovery).toContain('its volumes');
});

test('FSx for Lustre on SSD: the size that its throughput needs, in steps', () => {
  const { storage, cost } = designOf(plan({ ...WISH, capacityTB: 1 }), 'fsx-lustre-ssd-250');
  // 4800 MB/s at 250 for 1000 GiB are 19,200 GiB, a multiple of 2400.
  expect(storage!.provisionedMBps).toBe(4800);
  expect(cost!.usd).toBeCloseTo(19_200 * 0.21, 6);
});

test('what could not be cited has no price, and is not called the cheapest', () => {
  const tiering = designOf(answer, 'fsx-lustre-intelligent-tiering');
  expect(tiering.feasible).toBe(true);
  expect(tiering.cost!.usd).toBeUndefined();
  expect(tiering.cost!.items.at(-1)).toEqual({ what: '50 TB in its tiers, requests, and the read cache' });
  expect(answer.frontier).not.toContain(tiering.id);
  const nowhere = plan({ ...WISH, region: 'xx-nowhere-9' });
  expect(nowhere.cheapest).toBeUndefined();
  expect(nowhere.notes.join(' ')).toContain('There are no prices for xx-nowhere-9');
  const notes = (region: string) => plan({ ...WISH, region }).notes.join(' ');
  expect(notes('eu-central-1')).toContain('Not all prices of EBS in eu-central-1 are known');
  expect(notes('eu-west-1')).not.toContain('Not all prices of EBS');
  // Chosen as in us-east-1, all the same.
  expect(designOf(nowhere, 'lustre-gp3').storage).toEqual(designOf(answer, 'lustre-gp3').storage);
});

test('a type without a price in the region is chosen only where no other does', () => {
  // i7ie is cheaper there by the prices of us-east-1, but has no price of its own.
  const design = designOf(
    plan({ ...WISH, durability: 'scratch', availability: 'restore', capacityTB: 5, region: 'eu-west-1' }),
    'lustre-instance-store',
  );
  expect(design.storage!.serverType).toMatch(/^(i3en|i4i)\./);
  expect(design.cost!.usd).toBeGreaterThan(0);
});

test.each([
  { nodes: 2, nodeType: 'm5dn.4xlarge', less: 93, more: 138.65, capacityTB: 84.44, region: 'us-west-2' },
  { nodes: 25, nodeType: 'm6in.8xlarge', less: 145.3, more: 246.02, capacityTB: 23.71, region: 'eu-west-1' },
])(
  'servers that never run: more throughput is not cheaper ($nodes x $nodeType)',
  ({ less, more, ...wish }) => {
    const usd = (sharedMBpsPerCore: number) =>
      designOf(plan({ ...wish, sharedMBpsPerCore, durability: 'scratch', hoursPerMonth: 0 }), 'lustre-gp3')
        .cost!.usd!;
    expect(usd(more)).toBeGreaterThanOrEqual(usd(less));
  },
);

test('the cheapest is the cheapest, and no design beats one of the frontier', () => {
  const known = answer.designs.filter(({ feasible, cost }) => feasible && cost!.usd !== undefined);
  const least = Math.min(...known.map(({ cost }) => cost!.usd!));
  expect(designOf(answer, answer.cheapest!).cost!.usd).toBe(least);
  for (const id of answer.frontier) {
    const { cost, mixedMBps: speed } = designOf(answer, id);
    expect(known.filter((one) => one.cost!.usd! < cost!.usd! && one.mixedMBps! >= speed!)).toEqual([]);
  }
  const { points, frontier } = costCurve(WISH);
  expect(points.length).toBeGreaterThan(frontier.length);
  expect(frontier.map(({ usd }) => usd)).toEqual(frontier.map(({ usd }) => usd).sort((a, b) => a - b));
});

test('temporary space: what the disks of the nodes give against what is wanted', () => {
  expect(answer.grid!.temporary).toMatchObject({
    feasible: true,
    text: 'The disks of i4i.8xlarge give at least 145 MB/s for each core; 100 are wanted.',
  });
  const none = plan({ ...WISH, nodeType: 'm6i.8xlarge' }).grid!.temporary!;
  expect(none.feasible).toBe(false);
  expect(none.text).toMatch(/^m6i\.8xlarge has no disks of its own for temporary space; .+ do\.$/);
  expect(answer.grid!.cost!.usd).toBeCloseTo(4 * 2.744 * 730, 6);
});

test('a single host can have the volumes itself; a cluster of two to sixteen can share them', () => {
  const host = { nodeType: 'r5b.12xlarge', sharedMBpsPerCore: 150, capacityTB: 40 };
  const one = designOf(plan({ ...host, nodes: 1 }), 'io2-single-host');
  expect(one.storage!.devices).toEqual([{ count: 1, type: 'io2', sizeGiB: 37_253, iops: 13_733 }]);
  expect(designOf(plan({ ...host, nodes: 2 }), 'io2-gfs2').feasible).toBe(true);
  expect(designOf(plan({ ...host, nodes: 17 }), 'io2-gfs2').reason).toBe(
    'GFS2 is for 2 to 16 nodes; there are 17.',
  );
});

test.each<[string, Partial<Wish>, RegExp]>([
  ['negative', { nodes: -4 }, /number of nodes: -4\. Allowed: a whole number from 1/],
  ['no nodes', { nodes: 0 }, /number of nodes: 0/],
  ['half a node', { nodes: 1.5 }, /number of nodes: 1\.5/],
  ['not a number', { sharedMBpsPerCore: Number.NaN }, /shared space for a core: NaN/],
  ['infinite', { capacityTB: Number.POSITIVE_INFINITY }, /capacity in TB: Infinity/],
  ['1e300', { sharedMBpsPerCore: 1e300 }, /shared space for a core: 1e\+300/],
  ['a share of 70', { readShare: 70 }, /share of reads: 70\. Allowed: 0 to 1/],
  ['fewer clients than nodes', { clients: 2 }, /Only 2 clients for 4 nodes/],
  ['throughput of nothing', { capacityTB: 0 }, /Throughput without capacity/],
  [
    'a type nobody knows',
    { nodeType: 'z9.large' },
    /'z9\.large' is not in the tables: give the physical cores/,
  ],
  ['neither type nor cores', { nodeType: undefined }, /Neither the type of the nodes nor their cores/],
  ['a month of 800 hours', { hoursPerMonth: 800 }, /hours in a month: 800/],
  [
    'a durability that is none',
    { durability: 'forever' as never },
    /durability: 'forever'\. Allowed: scratch, zone, region/,
  ],
])('a wish that cannot be: %s', (_, wrong, problem) => {
  const { problems, designs } = plan({ ...WISH, ...wrong });
  expect(problems.join('\n')).toMatch(problem);
  expect(designs).toEqual([]);
});

test('EFS is no design for a few fast nodes', () => {
  expect(designOf(answer, 'efs').reason).toBe(
    'EFS lets a client have 500 MiB/s: 2,097 MB/s for 4 nodes; 4,800 MB/s are wanted.',
  );
  const many = designOf(plan({ ...WISH, nodes: 40, sharedMBpsPerCore: 7 }), 'efs');
  expect(many.feasible).toBe(true);
  expect(many.mixedMBps).toBeGreaterThanOrEqual(4480);
});

test('10 TB/s: a plain no from every design', () => {
  const { problems, designs } = plan({ ...WISH, sharedMBpsPerCore: 10e6 / 64 });
  expect(problems).toEqual([]);
  expect(designs.filter(({ feasible }) => feasible)).toEqual([]);
  expect(designOf({ designs } as Plan, 'efs').reason).toBe(
    'The network of 4 i4i.8xlarge carries 9,375 MB/s; 10,000,000 MB/s are wanted.',
  );
});

test('2 MB/s from 500 nodes: the smallest of everything', () => {
  const tiny = plan({ ...WISH, nodes: 500, sharedMBpsPerCore: 2 / 8000, capacityTB: 1 });
  expect(designOf(tiny, 'lustre-gp3').storage!.servers).toBe(1);
  expect(designOf(tiny, 'nfs-ebs').reason).toContain('500 clients are more than 32');
});

const wishes: fc.Arbitrary<Wish> = fc.record({
  nodes: fc.integer({ min: 1, max: 40 }),
  nodeType: fc.constantFrom('i4i.8xlarge', 'r5b.12xlarge', 'i3en.24xlarge', 'm6i.large', 'i2.8xlarge'),
  temporaryMBpsPerCore: fc.constantFrom(0, 100),
  sharedMBpsPerCore: fc.oneof(fc.constantFrom(0, 50, 75), fc.double({ min: 0, max: 400, noNaN: true })),
  capacityTB: fc.double({ min: 0.1, max: 2000, noNaN: true }),
  readShare: fc.double({ min: 0, max: 1, noNaN: true }),
  durability: fc.constantFrom(...DURABILITY),
  availability: fc.constantFrom(...AVAILABILITY),
  region: fc.constantFrom(...REGION_PRICES.map(({ region }) => region), 'elsewhere'),
  hoursPerMonth: fc.constantFrom(0, 200, 730),
});
const RUNS = { seed: 11, numRuns: 300 };

test('what is called feasible meets the wish, by the same prediction that judges deployments', () => {
  fc.assert(
    fc.property(wishes, (wish) => {
      const { need, designs } = plan(wish);
      for (const one of designs) {
        const { feasible, storage, capacityTB, cost, mixedMBps: mixed } = one;
        if (!feasible) continue;
        expect(DURABILITY.indexOf(one.durability)).toBeGreaterThanOrEqual(
          DURABILITY.indexOf(wish.durability!),
        );
        expect(AVAILABILITY.indexOf(one.availability)).toBeGreaterThanOrEqual(
          AVAILABILITY.indexOf(wish.availability!),
        );
        const again = predict(storage!, { hosts: wish.nodes, hostType: wish.nodeType });
        expect(mixed).toBe(mixedMBps(again, wish.readShare!));
        expect(mixed).toBeGreaterThanOrEqual(need!.sharedMBps * (1 - 1e-9));
        expect(capacityTB).toBeGreaterThanOrEqual(wish.capacityTB * (1 - 1e-9));
        const sum = cost!.items.reduce((total, { usd }) => total + (usd ?? 0), 0);
        expect(cost!.knownUsd).toBe(sum);
        expect(cost!.usd === undefined || cost!.usd === sum).toBe(true);
        expect(Number.isFinite(sum) && sum >= 0).toBe(true);
      }
    }),
    RUNS,
  );
});

test('asking for more never gets cheaper, nor possible', () => {
  const steps = fc.record({
    shared: fc.oneof(
      fc.double({ min: 0, max: 100, noNaN: true }),
      fc.double({ min: 0, max: 3, noNaN: true }),
    ),
    capacity: fc.oneof(
      fc.double({ min: 0, max: 300, noNaN: true }),
      fc.double({ min: 0, max: 0.4, noNaN: true }),
    ),
    durability: fc.boolean(),
    availability: fc.boolean(),
    hours: fc.boolean(),
  });
  const next = <T>(all: readonly T[], one: T): T => all[Math.min(all.indexOf(one) + 1, all.length - 1)]!;
  fc.assert(
    fc.property(wishes, steps, (wish, step) => {
      const more: Wish = {
        ...wish,
        sharedMBpsPerCore: wish.sharedMBpsPerCore + step.shared,
        capacityTB: wish.capacityTB + step.capacity,
        durability: step.durability ? next(DURABILITY, wish.durability!) : wish.durability,
        availability: step.availability ? next(AVAILABILITY, wish.availability!) : wish.availability,
        hoursPerMonth: step.hours ? 730 : wish.hoursPerMonth,
      };
      const [before, after] = [plan(wish), plan(more)];
      for (const design of after.designs) {
        const less = designOf(before, design.id);
        if (!design.feasible) continue;
        expect(`${design.id} ${less.feasible}`).toBe(`${design.id} true`);
        if (design.cost!.usd === undefined || less.cost!.usd === undefined) continue;
        expect(design.cost!.usd).toBeGreaterThanOrEqual(less.cost!.usd - 1e-6);
      }
    }),
    { ...RUNS, numRuns: 600 },
  );
});

test('whatever is asked, there is an answer in words and numbers', () => {
  const number = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.constantFrom(0, -1, 1e300, Number.NaN, Number.POSITIVE_INFINITY),
  );
  const anything = fc.record({
    nodes: number,
    nodeType: fc.option(fc.oneof(fc.string(), fc.constant('i4i.8xlarge')), { nil: undefined }),
    coresPerNode: fc.option(number, { nil: undefined }),
    temporaryMBpsPerCore: fc.option(number, { nil: undefined }),
    sharedMBpsPerCore: number,
    capacityTB: number,
    readShare: fc.option(number, { nil: undefined }),
    clients: fc.option(number, { nil: undefined }),
    hoursPerMonth: fc.option(number, { nil: undefined }),
    region: fc.option(fc.string(), { nil: undefined }),
  });
  const bounded = fc.record({
    nodes: fc.integer({ min: 1, max: 10_000 }),
    coresPerNode: fc.double({ min: 1, max: 1000, noNaN: true }),
    sharedMBpsPerCore: fc.double({ min: 0, max: 1e6, noNaN: true }),
    capacityTB: fc.double({ min: 1e-9, max: 1e6, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.oneof(anything, bounded), (wish) => {
      const { problems, designs, notes } = plan(wish);
      expect(problems.length > 0).toBe(designs.length === 0);
      const text = JSON.stringify([problems.length ? [] : designs, notes]);
      expect(text).not.toMatch(/NaN|Infinity|undefined|null/);
    }),
    RUNS,
  );
});
