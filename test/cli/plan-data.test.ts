import Ajv from 'ajv/dist/2020';
import schema from '../../cli/planner/plan.schema.json';
import { planCsv } from '../../cli/planner/plan-data';
import { plan } from '../../constructs/sizing/plan';
import fc from '../helpers/fast-check';
import { anyWish, argsOf, PLAN, run } from './terminal';

const validate = new Ajv({ allErrors: true, strict: false }).compile(schema);

function requireFit(text: string): { readonly chosen?: { readonly id: string } } {
  const value = JSON.parse(text);
  if (!validate(value)) throw new Error(JSON.stringify(validate.errors));
  return value;
}

test('the JSON fits its schema and is the plan', () => {
  fc.assert(
    fc.property(anyWish, (wish) => {
      const { out } = run([...argsOf(wish), '--json']);
      const { designs, frontier, cheapest, need } = plan(wish);
      const written = JSON.parse(JSON.stringify({ designs, frontier, cheapest, need }));
      expect(requireFit(out)).toMatchObject(written);
    }),
    { numRuns: 30 },
  );
});

test('the JSON explains the design that was asked for', () => {
  expect(requireFit(run(`${PLAN} --json --design lustre-gp3`).out).chosen?.id).toBe('lustre-gp3');
  expect(requireFit(run(`${PLAN} --json --region eu-west-3`).out).chosen).toBeUndefined();
});

/** RFC 4180. */
function parseCsv(text: string): string[][] {
  return text
    .split('\r\n')
    .slice(0, -1)
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g)].map(([, quoted, plain]) =>
        quoted === undefined ? plain! : quoted.replaceAll('""', '"'),
      ),
    );
}

test('the CSV has a line for each design, which parses back', () => {
  fc.assert(
    fc.property(anyWish, (wish) => {
      const [head, ...lines] = parseCsv(run([...argsOf(wish), '--csv']).out);
      const { designs } = plan(wish);
      expect(lines).toHaveLength(designs.length);
      for (const [index, cells] of lines.entries()) {
        expect(cells).toHaveLength(head!.length);
        const row = Object.fromEntries(head!.map((name, column) => [name, cells[column]]));
        const { id, feasible, reason = '', cost, mixedMBps } = designs[index]!;
        expect(row).toMatchObject({ design: id, feasible: String(feasible), reason });
        expect(row.usd_month === '' ? undefined : Number(row.usd_month)).toEqual(
          cost?.usd === undefined ? undefined : Math.round(cost.usd * 100) / 100,
        );
        if (mixedMBps !== undefined) expect(Number(row.mixed_mbps)).toBeCloseTo(mixedMBps, 1);
      }
    }),
    { numRuns: 30 },
  );
});

test('what a text has of commas, quotes and lines does not end its cell', () => {
  const planned = plan({ nodes: 1, coresPerNode: 8, sharedMBpsPerCore: 50, capacityTB: 1 });
  const reason = 'It says "no", twice';
  const designs = planned.designs.map((one) => ({ ...one, feasible: false, reason }));
  const [head, ...lines] = parseCsv(planCsv({ ...planned, designs }));
  expect(new Set(lines.map((cells) => cells[head!.indexOf('reason')]))).toEqual(new Set([reason]));
});
