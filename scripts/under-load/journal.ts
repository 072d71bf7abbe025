/**
 * What was run so far: a file with a line for each run that came to its end, of one state of the code. A run that was interrupted has
 * none, and is made again.
 */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Trial } from './plan';

/** One run that ended by itself. */
export interface Result {
  readonly name: string;
  readonly passed: boolean;
  /** From its start to its end. */
  readonly seconds: number;
  /** Its log, where it failed. */
  readonly log?: string;
}

export class Journal {
  readonly results: Result[] = [];
  /** Why nothing of the file counts, where it held something. */
  readonly begunAnew?: string;

  /**
   * @param file one JSON document a line: the code first, then results
   * @param code what identifies the code: a result counts for no other
   */
  constructor(
    private readonly file: string,
    code: string,
  ) {
    const [first, ...rest] = existsSync(file) ? documents(readFileSync(file, 'utf8')) : [];
    const earlier = (first as { code?: string } | undefined)?.code;
    if (earlier === code) {
      this.results.push(...(rest as Result[]));
      // Without what a run that was killed wrote of a line.
      this.write(code);
      return;
    }
    if (earlier !== undefined)
      this.begunAnew = `${rest.length} results are of ${earlier}, and the code is ${code}`;
    this.write(code);
  }

  add(result: Result): void {
    this.results.push(result);
    appendFileSync(this.file, `${JSON.stringify(result)}\n`);
  }

  of(trial: Trial): Result[] {
    return this.results.filter(({ name }) => name === trial.name);
  }

  /** The trials that are still to be run, each once for each time: in turns, so that early on each has been tried. */
  remaining(trials: Trial[]): Trial[] {
    const left = trials.map((trial) => Math.max(0, trial.times - this.of(trial).length));
    const rounds = Array.from({ length: Math.max(0, ...left) }, (_, round) => round);
    return rounds.flatMap((round) => trials.filter((_, index) => left[index]! > round));
  }

  private write(code: string): void {
    const lines = [{ code }, ...this.results].map((document) => `${JSON.stringify(document)}\n`);
    // Replaced in one step: whoever is killed here loses nothing.
    writeFileSync(`${this.file}.new`, lines.join(''));
    renameSync(`${this.file}.new`, this.file);
  }
}

/** The documents of a file up to the first line that is none: whoever was killed wrote a part of it. */
function documents(text: string): unknown[] {
  const found: unknown[] = [];
  for (const line of text.split('\n').filter(Boolean)) {
    try {
      found.push(JSON.parse(line));
    } catch {
      break;
    }
  }
  return found;
}
