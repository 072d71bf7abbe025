import { PUBLISHED_IOZONE, tableOfPaper003 } from '../../../../constructs/sizing/published-results';
import { type IozoneOutput, parseIozone } from '../../../../lambda/benchmark-judge/parsers/iozone';
import fc from '../../../helpers/fast-check';
import { iozone } from '../samples';
import { beginnings, recording, recordingsOf } from './recordings';

/**
 * The two blocks of a server in the appendix of paper 003, as its text has them: labels and values torn apart, `KB` for
 * `kB`.
 */
function paper(server: string): Record<string, number> {
  const parts = ['write', 'read'].flatMap(
    (part) => parseIozone(recording(`${server}-${part}.txt`, 'papers')).value!.parts,
  );
  return Object.fromEntries(parts.map(({ phase, KiBps }) => [phase, KiBps]));
}

// What the two tables of the paper show, and what its appendix gives for rewrite and reread, in the tables' units and
// rounded.
const TABLES: readonly (readonly [string, number, number, number, number])[] = [
  ['d2.xlarge', 147, 152, 138, 118],
  ['d2.2xlarge', 310, 322, 330, 352],
  ['d2.4xlarge', 599, 612, 606, 612],
  ['d2.8xlarge', 1140, 1191, 1301, 1403],
  ['m4.xlarge', 90, 91, 88, 89],
  ['m4.2xlarge', 116, 125, 124, 134],
  ['m4.4xlarge', 260, 271, 420, 569],
  ['m4.10xlarge', 507, 527, 488, 487],
];

describe('the raw figures of paper 003', () => {
  test.each(TABLES)('%s: give its tables', (server, write, rewrite, read, reread) => {
    const raw = paper(server);
    expect([raw.write, raw.read].map((KiBps) => tableOfPaper003(KiBps!))).toEqual([write, read]);
    expect([raw.rewrite, raw.reread].map((KiBps) => Math.round(KiBps! / 1000))).toEqual([rewrite, reread]);
  });

  test.each(PUBLISHED_IOZONE.map((row) => [row.serverType, row] as const))(
    '%s: are those of the sizing tables',
    (server, row) => {
      expect(paper(server)).toEqual({
        write: row.writeKiBps,
        rewrite: row.rewriteKiBps,
        read: row.readKiBps,
        reread: row.rereadKiBps,
      });
    },
  );

  test('are of eight processes with 120 GiB each, in records of 1 MiB', () => {
    expect(parseIozone(recording('d2.8xlarge-write.txt', 'papers')).value).toMatchObject({
      version: '3.420',
      command: 'iozone -w -e -s 120G -i 0 -r 1M -t 8 -+m /home/alces/',
      fileKiB: 120 * 2 ** 20,
      recordKiB: 1024,
      processes: 8,
      parts: [{ processes: 8, leastKiB: 99_718_144 }, { leastKiB: 107_812_864 }],
    });
  });

  test('go with the averages of a process, but for two, which the paper has from another run', () => {
    const odd = TABLES.flatMap(([server]) =>
      ['write', 'read'].flatMap((part) =>
        parseIozone(recording(`${server}-${part}.txt`, 'papers'))
          .value!.parts.filter(({ averageKiBps }) => averageKiBps === undefined)
          .map(({ phase }) => `${server} ${phase}`),
      ),
    );
    expect(odd).toEqual(['d2.2xlarge read', 'd2.2xlarge reread']);
  });
});

test.each([
  ['one-thread', 1, 'write'],
  ['one-thread', 1, 'read'],
  ['eight-threads', 8, 'write'],
  ['eight-threads', 8, 'read'],
  ['distributed', 2, 'write'],
  ['distributed', 2, 'read'],
])('IOZone 3.489, %s (%i), %s', (name, processes, part) => {
  const text = recording(`iozone-3.489-${name}-${part}.txt`);
  const { value } = parseIozone(text);
  expect(value).toMatchObject({ version: '3.489', processes, recordKiB: 1024, complete: true, doubts: [] });
  expect(value!.parts.map(({ phase }) => phase)).toEqual([part, `re${part}`]);
  for (const { KiBps, averageKiBps, processes: count } of value!.parts) {
    expect(text).toContain(`${KiBps.toFixed(2)} kB/sec`);
    // The sum goes with the average: it is the children's, not the parent's.
    expect(averageKiBps! * count).toBeCloseTo(KiBps, 0);
  }
});

