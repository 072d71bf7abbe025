import { AddressPool } from '../../../constructs/grid-network/address-pool';
import {
  contains,
  formatAddress,
  formatCidr,
  isPrivate,
  middleHalf,
  overlaps,
  parseCidr,
  prefixLength,
  type Range,
} from '../../../constructs/grid-network/cidr';
import fc from '../../helpers/fast-check';

const range = (min = 0, max = 32) =>
  fc.tuple(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min, max })).map(
    ([address, prefix]): Range => ({
      first: address - (address % 2 ** (32 - prefix)),
      size: 2 ** (32 - prefix),
    }),
  );

test('a range survives being written and read', () => {
  fc.assert(fc.property(range(), (r) => expect(parseCidr(formatCidr(r))).toEqual(r)));
});

test('a range that does not start at its first address is refused', () => {
  fc.assert(
    fc.property(range(1, 31), fc.nat(), (r, n) => {
      const offset = 1 + (n % (r.size - 1));
      expect(parseCidr(`${formatAddress(r.first + offset)}/${prefixLength(r)}`)).toBeUndefined();
    }),
  );
});

test.each([
  '',
  '10.0.0.0',
  '10.0.0/8',
  '10.0.0.256/32',
  '10.0.0.0/33',
  '10.0.0.0/-1',
  'a.b.c.d/8',
  ' 10.0.0.0/8',
  '::/0',
])('%j is no range', (text) => expect(parseCidr(text)).toBeUndefined());

test('two ranges overlap exactly when one has the other', () => {
  fc.assert(
    fc.property(range(), range(), (a, b) => {
      expect(overlaps(a, b)).toBe(contains(a, b) || contains(b, a));
      expect(overlaps(a, b)).toBe(overlaps(b, a));
    }),
  );
});

test('private ranges', () => {
  for (const text of ['172.16.0.0/20', '10.0.0.0/8', '192.168.7.0/24', '100.64.0.0/16']) {
    expect(isPrivate(parseCidr(text)!)).toBe(true);
  }
  for (const text of ['172.32.0.0/16', '8.8.8.0/24', '172.0.0.0/8'])
    expect(isPrivate(parseCidr(text)!)).toBe(false);
});

test('the middle half is half of the subnet, and has none of the addresses that AWS keeps', () => {
  fc.assert(
    fc.property(range(16, 28), (subnet) => {
      const halves = middleHalf(subnet);
      expect(halves.reduce((sum, { size }) => sum + size, 0)).toBe(subnet.size / 2);
      for (const half of halves) {
        expect(parseCidr(formatCidr(half))).toEqual(half);
        expect(half.first).toBeGreaterThanOrEqual(subnet.first + 4);
        expect(half.first + half.size).toBeLessThan(subnet.first + subnet.size);
      }
      expect(overlaps(halves[0]!, halves[1]!)).toBe(false);
    }),
  );
});

test('a pool gives every address to one owner only, and the same ones each time', () => {
  const requests = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 30 });
  fc.assert(
    fc.property(range(20, 28), requests, (subnet, counts) => {
      const run = () => {
        const pool = new AddressPool(middleHalf(subnet));
        return counts.map((count) => pool.take(count));
      };
      const taken = run();
      expect(run()).toEqual(taken);
      const addresses = taken.flatMap((list) => list ?? []);
      expect(new Set(addresses).size).toBe(addresses.length);
      for (const address of addresses) {
        expect(middleHalf(subnet).some((half) => contains(half, parseCidr(`${address}/32`)!))).toBe(true);
      }
      for (const [i, list] of taken.entries()) expect(list?.length ?? counts[i]).toBe(counts[i]);
    }),
  );
});

test('a tier that grows within eight addresses moves nobody', () => {
  const ranges = [parseCidr('172.16.4.64/26')!];
  const [before, after] = [new AddressPool(ranges), new AddressPool(ranges)];
  before.take(3);
  after.take(6);
  expect(after.take(2)).toEqual(before.take(2));
});
