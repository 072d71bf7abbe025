import type { Duration } from 'aws-cdk-lib';
import type { TestParameter, TestPlace } from './test-place';

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
   * Size of the input of each stream in MiB.
   *
   * @default 1024
   */
  readonly inputMiB?: number;

  /**
   * Streams at once, from 1 to 1024.
   *
   * @default 30, as in the paper
   */
  readonly streams?: number;

  /**
   * How often the steps are done, from 1 to 1000.
   *
   * @default 1
   */
  readonly scale?: number;
}

/** Throughput between each two hosts. */
export interface NetworkTestProps extends StorageTestProps {
  /**
   * How long it is measured in each direction, in seconds from 1 to 3600.
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
   * How long it is measured, in seconds from 1 to 3600.
   *
   * @default 60
   */
  readonly seconds?: number;

  /**
   * How much is written to each target, in MiB. It is removed again.
   *
   * @default 4096
   */
  readonly mib?: number;
}

/** A test, and how it is done. */
export class StorageTest {
  /** Sequential writes and reads, one process per physical core: what the papers' figures per core are about. */
  static sasIo(props: SasIoTestProps = {}): StorageTest {
    const { fileMiB, processes, data } = props;
    return new StorageTest('sas-io', 'paths', props, {
      FileMiB: { value: fileMiB ?? 0 },
      Processes: { value: processes ?? 0, max: 1024 },
      BlockKiB: { value: 64 },
      Data: { value: data ?? BenchmarkData.BOTH },
    });
  }

  /** IOZone over all hosts: write, rewrite, read, reread with records of 1 MiB. */
  static iozone(props: IozoneTestProps = {}): StorageTest {
    return new StorageTest('iozone', 'paths', props, {
      FileMiB: { value: props.fileMiB ?? 0 },
      RecordKiB: { value: 1024 },
      Threads: { value: props.threads ?? 1, max: 256 },
      RemoteShell: { value: props.remoteShell ?? RemoteShell.NONE },
    });
  }

  /** fio: sequential, mixed and metadata. */
  static fio(props: FioTestProps = {}): StorageTest {
    return new StorageTest('fio', 'paths', props, {
      FileMiB: { value: props.fileMiB ?? 0 },
      Processes: { value: props.processes ?? 0, max: 1024 },
      Seconds: { value: props.seconds ?? 60, max: 86_400 },
      Jobs: { value: (props.jobs ?? Object.values(FioJob)).join(',') },
    });
  }

  /** Streams of compute, memory and I/O steps: real SAS where it is installed, stand-in programs where not. */
  static mixedSas(props: MixedSasTestProps = {}): StorageTest {
    return new StorageTest('mixed-sas', 'paths', props, {
      InputMiB: { value: props.inputMiB ?? 1024 },
      Streams: { value: props.streams ?? 30, max: 1024 },
      Scale: { value: props.scale ?? 1, max: 1000 },
    });
  }

  /** Between hosts, so that a slow result can be traced to the network. */
  static network(props: NetworkTestProps = {}): StorageTest {
    return new StorageTest('network', 'hosts', props, {
      Seconds: { value: props.seconds ?? 10, max: 3600 },
      Mode: { value: props.lnet ? 'lnet' : 'iperf3' },
    });
  }

  /** The devices of the storage servers, or of the hosts where there are no servers, read without a file system. */
  static rawDevice(props: RawDeviceTestProps = {}): StorageTest {
    return new StorageTest('raw-device', 'servers-or-hosts', props, {
      MaxMiB: { value: props.maxMiB ?? 4096 },
    });
  }

  /** The object storage servers of Lustre without clients. */
  static lustreServer(props: LustreServerTestProps = {}): StorageTest {
    return new StorageTest('lustre-server', 'servers', props, {
      Seconds: { value: props.seconds ?? 60, max: 3600 },
      MiB: { value: props.mib ?? 4096 },
    });
  }

  private constructor(
    /** Its name, `sas-io` for example. */
    readonly name: string,
    /** @internal */
    readonly _on: TestPlace,
    /** @internal */
    readonly _props: PathTestProps,
    /** @internal */
    readonly _parameters: { readonly [name: string]: TestParameter },
  ) {}
}
