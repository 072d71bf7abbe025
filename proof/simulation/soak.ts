import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Definition } from './definition';
import { Summary, type SummaryData } from './summary';

/** How often the file is written, milliseconds: what a soak that is killed has to do again. */
const WRITE_EVERY_MS = 5_000;

/** Results of many runs of the same code, as they lie in a file: several calls of the command add to them. */
export interface SoakData {
  /** What was run (`codeOf`): results of other code prove nothing of it. */
  readonly code: string;
  readonly firstSeed: number;
  /** All seeds before this one are done. */
  nextSeed: number;
  /** How long the calls of the command took together. */
  seconds: number;
  /** How many calls of the command it took. */
  sessions: number;
  /** When the first of them began, ISO 8601. */
  readonly begunAt: string;
  readonly summary: SummaryData;
}

/**
 * Stands for all that decides what a seed does: the simulation with the functions in it, and what the construct
 * synthesizes.
 */
export function codeOf(bundle: string, definition: Definition): string {
  const hash = createHash('sha256').update(readFileSync(bundle)).update(JSON.stringify(definition));
  return hash.digest('hex').slice(0, 16);
}

/** A soak that goes on where it was interrupted. */
export class Soak {
  /** Chunks that are done while one before them is not. */
  private readonly early = new Map<number, { readonly count: number; readonly summary: SummaryData }>();
  private readonly total: Summary;
  private readonly secondsBefore: number;
  private readonly begun = Date.now();
  private written = 0;

  private constructor(
    private readonly file: string,
    readonly data: SoakData,
  ) {
    this.total = new Summary(data.summary);
    this.secondsBefore = data.seconds;
    data.sessions += 1;
  }

  /**
   * Takes up what is in the file. What other code or another first seed left there is kept beside it, as
   * `<file>.before`, and a new soak begins.
   *
   * @throws Error when the file is no soak's
   */
  static open(file: string, code: string, firstSeed: number): Soak {
    const found = existsSync(file) ? read(file) : undefined;
    if (found?.code === code && found.firstSeed === firstSeed) return new Soak(file, found);
    if (found !== undefined) renameSync(file, `${file}.before`);
    mkdirSync(dirname(file), { recursive: true });
    const begunAt = new Date().toISOString();
    const summary = new Summary().data;
    return new Soak(file, {
      code,
      firstSeed,
      nextSeed: firstSeed,
      seconds: 0,
      sessions: 0,
      begunAt,
      summary,
    });
  }

  /** Seeds from the first on that are done, whatever was done beyond. */
  get runs(): number {
    return this.data.nextSeed - this.data.firstSeed;
  }

  /** Seeds were run. Only what follows without a gap counts, so that the next call goes on at one seed. */
  note(first: number, count: number, summary: SummaryData): void {
    this.early.set(first, { count, summary });
    for (;;) {
      const next = this.early.get(this.data.nextSeed);
      if (next === undefined) break;
      this.early.delete(this.data.nextSeed);
      this.total.merge(next.summary);
      this.data.nextSeed += next.count;
    }
    if (Date.now() - this.written >= WRITE_EVERY_MS) this.write();
  }

  /** Writes the file as a whole: one that is killed meanwhile leaves the one before. */
  write(): void {
    this.written = Date.now();
    this.data.seconds = this.secondsBefore + (this.written - this.begun) / 1000;
    const half = `${this.file}.${process.pid}`;
    writeFileSync(half, `${JSON.stringify(this.data, null, 2)}\n`);
    renameSync(half, this.file);
  }
}

function read(file: string): SoakData {
  const found = parsed(file) as Partial<SoakData> | undefined;
  const whole = Number.isInteger(found?.firstSeed) && Number.isInteger(found?.nextSeed);
  if (typeof found?.code === 'string' && whole && typeof found.summary === 'object') return found as SoakData;
  throw new Error(`${file} is no result of a soak; name another file with --resume, or remove it`);
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
