import { busySeconds, ratesOf, type Window } from '../../../../lambda/benchmark-judge/analysis/windows';
import fc from '../../../helpers/fast-check';

const window = (startedAt: number, endedAt: number, megabytes: number): Window => ({
  startedAt,
  endedAt,
  bytes: megabytes * 1e6,
});

test('hosts that run together: all bytes from the earliest start to the latest end', () => {
  const rates = ratesOf({ a: [window(100, 110, 1000)], b: [window(101, 112, 1200)] })!;
  expect(rates.MBps).toBeCloseTo(2200 / 12, 9);
  expect(rates).toMatchObject({ seconds: 12, perHost: { a: 100, b: 1200 / 11 } });
  expect(rates.atMostMBps).toBeCloseTo(100 + 1200 / 11, 9);
  expect(rates.overlap).toBeCloseTo(9 / 11, 9);
});

test('a clock that is wrong by a day does not make a day of it', () => {
  const rates = ratesOf({ a: [window(100, 110, 1000)], b: [window(86_500, 86_510, 1000)] })!;
  // As if one had run after the other; it may have been twice as much.
  expect(rates).toMatchObject({ MBps: 100, atMostMBps: 200, overlap: 0, seconds: 20 });
});

test('one host with several parts, one after the other or at the same time', () => {
  expect(ratesOf({ a: [window(0, 10, 1000), window(20, 30, 3000)] })).toMatchObject({
    MBps: 200,
    perHost: { a: 200 },
    overlap: 1,
  });
  expect(ratesOf({ a: [window(0, 10, 1000), window(5, 20, 3000)] })).toMatchObject({
    MBps: 200,
    seconds: 20,
  });
});

test('without a host there is no rate', () => {
  expect(ratesOf({})).toBeUndefined();
  expect(ratesOf({ a: [] })).toBeUndefined();
});

const anyWindow = fc
  .tuple(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 1, max: 1e5 }), fc.integer({ min: 1, max: 1e6 }))
  .map(([start, length, megabytes]) => window(start / 10, (start + length) / 10, megabytes));
const anyHosts = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd'),
  fc.array(anyWindow, { minLength: 1, maxLength: 3 }),
  { minKeys: 1 },
);

test('what hosts did together is at least that of each alone over all time, and at most the sum of them', () => {
  fc.assert(
    fc.property(anyHosts, (hosts) => {
      const { MBps, atMostMBps, perHost, seconds, overlap } = ratesOf(hosts)!;
      const bytes = Object.values(hosts)
        .flat()
        .reduce((sum, one) => sum + one.bytes, 0);
      expect(MBps * seconds * 1e6).toBeCloseTo(bytes, -3);
      const sum = Object.values(perHost).reduce((total, rate) => total + rate, 0);
      expect(MBps).toBeLessThanOrEqual(sum * (1 + 1e-9));
      expect(atMostMBps).toBeGreaterThanOrEqual(sum);
      expect(overlap).toBeGreaterThanOrEqual(0);
      expect(overlap).toBeLessThanOrEqual(1);
    }),
  );
});

test('more bytes in the same time never lower the figure, and a longer time never raises it', () => {
  fc.assert(
    fc.property(anyHosts, fc.nat(3), fc.double({ min: 1, max: 10, noNaN: true }), (hosts, index, factor) => {
      const names = Object.keys(hosts);
      const name = names[index % names.length]!;
      const [first, ...rest] = hosts[name]!;
      const with_ = (changed: Window) => ratesOf({ ...hosts, [name]: [changed, ...rest] })!.MBps;
      const before = ratesOf(hosts)!.MBps * (1 - 1e-9);
      expect(with_({ ...first!, bytes: first!.bytes * factor })).toBeGreaterThanOrEqual(before);
      expect(before).toBeGreaterThanOrEqual(
        with_({ ...first!, endedAt: first!.endedAt + factor }) * (1 - 2e-9),
      );
    }),
  );
});

test('the busy time is that in which at least one ran', () => {
  expect(busySeconds([window(0, 10, 1), window(5, 8, 1), window(9, 12, 1), window(20, 21, 1)])).toBe(13);
});
