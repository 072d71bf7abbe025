import { parseDd } from '../../../../lambda/benchmark-judge/parsers/dd';
import fc from '../../../helpers/fast-check';
import { beginnings, recording, recordingsOf } from './recordings';

test.each([
  ['dd-gnu-8.32.txt', 134_217_728, 0.18248, 2048],
  ['dd-gnu-9.1.txt', 134_217_728, 0.199805, 2048],
  ['dd-gnu-9.7.txt', 134_217_728, 0.156094, 2048],
  ['dd-gnu-9.1-german.txt', 134_217_728, 0.236829, 2048],
  ['dd-gnu-9.1-french.txt', 134_217_728, 0.212283, 2048],
  ['dd-uutils-0.0.30.txt', 134_217_728, 0.230182, 2048],
  ['dd-gnu-9.1-few-bytes.txt', 700, 0.00120511, 700],
  ['dd-gnu-9.1-interrupted.txt', 5_957_550_080, 0.526859, 90_905],
  // The last line counts, not the progress before it.
  ['dd-gnu-9.1-progress.txt', 1_966_080_000, 2.78426, 30_000],
  ['dd-gnu-9.1-disk-full.txt', 8_388_608, 0.0075434, 128],
])('%s', (name, bytes, seconds, blocks) => {
  const { value } = parseDd(recording(name));
  expect(value).toMatchObject({ bytes, seconds, recordsOut: { whole: blocks, partial: 0 } });
  expect(value!.MBps).toBeCloseTo(bytes / seconds / 1e6, 6);
});

test('a block that was not whole is counted as such', () => {
  expect(parseDd(recording('dd-gnu-9.1-partial-block.txt')).value!.recordsIn).toEqual({
    whole: 0,
    partial: 1,
  });
});

test('where the seconds are rounded to a tenth, the rate tells', () => {
  expect(parseDd(recording('dd-uutils-0.0.17.txt')).value!.MBps).toBeCloseTo(823, 6);
});

test.each(['dd-busybox-1.35.txt', 'dd-busybox-1.35-disk-full.txt'])('%s has no summary', (name) => {
  expect(parseDd(recording(name))).toEqual({ problem: 'dd printed no summary' });
});

// Formats of which there is no recording: from the sources of coreutils and busybox.
test.each([
  [
    'before coreutils 8.24',
    '16+0 records in\n16+0 records out\n1048576 bytes (1.0 MB) copied, 0.5 s, 2.1 MB/s\n',
  ],
  [
    'busybox with its summary',
    '16+0 records in\n16+0 records out\n1048576 bytes (1.0MB) copied, 0.500000 seconds, 2.0MB/s\n',
  ],
  [
    'lines ended as on Windows',
    '16+0 records in\r\n16+0 records out\r\n1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s\r\n',
  ],
])('%s', (_, text) => {
  expect(parseDd(text).value).toMatchObject({ bytes: 1_048_576, seconds: 0.5 });
});

test('progress is no result, even where the records came and the last line did not', () => {
  const progress = '1966080000 bytes (2.0 GB, 1.8 GiB) copied, 1.9 s, 1.0 GB/s\r';
  expect(parseDd(`${progress}\n30000+0 records in\n30000+0 records out\n19660`)).toEqual({
    problem: 'dd printed no summary',
  });
});

test('warnings in between are no harm', () => {
  const text = `dd: warning: partial read (31 bytes); suggest iflag=fullblock\n${recording('dd-gnu-9.1.txt')}`;
  expect(parseDd(text).value!.bytes).toBe(134_217_728);
});

test.each(recordingsOf('dd-'))('%s cut off anywhere: the right number, or none', (name) => {
  const text = recording(name);
  const whole = parseDd(text).value;
  for (const beginning of beginnings(text)) {
    const { value, problem } = parseDd(beginning);
    if (value) expect(value).toEqual(whole);
    else expect(problem).toMatch(/^dd /);
  }
});

test('any numbers that dd can print are read as they are', () => {
  const rounded = (value: number) => Number(value.toPrecision(6));
  fc.assert(
    fc.property(
      fc.integer({ min: 1000, max: Number.MAX_SAFE_INTEGER }),
      fc.double({ min: 1e-5, max: 1e6, noNaN: true }).map(rounded),
      fc.constantFrom('.', ','),
      (bytes, seconds, sign) => {
        const sized = `${bytes} bytes (1${sign}0 GB, 1${sign}0 GiB)`;
        // A rate with few digits, so that the seconds are what counts.
        const text =
          `7+0 records in\n7+0 records out\n${sized} copied, ` +
          `${String(seconds).replace('.', sign)} s, 1 GB/s\n`;
        const { value } = parseDd(text);
        expect(value!.bytes).toBe(bytes);
        expect(value!.seconds).toBe(seconds);
      },
    ),
    { numRuns: 300 },
  );
});

test('any text: no exception, and no number that is none', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      const { value, problem } = parseDd(text);
      expect(value === undefined).toBe(problem !== undefined);
    }),
  );
});
