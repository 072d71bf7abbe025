import type { Duration } from 'aws-cdk-lib';

/** Which data is written. */
export enum BenchmarkData {
  /** Zeros, as SAS's own test writes. Storage that compresses looks fast. */
  ZERO = 'zero',
  /** Data that cannot be compressed. */
  RANDOM = 'random',
  /** One after the other. */
  BOTH = 'both',
}

/** The patterns of fio. */
export enum FioJob {
  /** Sequential writes, then reads. */
  SEQUENTIAL = 'sequential',
  /** Half reads, half writes, as SASWORK is used. */
  MIXED = 'mixed',
  /** Many small files are made, looked at and removed. */
  METADATA = 'metadata',
}

/** What all tests have. */
export interface StorageTestProps {
  /**
   * How long the test may take on one wave of hosts, in whole minutes from 1 minute to 48 hours. Then it is cancelled.
   *
   * @default - three times what it takes on storage that gives what is wanted, and ten minutes
   */
  readonly timeout?: Duration;
}

/** What all tests of directories have. */
export interface PathTestProps extends StorageTestProps {
  /**
   * The directories that are tested, of those in `paths`.
   *
   * @default - all of them
   */
  readonly directories?: string[];
}

/** Sequential I/O with one process per physical core, as SAS's own test for RHEL. */
export interface SasIoTestProps extends PathTestProps {
  /**
   * Size of each process's file in MiB. Below what the cache holds the figures are too good; the result says so then.
   *
   * @default - all files of a host together are twice its memory
   */
  readonly fileMiB?: number;

  /**
   * Processes at once, from 1 to 1024.
   *
   * @default - as many as the host has physical cores
   */
  readonly processes?: number;

  /**
   * Which data is written.
   *
   * @default BenchmarkData.BOTH
   */
  readonly data?: BenchmarkData;
}

/** How one host reaches the others. */
export enum RemoteShell {
  /** Not at all: each host runs its own part, all begin at the same moment, and the figures are added up. */
  NONE = 'none',
  /** By ssh, which has to be set up for the account that writes and reads. */
  SSH = 'ssh',
  /** By rsh. */
  RSH = 'rsh',
}

/** IOZone over all hosts (SAS/Intel paper 003). */
export interface IozoneTestProps extends PathTestProps {
  /**
   * Size of each thread's file in MiB.
   *
   * @default - all files of a host together are twice its memory
   */
  readonly fileMiB?: number;

  /**
   * Threads on each client, from 1 to 256.
   *
   * @default 1
   */
  readonly threads?: number;

  /**
   * How one host drives the others, as in the paper.
   *
   * @default RemoteShell.NONE
   */
  readonly remoteShell?: RemoteShell;
}

/** fio, with results in JSON. */
export interface FioTestProps extends PathTestProps {
  /**
   * Which patterns.
   *
   * @default - all of them
   */
  readonly jobs?: FioJob[];

  /**
   * How long reads and writes are mixed, in seconds from 1 to 86400.
   *
   * @default 60
   */
  readonly seconds?: number;

  /**
   * Size of each process's file in MiB.
   *
   * @default - all files of a host together are twice its memory
   */
  readonly fileMiB?: number;

  /**
   * Processes at once, from 1 to 1024.
   *
   * @default - as many as the host has physical cores
   */
  readonly processes?: number;
}

/** Streams of SAS-like steps (SAS/Intel paper 001). */
export interface MixedSasTestProps extends PathTestProps {
  /**
   * Size of the input of each job with I/O in MiB, up to 1048576.
   *
   * @default 1024
   */
  readonly inputMiB?: number;

  /**
   * Jobs at once, from 1 to 1024.
   *
   * @default 30 - as in the paper
   */
  readonly streams?: number;

  /**
   * Jobs in all, from 19 to 10000: the paper's 19 tests in turn.
   *
   * @default 101 - as in the paper
   */
  readonly jobs?: number;

  /**
   * How much is computed and how much memory is filled, from 1 to 1000.
   *
   * @default 1
   */
  readonly scale?: number;
}

/** Throughput between each two hosts. */
export interface NetworkTestProps extends StorageTestProps {
  /**
   * How long each pair is measured, in seconds from 1 to 3600.
   *
   * @default 10
   */
  readonly seconds?: number;

  /**
   * Whether LNet measures, the network layer of Lustre, and not iperf3.
   *
   * @default false
   */
  readonly lnet?: boolean;

  /**
   * TCP port of iperf3, from 1024 to 65535. It has to be open between the hosts; for a `SasGridCluster` it is opened.
   *
   * @default 5201
   */
  readonly port?: number;

  /**
   * TCP connections of each pair, from 1 to 128. One is one flow, which EC2 limits.
   *
   * @default 8
   */
  readonly streams?: number;
}

/** What the devices of a server give without a file system. It only reads. */
export interface RawDeviceTestProps extends StorageTestProps {
  /**
   * How much of each device is read, in MiB.
   *
   * @default 4096
   */
  readonly maxMiB?: number;
}

/** What an object storage server of Lustre gives without clients. */
export interface LustreServerTestProps extends StorageTestProps {
  /**
   * That the data on the targets may be lost, and that this is acceptable: the test writes to the targets past the
   * clients (obdfilter-survey, which Lustre's own documentation calls potentially destructive). It has to be `true`.
   */
  readonly acceptRiskForDataOnTargets: boolean;

  /**
   * After how many seconds it is given up, from 10 to 86400.
   *
   * @default 600
   */
  readonly seconds?: number;

  /**
   * How much is written to each target, in MiB from 16 to 16777216. It is removed again.
   *
   * @default 4096
   */
  readonly mib?: number;
}
