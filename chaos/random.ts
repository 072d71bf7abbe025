/** Random numbers of one seed: the same seed gives the same numbers, on every machine. */
export class Random {
  private state: number;

  constructor(private readonly seed: number) {
    this.state = seed >>> 0;
  }

  /** An independent stream, so that what one part draws does not shift what another one draws. */
  fork(name: string): Random {
    let hash = 2166136261; // FNV-1a
    for (const character of `${this.seed} ${name}`) {
      hash = Math.imul(hash ^ character.codePointAt(0)!, 16777619);
    }
    return new Random(hash >>> 0);
  }

  /** A number from 0 to below 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** A number from one to another. */
  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  /** A whole number from one to another, both possible. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of several. */
  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)] as T;
  }

  /** All of them in another order. */
  shuffle<T>(items: readonly T[]): T[] {
    const found = [...items];
    for (let last = found.length - 1; last > 0; last--) {
      const other = this.int(0, last);
      [found[last], found[other]] = [found[other] as T, found[last] as T];
    }
    return found;
  }
}
