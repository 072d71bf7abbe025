import { checkArguments } from '../private/inputs/check';
import { invalid } from '../private/validation';
import { BY_ITSELF, type TestParameter, type TestPlace } from './test-place';
import {
  BenchmarkData,
  FioJob,
  type FioTestProps,
  type IozoneTestProps,
  type LustreServerTestProps,
  type MixedSasTestProps,
  type NetworkTestProps,
  type PathTestProps,
  type RawDeviceTestProps,
  RemoteShell,
  type SasIoTestProps,
} from './test-props';

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
