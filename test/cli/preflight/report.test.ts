import { EXIT_CODES, printReport, type Report, reportJson, verdictOf } from '../../../cli/preflight/report';
import { checked } from '../../../cli/run-preflight';
import { Terminal } from '../../../cli/terminal';
import { GOOD, PLACE, STACKS } from './subject';

const report = (otherwise: Partial<typeof GOOD> = {}): Promise<Report> =>
  checked('mine', STACKS, { place: PLACE, findings: [] }, { ...GOOD, ...otherwise });

function printed(one: Report): string {
  let text = '';
  const screen = {
    write: (more: string) => {
      text += more;
    },
  };
  printReport(new Terminal(screen, {}), one);
  return text;
}

const NO_IMAGE = { images: async () => [] };
const NOBODY = {
  images: async () => {
    throw new Error('no answer');
  },
};

test.each([
  ['all is well', {}, 'passed', 0, 'Nothing speaks against deploying mine.'],
  ['something fails', NO_IMAGE, 'failed', 1, 'mine cannot be deployed: 1 failure, 0 not checked.'],
  [
    'something is not known',
    NOBODY,
    'incomplete',
    3,
    'against deploying mine, but 0 failures, 1 not checked.',
  ],
])('%s', async (_, otherwise, verdict, code, text) => {
  const found = await report(otherwise);
  expect(verdictOf(found)).toBe(verdict);
  expect(EXIT_CODES[verdictOf(found)]).toBe(code);
  expect(printed(found).trimEnd().endsWith(text)).toBe(true);
  expect(JSON.parse(reportJson(found))).toMatchObject({ deployment: 'mine', verdict, region: 'eu-west-1' });
});

test('a failure is followed by what mends it', async () => {
  const lines = printed(await report(NO_IMAGE)).split('\n');
  const at = lines.findIndex((line) =>
    line.startsWith('  FAILS        images             ami-1, the image of'),
  );
  expect(lines[at + 1]).toMatch(/^ {15}mend it: its owner shares it: aws ec2 modify-image-attribute/);
});

test('the price is that of the region, and of nothing that goes with a host', async () => {
  const { price } = await report();
  expect(price?.text).toMatch(/2 x m6in\.8xlarge .*; 1 x i4i\.8xlarge .*; 1 x io2 1024 GiB, 50000 IOPS/);
  expect(price?.text).toContain('of eu-west-1');
  expect(price?.text).not.toContain('gp3');
});

test('what goes to another account is held against nothing here', async () => {
  const findings = [{ check: 'credentials', status: 'failed', text: 'another account' }] as const;
  const found = await checked('mine', STACKS, { place: PLACE, findings: [...findings] }, GOOD);
  expect(found.findings).toHaveLength(1);
  expect(found.price).toBeUndefined();
});
