import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Line, nightBill, operationsBill } from './costs';

const PAGE = readFileSync(join(__dirname, '../../docs/operations/costs.md'), 'utf8');

const usd = (value: number): string => value.toFixed(2);

const SEVERAL = ['sas-grid-lustre', 'sas-grid-nfs'];

// What a page says is what the templates give: put what is expected here into docs/operations/costs.md.
test('the operations of a deployment cost what their page says: a few dollars a month', () => {
  const [lustre, nfs] = SEVERAL.map(operationsBill) as [Line[], Line[]];
  const total = (lines: readonly Line[]) => lines.reduce((sum, line) => sum + line.usd, 0);
  // Its stack is the same for each kind of file system.
  expect(usd(total(lustre))).toBe(usd(total(nfs)));
  expect(total(nfs)).toBeLessThan(3);
  const rows = [
    ...nfs.map(({ what, many, usd: cost }) => `| ${what} | ${many} | ${usd(cost)} |`),
    `| **Together** | | **${usd(total(nfs))}** |`,
  ];
  expect(PAGE).toContain(rows.join('\n'));
});

const NAMES = ['sas-grid-lustre', 'sas-grid-nfs', 'sas-server-io2', 'sas-grid-gfs2', 'sas-grid-fsx'];

test('a deployment that sleeps costs what its page says', () => {
  const rows = NAMES.map((name) => {
    const { awake, asleep } = nightBill(name);
    const text = (value?: number) => (value === undefined ? 'not known' : Math.round(value).toString());
    return `| \`${name}\` | ${text(awake)} | ${text(asleep)} |`;
  });
  expect(PAGE).toContain(rows.join('\n'));
});
