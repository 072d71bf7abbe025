import { type Parsed, toolLines } from './parsed';

/** What all processes of an IOZone throughput test saw in one of its parts. */
export interface IozonePart {
  /** `write`, `rewrite`, `read`, `reread`, or what IOZone calls it. */
  readonly phase: string;
  readonly processes: number;
  /** Sum over the processes. IOZone's kB is 1024 bytes: it counts 120G as 125829120 kB. */
  readonly KiBps: number;
  /** MB/s of 10^6 bytes. */
  readonly MBps: number;
  readonly averageKiBps?: number;
  /** What the slowest process had moved when the first one was done. */
  readonly leastKiB?: number;
}

export interface IozoneOutput {
  readonly version?: string;
  readonly command?: string;
  readonly fileKiB?: number;
  readonly recordKiB?: number;
  readonly processes?: number;
  readonly parts: IozonePart[];
  /** `iozone test complete.` was there. */
  readonly complete: boolean;
  /** Parts that cannot be relied on, a sentence each. */
  readonly doubts: string[];
}

// 3.420 says KB, 3.489 says kB.
const RATE = /(\d+(?:\.\d+)?)\s+kB\/sec\b/i;
// The last word is whole: a label that was cut off names another test.
const CHILDREN =
  /Children see throughput for\s+(\d+)\s+((?:[a-z-]+ )*?[a-z-]*(?:writers|readers|workload))\b/i;
const PHASES: { readonly [label: string]: string } = {
  'initial writers': 'write',
  writers: 'write',
  rewriters: 'rewrite',
  're-writers': 'rewrite',
  'initial readers': 'read',
  readers: 'read',
  rereaders: 'reread',
  're-readers': 'reread',
};

/**
 * Reads an IOZone throughput test (`-t`), local or distributed (`-+m`).
 *
 * The numbers are taken by their order, not by the label in front of them: the first rate of a part is what the
 * children saw. That holds for IOZone's own output, and for one whose columns were torn apart, as in the text of paper
 * 003.
 */
export function parseIozone(text: string): Parsed<IozoneOutput> {
  // After an error IOZone goes on, with the processes that are left or with none, and ends as if all were well.
  const error = toolLines(text).find((line) => /^\s*Error (writing|reading|opening|fsync)/i.test(line));
  if (error) return { problem: `IOZone gave up: ${error.trim()}` };
  const doubts: string[] = [];
  const parts = sections(toolLines(text)).flatMap((section) => {
    const part = readPart(section);
    if (part.problem) doubts.push(part.problem);
    return part.value ? [part.value] : [];
  });
  const value = {
    version: /\$Revision:\s*([\d.]+)/.exec(text)?.[1],
    command: /Command line used:\s*(.+)/.exec(text)?.[1]?.trim(),
    fileKiB: whole(/File size set to\s+(\d+)\s+kB\b/i, text),
    recordKiB: whole(/Record Size\s+(\d+)\s+kB\b/i, text),
    processes: whole(/Throughput test with\s+(\d+)\s+process/i, text),
    parts,
    complete: /iozone test complete\./.test(text),
    doubts,
  };
  if (parts.length > 0) return { value };
  return { problem: doubts[0] ?? firstError(text) ?? 'IOZone printed no throughput' };
}

function whole(pattern: RegExp, text: string): number | undefined {
  const found = pattern.exec(text);
  return found ? Number(found[1]) : undefined;
}

/** The distributed test begins a part with `Test running:`, the local one with what the children saw. */
function sections(all: string[]): string[][] {
  const found: string[][] = [];
  let current: string[] | undefined;
  for (const line of all) {
    const labelled = current?.some((earlier) => CHILDREN.test(earlier)) ?? true;
    if (/Test running:/i.test(line) || (CHILDREN.test(line) && labelled)) {
      current = [];
      found.push(current);
    }
    current?.push(line);
  }
  return found.filter((section) => section.some((line) => CHILDREN.test(line)));
}

function readPart(section: string[]): Parsed<IozonePart> {
  const label = section.find((line) => CHILDREN.test(line))!;
  const [, count, words] = CHILDREN.exec(label)!;
  const name = words!.trim().toLowerCase();
  const processes = Number(count);
  const rates = section
    .filter((line) => !/Parent sees/.test(line))
    .flatMap((line) => RATE.exec(line)?.[1] ?? [])
    .map(Number);
  const KiBps = rates[0];
  if (!KiBps) return { problem: `IOZone printed no throughput of its ${processes} ${name}` };
  // The sum of all processes is not less than any of them.
  if (rates.some((rate) => rate > KiBps + 0.01)) {
    return {
      problem: `IOZone's throughput of ${processes} ${name} is less than that of one of them: ${KiBps} kB/s`,
    };
  }
  const average = rates.find((rate) => Math.abs(rate * processes - KiBps) <= 0.01 * processes);
  const least = section.flatMap((line) => /(\d+(?:\.\d+)?)\s+kB\s*$/i.exec(line)?.[1] ?? []).map(Number);
  return {
    value: {
      phase: PHASES[name] ?? name.replaceAll(' ', '-'),
      processes,
      KiBps,
      MBps: (KiBps * 1024) / 1e6,
      averageKiBps: average,
      leastKiB: least[0],
    },
  };
}

/** What IOZone says when it gives up: `Can not open temp file`, `write failed`, ... */
function firstError(text: string): string | undefined {
  const line = toolLines(text).find((one) =>
    /\b(error|can ?not|unable|failed|no space|no such|illegal|denied|not found)\b/i.test(one),
  );
  return line ? `IOZone gave up: ${line.trim().slice(0, 200)}` : undefined;
}
