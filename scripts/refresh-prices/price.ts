import type { Row } from './csv';

/** A price of an offer file in USD, on demand, in the region itself; undefined: the row is something else. */
export function usdOf(row: Row, region: string): number | undefined {
  const usd = Number(row.PricePerUnit);
  if (row.TermType !== 'OnDemand' || row.Currency !== 'USD' || !(usd > 0)) return undefined;
  // A region's file has the prices of its local zones, wavelength zones and outposts as well.
  if ((row['Location Type'] ?? 'AWS Region') !== 'AWS Region') return undefined;
  return (row['Region Code'] || region) === region ? usd : undefined;
}

/**
 * Prices by what they are for. What has two that differ is left out: the file has something that is not understood, and
 * no price is better than the wrong one.
 */
export class Prices {
  private readonly found = new Map<string, number>();
  private readonly doubtful = new Set<string>();

  add(what: string, usd: number): void {
    const before = this.found.get(what);
    if (before !== undefined && before !== usd) this.doubtful.add(what);
    else this.found.set(what, usd);
  }

  /** Undefined also for what has two. */
  get(what: string): number | undefined {
    return this.doubtful.has(what) ? undefined : this.found.get(what);
  }

  /** Those that are sure. */
  get all(): ReadonlyMap<string, number> {
    return new Map([...this.found].filter(([what]) => !this.doubtful.has(what)));
  }

  /** What has two. */
  get left(): readonly string[] {
    return [...this.doubtful].sort();
  }
}
