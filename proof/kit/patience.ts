/**
 * Waiting as long as something moves. A fixed second would say how fast the machine has to be: beside other work it is
 * missed, although all is well. What moves nothing any more for a while ends.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { OWN_AGENT } from './agent-name';

/** For so long nothing may move. */
export const QUIET_SECONDS = 120;
/** The end of every wait: what goes round in circles moves as well. */
export const LONGEST_SECONDS = 3600;
/** A look counts for no more than this: whoever waits gets no processor, and neither does what is waited for. */
const LONGEST_LOOK_SECONDS = 2;
/** What a process that only waits uses in the time that it is waited for is less than this. */
const PROCESSOR_SECONDS = 3;
const TICKS_PER_SECOND = 100;

/** What is another text when something has moved. */
export type Signs = () => string;

const followed = new Set<Signs>();

/** From now on waits go on while these change. @returns what ends that */
export function follow(signs: Signs): () => void {
  followed.add(signs);
  return () => followed.delete(signs);
}

/** One wait, which is asked at each look whether it is over. */
export class Patience {
  private readonly started: number;
  private last: string;
  private looked: number;
  private quiet = 0;

  constructor(
    private readonly quietSeconds = QUIET_SECONDS,
    private readonly now: () => number = () => Date.now() / 1000,
    private readonly signs: Signs = () => [...followed].map((one) => one()).join(),
  ) {
    this.started = this.looked = now();
    this.last = signs();
  }

  /** Why there is nothing to wait for any more; undefined while there is. */
  lost(): string | undefined {
    const now = this.now();
    const signs = this.signs();
    this.quiet = signs === this.last ? this.quiet + Math.min(now - this.looked, LONGEST_LOOK_SECONDS) : 0;
    this.last = signs;
    this.looked = now;
    if (this.quiet > this.quietSeconds) return `nothing moved for ${this.quietSeconds} s`;
    return now - this.started > LONGEST_SECONDS ? `it went on for ${LONGEST_SECONDS} s` : undefined;
  }
}

/** Who looks moves nothing. */
const LOOKS = /"action": ?"(Describe|Get|List|Query|Scan|BatchGet|Lookup|Search|Head|Filter)/;

/** What happens in an embedded AWS: transitions, and API calls that change something and are not the demo's own. */
export function signsOfCloud(state: string): Signs {
  const history = countLines(join(state, 'history.jsonl'), () => true);
  const calls = countLines(
    join(state, 'api-calls.jsonl'),
    (line) => !LOOKS.test(line) && !line.includes(OWN_AGENT),
  );
  return () => `${history()} ${calls()}`;
}

/** Counts the lines of a file that grows, and reads none of them twice. */
function countLines(file: string, counts: (line: string) => boolean): () => number {
  let [position, found, rest] = [0, 0, ''];
  const buffer = Buffer.alloc(1 << 20);
  return () => {
    for (;;) {
      const size = readAt(file, buffer, position);
      if (size === 0) return found;
      position += size;
      const lines = (rest + buffer.toString('latin1', 0, size)).split('\n');
      rest = lines.pop() ?? '';
      found += lines.filter(counts).length;
    }
  };
}

function readAt(file: string, buffer: Buffer, position: number): number {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    return 0;
  }
  try {
    return readSync(descriptor, buffer, 0, buffer.length, position);
  } finally {
    closeSync(descriptor);
  }
}

/** What a process group computes. Where the system does not tell it is always the same. */
export function signsOfGroup(group: number): Signs {
  return () => String(Math.floor(processorSeconds(group) / PROCESSOR_SECONDS));
}

function processorSeconds(group: number): number {
  let ticks = 0;
  for (const name of listProcesses()) {
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'latin1');
      // After the name, which may hold anything: state, parent, group, ...; proc_pid_stat(5).
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      if (Number(fields[2]) !== group) continue;
      for (const at of [11, 12, 13, 14]) ticks += Number(fields[at]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks / TICKS_PER_SECOND;
}

function listProcesses(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
