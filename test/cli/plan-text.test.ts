import { explainDesign } from '../../cli/planner/explain';
import { plan } from '../../constructs/sizing/plan';
import fc from '../helpers/fast-check';
import { anyWish, argsOf, PLAN, run } from './terminal';

/** What must never be shown to anyone. */
const NONSENSE = /NaN|undefined|Infinity|\[object|-0\b/;

test.each([80, 120])('a plan on a terminal of %d columns', (columns) => {
  const { code, out, err } = run(PLAN, { columns });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatchSnapshot();
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
});

test('of a design whose price is known in part the table has the least that it costs', () => {
  // The 250 MiB/s of the metadata server's volume have no price in us-east-2.
  const { out } = run(`${PLAN} --region us-east-2`);
  expect(out).toMatch(/ lustre-gp3 .* from [\d,]+ /);
  expect(out).toContain('from: part of it is not known');
  const slow = run(`${PLAN.replace('--shared 75', '--shared 20')} --region us-east-2`).out;
  expect(slow).toMatch(/ efs .* not known /);
  expect(slow).toMatch(/fsx-lustre-intelligent-tiering, efs is\s+not known: they may be cheaper\./);
});

test('large numbers are readable everywhere', () => {
  const { out } = run('plan --nodes 4 --type i4i.8xlarge --shared 10 --capacity 50PB');
  expect(out).toContain('50,000 TB; durability zone');
  expect(out).toMatch(/45,475 TiB is\s+more than 48 TiB/);
});

test('a plan without prices says so and recommends nothing', () => {
  const { code, out } = run(`${PLAN} --region eu-west-3`);
  expect(code).toBe(0);
  expect(out).toMatch(/ lustre-gp3 .* not known /);
  expect(out).toContain('There is no recommendation');
  expect(out).not.toContain('Recommended');
});

test('there is colour on a terminal, and nowhere else', () => {
  expect(run(PLAN).out).not.toContain('\u001b');
  const coloured = run(PLAN, { isTTY: true, columns: 120 }).out;
  expect(coloured).toContain('\u001b[32m>*  fsx-openzfs');
  const plain = [0, 1, 2, 32].reduce((text, code) => text.replaceAll(`\u001b[${code}m`, ''), coloured);
  expect(plain).toBe(run(PLAN, { columns: 120 }).out);
});

test('designs that cannot be have their reason, and all of them none is exit code 1', () => {
  expect(run(PLAN).out).toContain('  nfs-ebs: More than one NFS server is for (paper 003): 4,800 MB/s');
  const { code, out } = run(PLAN.replace('--shared 75', '--shared 75000'));
  expect(code).toBe(1);
  expect(out).toContain('No design gives what is wanted.');
});

test('nodes without disks for the temporary space that is wanted are exit code 1', () => {
  const { code, out } = run(PLAN.replace('i4i.8xlarge', 'm6i.8xlarge'));
  expect(code).toBe(1);
  expect(out).toContain('Temporary space: m6i.8xlarge has no disks of its own');
});

test('a design that was asked for and cannot be is exit code 1, with the reason', () => {
  const { code, err } = run(`${PLAN} --design io2-single-host`);
  expect(code).toBe(1);
  expect(err).toBe(
    'io2-single-host cannot be: One host has the volumes; 4 are to use them. GFS2 or a server shares them.\n',
  );
});

describe('the explanation', () => {
  const planned = plan({ nodes: 4, nodeType: 'i4i.8xlarge', sharedMBpsPerCore: 75, capacityTB: 50 });
  const about = (id: string) => explainDesign(planned, planned.designs.find((one) => one.id === id)!);

  test('of the recommended design', () => {
    expect(about('fsx-openzfs')).toEqual([
      'Take FSx for OpenZFS (fsx-openzfs): SINGLE_AZ_2, 46,567 GiB, 5,120 MB/s, the cheapest of the 10 designs ' +
        'that give what is wanted.',
      'It gives 5,120 MB/s of reads (50 %) and writes in turns, 80 MB/s for each of 64 cores where 75 are ' +
        'wanted, and what binds it is 1 file system x 5,120 MB/s: what it was bought with.',
      'It costs $5,522 a month; the next better is fsx-lustre-ssd-125 with 94 MB/s for each ' +
        'core for $6,960, 26 % more.',
    ]);
  });

  test('of another one names what is cheaper, and what is better', () => {
    const [which, gives, costs] = about('lustre-gp3');
    expect(which).toMatch(/^Lustre on EC2, gp3 .* number 4 by price of the 10 designs/);
    expect(gives).toContain('what binds it is 7 servers x 781 MB/s: EBS bandwidth of m6in.2xlarge.');
    expect(costs).toBe(
      'It costs $7,548 a month; better and cheaper is fsx-lustre-ssd-125 with 94 MB/s for each ' +
        'core for $6,960, 8 % less.',
    );
  });

  test('of the fastest', () => {
    expect(about('fsx-lustre-ssd-250')[2]).toMatch(/the next cheaper is fsx-lustre-ssd-125 .* 31 % less\.$/);
  });

  test('of one without a price', () => {
    expect(about('fsx-lustre-intelligent-tiering')[2]).toBe(
      'What it costs is not known, but not less than $4,490 a month, so it is compared with no other.',
    );
  });
});

test('any wish gets a table without nonsense, and three sentences on every design', () => {
  fc.assert(
    fc.property(anyWish, (wish) => {
      const { code, out, err } = run(argsOf(wish), { columns: 100 });
      expect([0, 1]).toContain(code);
      expect(`${out}${err}`).not.toMatch(NONSENSE);
      const planned = plan(wish);
      for (const design of planned.designs.filter(({ feasible }) => feasible)) {
        const sentences = explainDesign(planned, design);
        for (const sentence of sentences) expect(sentence).toMatch(/^\S.*[^.]\.$/);
        expect(sentences.join(' ')).not.toMatch(NONSENSE);
      }
    }),
    { numRuns: 60 },
  );
});
