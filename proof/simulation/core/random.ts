/**
 * Random numbers that a seed determines. `fork(name)` gives an independent stream, so that taking one fault away does
 * not shift the others.
 *
 * The generator is sfc32 (PractRand, "Small Fast Counting"), seeded through splitmix32; both are in the public domain.
 */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  /** @param seed any whole number; numbers that differ by a multiple of 2^53 are the same seed */
  constructor(private readonly seed: number) {
    let state = (seed ^ Math.floor(seed / 0x100000000)) >>> 0;
    const part = (): number => {
      state = (state + 0x9e3779b9) | 0;
      let mixed = state ^ (state >>> 16);
      mixed = Math.imul(mixed, 0x21f0aaad);
      mixed ^= mixed >>> 15;
      mixed = Math.imul(mixed, 0x735a2d97);
      return mixed ^ (mixed >>> 15);
    };
    this.a = part();
    this.b = part();
    this.c = part();
    for (let round = 0; round < 12; round++) this.next();
  }

  /** A stream of its own, the same for the same seed and name, whatever was drawn from this one. */
  fork(name: string): Random {
    let hash = 0x811c9dc5 ^ (this.seed >>> 0) ^ Math.floor(this.seed / 0x100000000);
    for (let index = 0; index < name.length; index++) {
      hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
      hash ^= hash >>> 13;
    }
    // The name alone leaves 32 bits; the seed gives 21 more.
    return new Random((hash >>> 0) + (this.seed & 0x1fffff) * 0x100000000);
  }

  /** A number from 0 up to but not 1. */
  next(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    return (sum >>> 0) / 0x100000000;
  }

  /** A whole number, both ends included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** A number from one to another. */
  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  /** True with this probability. Draws one number also for 0 and 1. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of the items. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('nothing to pick from');
    return items[Math.floor(this.next() * items.length)]!;
  }
  /** All of them in another order. */
  shuffle<T>(items: readonly T[]): T[] {
    const left = [...items];
    const mixed: T[] = [];
    while (left.length > 0) mixed.push(...left.splice(this.int(0, left.length - 1), 1));
    return mixed;
  }
}
