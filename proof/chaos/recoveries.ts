import type { Evidence } from '../kit/record/evidence';
import { States } from '../kit/record/model';

/** A slot that lost its server, until another one served it. */
export interface Recovery {
  readonly slot: string;
  readonly lost: string;
  readonly served?: string;
  /** Seconds since 1970: the lost server left the state `running`. */
  readonly from: number;
  /** From then until the map calls the slot served again; missing when it never was. */
  readonly seconds?: number;
  /** Servers that owned the slot in between and did not get to serve it. */
  readonly failedOwners: number;
}

/** What the recoveries took. */
export interface RecoverySummary {
  readonly count: number;
  readonly medianSeconds: number;
  /** 95 of 100 took no longer. */
  readonly p95Seconds: number;
  readonly worstSeconds: number;
  readonly unfinished: number;
}

const ENDING = ['shutting-down', 'stopping', 'stopped', 'terminated'];

/** All recoveries out of the evidence, in the order of their beginnings. */
export function recoveriesOf(evidence: Evidence): Recovery[] {
  const states = new States(evidence);
  const found: Recovery[] = [];
  const slots = new Set(evidence.writes.filter(({ kind }) => kind === 'served').map(({ slot }) => slot));
  for (const slot of slots) {
    const own = evidence.writes.filter((write) => write.slot === slot);
    const served = own.filter(({ kind }) => kind === 'served');
    served.forEach((write, position) => {
      const from = states.first(write.owner, ENDING, 0);
      const next = served.slice(position + 1).find(({ owner }) => owner !== write.owner);
      // A host that was told again serves on: nothing was lost in between.
      if (from === undefined || served[position + 1]?.owner === write.owner) return;
      const until = next?.answered;
      const tries = own.filter(
        ({ kind, answered }) => kind === 'claim' && answered >= from && answered <= (until ?? Infinity),
      ).length;
      found.push({
        slot,
        lost: write.owner,
        served: next?.owner,
        from,
        seconds: until === undefined ? undefined : Math.max(0, until - from),
        failedOwners: Math.max(0, tries - (next ? 1 : 0)),
      });
    });
  }
  return found.sort((a, b) => a.from - b.from);
}

/** Zeros when there was none. */
export function summaryOf(recoveries: readonly Recovery[]): RecoverySummary {
  const times = recoveries.flatMap(({ seconds }) => seconds ?? []).sort((a, b) => a - b);
  const quantile = (part: number) => times[Math.max(0, Math.ceil(part * times.length) - 1)] ?? 0;
  return {
    count: recoveries.length,
    medianSeconds: quantile(0.5),
    p95Seconds: quantile(0.95),
    worstSeconds: times.at(-1) ?? 0,
    unfinished: recoveries.length - times.length,
  };
}
