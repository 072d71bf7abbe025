import { parseLnet } from '../../../../lambda/benchmark-judge/parsers/lnet';
import { parseObdfilter } from '../../../../lambda/benchmark-judge/parsers/obdfilter';
import fc from '../../../helpers/fast-check';
import { beginnings } from './recordings';

// Not recorded: Lustre does not run where these tests do. The formats are those of the Lustre Operations Manual.
const LNET = `[LNet Rates of clients]
[W] Avg: 1108 RPC/s Min: 1060 RPC/s Max: 1155 RPC/s
[R] Avg: 2215 RPC/s Min: 2121 RPC/s Max: 2310 RPC/s
[LNet Bandwidth of clients]
[W] Avg: 16.60 MB/s Min: 16.10 MB/s Max: 17.1 MB/s
[R] Avg: 40.49 MB/s Min: 40.30 MB/s Max: 40.68 MB/s
[LNet Rates of servers]
[R] Avg: 1108     RPC/s Min: 1060     RPC/s Max: 1155     RPC/s
[W] Avg: 2215     RPC/s Min: 2121     RPC/s Max: 2310     RPC/s
[LNet Bandwidth of servers]
[R] Avg: 33.20    MiB/s Min: 16.10    MiB/s Max: 50.30    MiB/s
[W] Avg: 80.98    MiB/s Min: 40.30    MiB/s Max: 99.10    MiB/s
`;

const OST = 'ost  3 sz 25165824K rsz 1024K obj';
const SURVEY = `Sun Nov 22 11:04:12 UTC 2026 Obdfilter-survey for case=disk from oss-1
${OST}    3 thr    3 write  412.18 [ 120.92, 151.89] rewrite  405.61 [ 118.92, 149.90] read  801.33 [ 251.77, 282.80]
${OST}    3 thr   12 write  568.41 [ 160.92, 216.89] rewrite  571.09 [ 181.92, 199.90] read 1203.70 [ 381.77, 412.80]
${OST}   12 thr   48 write  502.11           SHORT rewrite  511.42           SHORT read 1101.05           SHORT
done!
`;

test('LNet self-test: bandwidth of each group, 2^20 bytes a MB', () => {
  expect(parseLnet(LNET).value).toEqual([
    { group: 'clients', sentMBps: 16.6 * 1.048576, receivedMBps: 40.49 * 1.048576, samples: 1 },
    { group: 'servers', sentMBps: 80.98 * 1.048576, receivedMBps: 33.2 * 1.048576, samples: 1 },
  ]);
});

test('LNet self-test: the mean of several samples', () => {
  const twice = `${LNET}${LNET.replace('16.60', '20.60')}`;
  expect(parseLnet(twice).value![0]).toMatchObject({ sentMBps: 18.6 * 1.048576, samples: 2 });
});

test.each([
  '',
  'lst: Create session failed: Connection refused\n',
  '[LNet Rates of clients]\n[W] Avg: 1108 RPC/s Min: 1060 RPC/s Max: 1155 RPC/s\n',
])('no bandwidth in %j', (text) => expect(parseLnet(text)).toEqual({ problem: 'lst printed no bandwidth' }));

test('obdfilter-survey: the best line of each kind, all targets together', () => {
  expect(parseObdfilter(SURVEY).value).toEqual({
    targets: 3,
    writeMBps: 568.41 * 1.048576,
    rewriteMBps: 571.09 * 1.048576,
    readMBps: 1203.7 * 1.048576,
    lines: 3,
  });
});

test('obdfilter-survey: a test that failed has no number', () => {
  const failed =
    'ost  1 sz 1048576K rsz 1024K obj    1 thr    1 write  ERROR rewrite  ERROR read  801.33 [ 251.77, 282.80]\n';
  expect(parseObdfilter(failed).value).toMatchObject({ readMBps: 801.33 * 1.048576, writeMBps: undefined });
  expect(parseObdfilter('ERROR: no devices\n')).toEqual({
    problem: 'obdfilter-survey printed no throughput',
  });
});

test('cut off anywhere: each number is one that the whole has', () => {
  const rates = new Set(
    [...LNET.matchAll(/[\d.]+/g), ...SURVEY.matchAll(/[\d.]+/g)].map(([text]) => Number(text) * 1.048576),
  );
  for (const beginning of beginnings(LNET)) {
    for (const { sentMBps, receivedMBps } of parseLnet(beginning).value ?? [])
      expect([rates.has(sentMBps), rates.has(receivedMBps)]).toEqual([true, true]);
  }
  for (const beginning of beginnings(SURVEY)) {
    const { writeMBps, rewriteMBps, readMBps } = parseObdfilter(beginning).value ?? {};
    for (const rate of [writeMBps, rewriteMBps, readMBps])
      if (rate !== undefined) expect(rates).toContain(rate);
  }
});

test('any text: no exception', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(parseLnet(`[LNet Bandwidth of a]\n[R] Avg: ${text} MB/s`).value).toBeUndefined();
      expect(parseObdfilter(`ost 1 sz 1K rsz 1K obj 1 thr 1 write ${text}`).problem === undefined).toBe(
        /^\d+(\.\d+)?\s+(\[|SHORT)/.test(text.trim()),
      );
    }),
  );
});
