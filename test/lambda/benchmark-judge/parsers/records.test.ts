import { ofKind, parseRecords } from '../../../../lambda/benchmark-judge/parsers/records';
import { MARK } from '../../../../lambda/shared/benchmark/observations';
import fc from '../../../helpers/fast-check';
import { lustreSample, say } from '../samples';

const SAMPLE = Object.values(lustreSample().outputs['1-sas-io-saswork']!)[0]!;

test('takes the output of a program apart', () => {
  const records = parseRecords(SAMPLE);
  expect(records).toMatchObject({ done: true, unreadable: [] });
  expect(ofKind(records, 'host')).toMatchObject([{ physicalCores: 16, memoryMiB: 249_856 }]);
  expect(ofKind(records, 'setup')).toMatchObject([{ processes: 16, reduced: false }]);
  expect(ofKind(records, 'phase').map(({ phase }) => phase)).toEqual(['write', 'read']);
  expect(records.raw).toHaveLength(32);
  expect(records.raw[3]).toMatchObject({ tool: 'dd', phase: 'write', process: 3, ended: true });
  expect(records.raw[3]!.text).toMatch(/^\d+\+0 records in\n\d+\+0 records out\n\d+ bytes .+ MB\/s$/);
});

test('lines may end as on Windows', () => {
  expect(parseRecords(SAMPLE.replaceAll('\n', '\r\n'))).toEqual(parseRecords(SAMPLE));
});

test('whatever else there is between the marks is no harm', () => {
  const noisy = SAMPLE.split('\n')
    .flatMap((line) =>
      line.startsWith(MARK) ? ['setlocale: LC_ALL: cannot change locale', '\u0000\ufffd{', line] : [line],
    )
    .join('\n');
  expect(parseRecords(noisy).observations).toEqual(parseRecords(SAMPLE).observations);
});

test('a tool that does not end its last line leaves the mark in the middle of one', () => {
  const { raw, done } = parseRecords(
    `${say({ kind: 'raw', tool: 'fio' })}\n{"jobs":[]}${say({ kind: 'done' })}`,
  );
  expect(raw).toMatchObject([{ tool: 'fio', text: '{"jobs":[]}', ended: true }]);
  expect(done).toBe(true);
});

test('a block that nothing follows may not be whole', () => {
  expect(parseRecords(`${say({ kind: 'raw', tool: 'fio' })}\n{"jobs"`).raw).toMatchObject([{ ended: false }]);
});

test('a refusal is kept with its reason', () => {
  const records = parseRecords(
    say({ kind: 'refused', reason: 'no-room', text: '3 GiB are free, 40 GiB are needed' }),
  );
  expect(ofKind(records, 'refused')).toMatchObject([{ reason: 'no-room' }]);
  expect(records.done).toBe(false);
});

test.each([
  ['no JSON', '{"kind":"phase","phase":"wri'],
  ['not an object', '["done"]'],
  ['a kind that does not exist', '{"kind":"bonus"}'],
  ['a name that every object has', '{"kind":"constructor"}'],
  ['a phase that ended before it began', phase({ startedAt: 20, endedAt: 10 })],
  ['a phase without its bytes', phase({ bytes: undefined })],
  ['less than no bytes', phase({ bytes: -1 })],
  ['text for a number', phase({ bytes: '12' })],
  [
    'more than a number holds',
    '{"kind":"phase","phase":"write","startedAt":1,"endedAt":2,"bytes":1e999,"processes":1}',
  ],
  [
    'a set-up that does not say whether caches were dropped',
    '{"kind":"setup","test":"sas-io","processes":1,"fileMiB":1,"blockKiB":64,"reduced":false,"data":"zero"}',
  ],
])('%s: is left out and named', (_, json) => {
  const records = parseRecords(`${MARK} ${json}\n${say({ kind: 'done' })}`);
  expect(records.observations).toEqual([{ kind: 'done' }]);
  expect(records.unreadable).toHaveLength(1);
});

function phase(fields: Record<string, unknown>): string {
  return JSON.stringify({
    kind: 'phase',
    phase: 'write',
    startedAt: 1,
    endedAt: 2,
    bytes: 3,
    processes: 1,
    ...fields,
  });
}

test('cut off anywhere: what is read is the beginning of the whole', () => {
  const whole = parseRecords(SAMPLE).observations;
  fc.assert(
    fc.property(fc.nat(SAMPLE.length), (length) => {
      const { observations, done } = parseRecords(SAMPLE.slice(0, length));
      expect(observations).toEqual(whole.slice(0, observations.length));
      expect(done).toBe(observations.length === whole.length);
    }),
    { numRuns: 200 },
  );
});

test('any text: no exception', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string(),
          fc.json().map((json) => `${MARK} ${json}`),
        ),
      ),
      (lines) => {
        expect(parseRecords(lines.join('\n')).observations.length).toBeLessThanOrEqual(lines.length);
      },
    ),
  );
});
