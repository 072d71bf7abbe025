import type { Duration } from 'aws-cdk-lib';
import { checkArguments } from '../private/inputs/check';
import { invalid } from '../private/validation';
import { BY_ITSELF, type TestParameter, type TestPlace } from './test-place';

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

/** A test, and how it is done. */
export class StorageTest {
  /** Sequential writes and reads, one process per physical core: what the papers' figures per core are about. */
  static sasIo(props: SasIoTestProps = {}): StorageTest {
    ({ props } = checkArguments('StorageTest.sasIo', { props }));
    const { fileMiB, processes, data } = props;
    return new StorageTest('sas-io', 'paths', props, {
      FileMiB: { value: fileMiB ?? BY_ITSELF },
      Processes: { value: processes ?? BY_ITSELF, max: 1024 },
      BlockKiB: { value: 64 },
      Data: { value: data ?? BenchmarkData.BOTH },
    });
  }

  /** IOZone over all hosts: write, rewrite, read, reread with records of 1 MiB. */
  static iozone(props: IozoneTestProps = {}): StorageTest {
    ({ props } = checkArguments('StorageTest.iozone', { props }));
    return new StorageTest('iozone', 'paths', props, {
      FileMiB: { value: props.fileMiB ?? BY_ITSELF },
      RecordKiB: { value: 1024 },
      Threads: { value: props.threads ?? 1, max: 256 },
      RemoteShell: { value: props.remoteShell ?? RemoteShell.NONE },
    });
  }

  /**
   * fio: sequential, mixed and metadata.
   *
   * @throws when the list of patterns is empty
   */
  static fio(props: FioTestProps = {}): StorageTest {
    ({ props } = checkArguments('StorageTest.fio', { props }));
    const all = Object.values(FioJob);
    if (props.jobs?.length === 0) {
      throw invalid(
        undefined,
        'fio: jobs',
        [],
        `some of ${all.join(', ')}`,
        'Leave jobs out for all of them.',
      );
    }
    return new StorageTest('fio', 'paths', props, {
      FileMiB: { value: props.fileMiB ?? BY_ITSELF },
      Processes: { value: props.processes ?? BY_ITSELF, max: 1024 },
      Seconds: { value: props.seconds ?? 60, max: 86_400 },
      Jobs: { value: [...new Set(props.jobs ?? all)].join(',') },
    });
  }

  /** Streams of compute, memory and I/O steps: real SAS where it is installed, stand-in programs where not. */
  static mixedSas(props: MixedSasTestProps = {}): StorageTest {
    ({ props } = checkArguments('StorageTest.mixedSas', { props }));
    return new StorageTest('mixed-sas', 'paths', props, {
      InputMiB: { value: props.inputMiB ?? 1024, max: 1_048_576 },
      Streams: { value: props.streams ?? 30, max: 1024 },
      Jobs: { value: props.jobs ?? 101, min: 19, max: 10_000 },
      Scale: { value: props.scale ?? 1, max: 1000 },
    });
  }

  /** Between hosts, so that a slow result can be traced to the network. */
  static network(props: NetworkTestProps = {}): StorageTest {
    ({ props } = checkArguments('StorageTest.network', { props }));
    return new StorageTest('network', 'hosts', props, {
      Seconds: { value: props.seconds ?? 10, max: 3600 },
      Mode: { value: props.lnet ? 'lnet' : 'iperf3' },
      Port: { value: props.port ?? 5201, min: 1024, max: 65_535 },
      Streams: { value: props.streams ?? 8, max: 128 },
    });
  }

  /** The devices of the storage servers, or of the hosts where there are no servers, read without a file system. */
  static rawDevice(props: RawDeviceTestProps = {}): StorageTest {
    ({ props } = checkArguments('StorageTest.rawDevice', { props }));
    return new StorageTest('raw-device', 'servers-or-hosts', props, {
      MaxMiB: { value: props.maxMiB ?? 4096 },
      Readers: { value: 4 },
    });
  }

  /**
   * The object storage servers of Lustre without clients. Not on a file system whose data matters.
   *
   * @throws when the risk for the data is not accepted
   */
  static lustreServer(props: LustreServerTestProps): StorageTest {
    ({ props } = checkArguments('StorageTest.lustreServer', { props }));
    if (props.acceptRiskForDataOnTargets !== true) {
      const fix = 'Set it to true on a file system whose data may be lost, or take the test out.';
      throw invalid(undefined, 'acceptRiskForDataOnTargets', props.acceptRiskForDataOnTargets, 'true', fix);
    }
    return new StorageTest('lustre-server', 'servers', props, {
      Seconds: { value: props.seconds ?? 600, min: 10, max: 86_400 },
      MiB: { value: props.mib ?? 4096, min: 16, max: 16_777_216 },
      AllowOnTargets: { value: 'yes' },
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
