/**
 * What was run so far: a file with a line for each run that came to its end, of one state of the code. A run that was
 * interrupted has none, and is made again.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** The results of runs that ended by themselves. */
export class Journal<Result extends object> {
  readonly results: Result[] = [];
  /** Why nothing of the file counts, where it held something. */
  readonly begunAnew?: string;

  /**
   * @param file one JSON document a line: the code first, then results
   * @param code what identifies the code: a result counts for no other
   * @param anew whether what is in the file does not count
   */
  constructor(
    private readonly file: string,
    code: string,
    anew = false,
  ) {
    if (anew) rmSync(file, { force: true });
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

/** The code in a checkout, with what is not in a commit. */
export function codeOf(root: string): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  const commit = git('rev-parse', '--short=12', 'HEAD').trim();
  const changes = git('status', '--porcelain') && git('diff', 'HEAD') + git('status', '--porcelain');
  return changes ? `${commit}+${createHash('sha256').update(changes).digest('hex').slice(0, 8)}` : commit;
}
