/**
 * What the programs on the hosts print, a line each: the mark, a space, and one of these as JSON. Between a `raw` and
 * the next mark stand the lines of a tool, as it printed them. Whatever comes before the first mark or is not
 * understood is no part of it.
 */
export const MARK = '##sas-grid-benchmark';

export type Observation =
  | HostFacts
  | Setup
  | RawOutput
  | Phase
  | Refusal
  | { readonly kind: 'note'; readonly text: string }
  /** The last line of a program that came to its end; without it the output is not whole. */
  | { readonly kind: 'done' };

/** The machine, as it sees itself. */
export interface HostFacts {
  readonly kind: 'host';
  readonly instanceId?: string;
  readonly instanceType?: string;
  readonly architecture: string;
  /** Physical cores, without hyper-threads. */
  readonly physicalCores: number;
  readonly logicalCpus: number;
  readonly memoryMiB: number;
  readonly kernel: string;
  readonly system: string;
  /** Version of the package, and hash of the program. */
  readonly packageVersion: string;
  readonly program: string;
}

/** How a test was set up on this host. */
export interface Setup {
  readonly kind: 'setup';
  readonly test: string;
  readonly directory?: string;
  /** As /proc/mounts has them. */
  readonly fileSystemType?: string;
  readonly device?: string;
  readonly options?: string;
  readonly processes: number;
  readonly fileMiB: number;
  readonly blockKiB: number;
  /** Whether the files are smaller than what keeps the cache from answering. */
  readonly reduced: boolean;
  /** `zero` or `random`. */
  readonly data: string;
  /** Whether caches could be dropped between phases. */
  readonly cachesDropped: boolean;
  readonly freeMiB?: number;
}

/** What follows is the output of a tool. */
export interface RawOutput {
  readonly kind: 'raw';
  /** `dd`, `iozone`, `fio`, `iperf3`, `time`, `lnet-selftest`, `obdfilter-survey`, `lctl`. */
  readonly tool: string;
  readonly version?: string;
  readonly phase?: string;
  /** Of several of one kind; from 0. */
  readonly process?: number;
  /** The other host, in tests between hosts. */
  readonly peer?: string;
  readonly exitCode?: number;
  /** From when to when the tool ran, by this host's clock; where no `phase` tells it. */
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/** A part of a test with one kind of I/O, by this host's clock. */
export interface Phase {
  readonly kind: 'phase';
  /** `write`, `read`, `write-random-data`, `read-random-data`, `rewrite`, ... */
  readonly phase: string;
  /** Seconds since 1970, with fractions. The end is when the last process ended, a final sync included. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Moved by all processes of this host. */
  readonly bytes: number;
  readonly processes: number;
  /** Processor time of the phase in seconds, where it could be told. */
  readonly userSeconds?: number;
  readonly systemSeconds?: number;
}

/** The test was not done, or not to its end. */
export interface Refusal {
  readonly kind: 'refused';
  readonly reason:
    | 'busy'
    | 'no-room'
    | 'no-tool'
    | 'no-directory'
    | 'not-mounted'
    | 'unsupported'
    | 'disk-full';
  readonly text: string;
}
