import type { Random } from '../core/random';

const MINUTE = 60_000;

/** Mostly at the short end: what hangs for half an hour is rare, and costs many calls. */
export function longOrShort(random: Random, shortest: number, longest: number): number {
  return Math.round(shortest + (longest - shortest) * random.next() ** 4);
}

/** What fails its checks, or is stopped, mostly goes down as others do. */
export function hanging(random: Random): { hangMs?: number } {
  return random.chance(0.3) ? { hangMs: longOrShort(random, MINUTE, 30 * MINUTE) } : {};
}

/** Some volume of some slot. */
export function anyVolume(random: Random, slots: number, volumes: number): { slot: number; volume: number } {
  return { slot: random.int(0, slots - 1), volume: random.int(0, volumes - 1) };
}
