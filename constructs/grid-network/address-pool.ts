import { formatAddress, type Range } from './cidr';

// An owner's addresses start at a multiple of this: a tier that grows within it moves nobody else's address.
export const STEP = 8;

/**
 * Hands out fixed addresses from reserved ranges, in order of the requests. Pure: the same requests, the same
 * addresses.
 */
export class AddressPool {
  private readonly addresses: number[];
  private next = 0;

  constructor(ranges: readonly Range[]) {
    this.addresses = ranges.flatMap(({ first, size }) => Array.from({ length: size }, (_, i) => first + i));
  }

  /** How many addresses the pool has in all. */
  get size(): number {
    return this.addresses.length;
  }

  /** How many are left for the next owner. */
  get free(): number {
    return this.addresses.length - this.next;
  }

  /** The next `count` addresses; undefined when there are not so many left. */
  take(count: number): string[] | undefined {
    if (count > this.free) return undefined;
    const taken = this.addresses.slice(this.next, this.next + count);
    this.next = Math.min(this.addresses.length, this.next + Math.ceil(count / STEP) * STEP);
    return taken.map(formatAddress);
  }
}