test.each([
  ['disk-full', /^IOZone gave up: Error writing block 4, fd= 3$/],
  ['no-files', /^IOZone gave up: /],
])('IOZone 3.489, %s: no throughput, and why', (name, problem) => {
  expect(parseIozone(recording(`iozone-3.489-${name}.txt`)).problem).toMatch(problem);
});

test('MB/s are of 10^6 bytes, and IOZone counts in 1024', () => {
  const { value } = parseIozone(iozone(8, { write: 147_717.73, rewrite: 1, read: 1, reread: 1 }));
  expect(value!.parts[0]!.MBps).toBeCloseTo(151.263, 3);
});

test('numbers that contradict each other are no measurement', () => {
  const text = iozone(2, { write: 100, rewrite: 100, read: 100, reread: 100 }).replace(
    /= +100\.00 kB/,
    '=      40.00 kB',
  );
  const { value } = parseIozone(text);
  expect(value!.parts.map(({ phase }) => phase)).toEqual(['rewrite', 'read', 'reread']);
  expect(value!.doubts).toEqual([
    "IOZone's throughput of 2 initial writers is less than that of one of them: 40 kB/s",
  ]);
});

test.each([
  ['', 'IOZone printed no throughput'],
  ['bash: iozone: command not found', 'IOZone gave up: bash: iozone: command not found'],
  [
    '\tChildren see throughput for  2 readers \t= 0.00 kB/sec\n',
    'IOZone printed no throughput of its 2 readers',
  ],
  [
    '\nCan not open temp file: iozone.tmp\nopen: Permission denied\n',
    'IOZone gave up: Can not open temp file: iozone.tmp',
  ],
  [
    'Error writing block 12, fd= 3\nwrite: No space left on device',
    'IOZone gave up: Error writing block 12, fd= 3',
  ],
  [
    '\tChildren see throughput for  2 initial writers \t= ',
    'IOZone printed no throughput of its 2 initial writers',
  ],
])('no throughput in %j: it says why', (text, problem) => {
  expect(parseIozone(text)).toEqual({ problem });
});

const WHOLE = [
  ...recordingsOf('iozone').map((name) => [name, recording(name)] as const),
  ...TABLES.flatMap(([server]) =>
    ['write', 'read'].map(
      (part) => [`paper ${server} ${part}`, recording(`${server}-${part}.txt`, 'papers')] as const,
    ),
  ),
];

test.each(WHOLE)('%s, cut off anywhere: the right numbers, or none', (_, text) => {
  const whole = new Map(partsOf(parseIozone(text).value));
  for (const beginning of beginnings(text)) {
    for (const [phase, KiBps] of partsOf(parseIozone(beginning).value)) expect(whole.get(phase)).toBe(KiBps);
  }
});

function partsOf(output: IozoneOutput | undefined): [string, number][] {
  return (output?.parts ?? []).map(({ phase, KiBps }) => [phase, KiBps]);
}

test('any numbers are read as they were printed', () => {
  const rate = fc.integer({ min: 100, max: 9_999_999_999 }).map((value) => value / 100);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 64 }),
      rate,
      rate,
      rate,
      rate,
      (count, write, rewrite, read, reread) => {
        const rates = { write, rewrite, read, reread };
        expect(Object.fromEntries(partsOf(parseIozone(iozone(count, rates)).value))).toEqual(rates);
      },
    ),
    { numRuns: 200 },
  );
});

test('any text: no exception', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), fc.string({ maxLength: 300 }), (before, after) => {
      const { value, problem } = parseIozone(`${before}\n\tChildren see throughput for 2 readers\n${after}`);
      expect(value === undefined).toBe(problem !== undefined);
    }),
  );
});
