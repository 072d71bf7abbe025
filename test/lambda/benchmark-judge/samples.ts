import { judgeRun, type Outputs } from '../../../lambda/benchmark-judge/analysis';
import { historyEntryOf } from '../../../lambda/benchmark-judge/history';
import { MARK, type Observation } from '../../../lambda/shared/benchmark/observations';
import type {
  HostOutcome,
  MeasuredPath,
  PlannedHost,
  PlannedTest,
  RunRecord,
  TestName,
} from '../../../lambda/shared/benchmark/plan';
import type { BenchmarkResult, HistoryEntry } from '../../../lambda/shared/benchmark/result';

/** A run with what its hosts printed, and the runs before it. */
export interface Sample {
  readonly run: RunRecord;
  readonly outputs: Record<string, Record<string, string>>;
  readonly history: HistoryEntry[];
  readonly endedAt: string;
}

/** 22 November 2026, 10:15:30. */
export const START = 1_795_342_530;

export function judge({ run, outputs, history, endedAt }: Sample): BenchmarkResult {
  return judgeRun(run, outputs, history, endedAt);
}

// --- the parts of which runs are made ----------------------------------------------------------------------

/** One marked line. */
export function say(observation: Observation | Record<string, unknown>): string {
  return `${MARK} ${JSON.stringify(observation)}`;
}

export function hosts(count: number, instanceType: string, name = 'grid-node'): PlannedHost[] {
  return Array.from({ length: count }, (_, index) => ({
    instanceId: `i-0${name.length}${String(index + 1).padStart(15, 'a')}`,
    name: `${name}-${index + 1}`,
    instanceType,
    privateIp: `10.0.${name.length}.${index + 11}`,
  }));
}

export function hostFacts(host: PlannedHost, physicalCores: number, memoryMiB: number): string {
  return say({
    kind: 'host',
    instanceId: host.instanceId,
    instanceType: host.instanceType,
    architecture: 'x86_64',
    physicalCores,
    logicalCpus: physicalCores * 2,
    memoryMiB,
    kernel: '5.14.0-427.13.1.el9_4.x86_64',
    system: 'Red Hat Enterprise Linux 9.4 (Plow)',
    packageVersion: '0.1.0',
    program: '3f1d0c77',
  });
}

export function setup(fields: Record<string, unknown> = {}): string {
  return say({
    kind: 'setup',
    test: 'sas-io',
    directory: '/sasdata',
    fileSystemType: 'lustre',
    processes: 16,
    fileMiB: 31_232,
    blockKiB: 64,
    reduced: false,
    data: 'zero',
    cachesDropped: true,
    ...fields,
  });
}

/** What dd of coreutils 8.32 prints. */
function dd(bytes: number, seconds: number): string {
  const blocks = `${bytes / 65_536}+0 records`;
  const rate = (bytes / seconds / 1e6).toFixed(0);
  return (
    `${blocks} in\n${blocks} out\n${bytes} bytes (${(bytes / 1e9).toFixed(0)} GB, ${(bytes / 2 ** 30).toFixed(0)} ` +
    `GiB) copied, ${seconds.toFixed(4).replace(/0+$/, '')} s, ${rate} MB/s`
  );
}

export interface PhaseSpec {
  readonly phase: string;
  readonly MBps: number;
  readonly bytes: number;
  readonly startedAt: number;
  readonly processes: number;
  /** Of all logical processors. */
  readonly cpuShare?: number;
  readonly logicalCpus?: number;
}

/** The output of one phase: a dd for each process, and the phase. */
export function phase({
  phase: name,
  MBps,
  bytes,
  startedAt,
  processes,
  cpuShare = 0.2,
  logicalCpus = 32,
}: PhaseSpec): string {
  const seconds = bytes / MBps / 1e6;
  const each = Math.floor(bytes / processes);
  const blocks = Array.from({ length: processes }, (_, process) =>
    [
      say({ kind: 'raw', tool: 'dd', version: 'dd (coreutils) 8.32', phase: name, process, exitCode: 0 }),
      dd(each, seconds),
    ].join('\n'),
  );
  const busy = cpuShare * logicalCpus * seconds;
  const record = say({
    kind: 'phase',
    phase: name,
    startedAt,
    endedAt: startedAt + seconds,
    bytes: each * processes,
    processes,
    userSeconds: busy * 0.2,
    systemSeconds: busy * 0.8,
  });
  return [...blocks, record].join('\n');
}

export const DONE = say({ kind: 'done' });

/** What `sas-io` prints on one host. */
export function sasIo(
  host: PlannedHost,
  rates: { write: number; read: number },
  more: {
    cores?: number;
    memoryMiB?: number;
    fileMiB?: number;
    startedAt?: number;
    setup?: Record<string, unknown>;
  } = {},
): string {
  const { cores = 16, memoryMiB = 249_856, startedAt = START } = more;
  const fileMiB = more.fileMiB ?? Math.ceil((2 * memoryMiB) / cores);
  const bytes = fileMiB * 2 ** 20 * cores;
  const readAt = startedAt + bytes / rates.write / 1e6 + 4.2;
  const common = { bytes, processes: cores, logicalCpus: cores * 2 };
  return [
    hostFacts(host, cores, memoryMiB),
    setup({ processes: cores, fileMiB, ...more.setup }),
    phase({ phase: 'write', MBps: rates.write, startedAt, ...common }),
    phase({ phase: 'read', MBps: rates.read, startedAt: readAt, ...common }),
    DONE,
    '',
  ].join('\n');
}

export function plan(
  id: string,
  test: TestName,
  waves: PlannedHost[][],
  more: { path?: MeasuredPath; parameters?: Record<string, string> } = {},
): PlannedTest {
  return {
    id,
    test,
    path: more.path,
    document: `sas-grid-benchmark-${test}`,
    parameters: more.parameters ?? {},
    waves: waves.map((wave) => wave.map(({ instanceId }) => instanceId)),
    timeoutSeconds: 7200,
  };
}

function allDone(test: PlannedTest): HostOutcome[] {
  return [...new Set(test.waves.flat())].map((instanceId) => ({
    instanceId,
    status: 'done',
    outputKey: `runs/x/outputs/${test.id}/${instanceId}/stdout`,
  }));
}

export function runRecord(
  benchmark: string,
  planned: PlannedHost[],
  tests: PlannedTest[],
  outcomes: Record<string, HostOutcome[]> = {},
): RunRecord {
  return {
    format: 1,
    runId: '20261122T101500Z-4f1c',
    benchmark,
    packageVersion: '0.1.0',
    startedAt: '2026-11-22T10:15:00.000Z',
    cause: 'deployment',
    hosts: planned,
    tests,
    estimate: {
      seconds: 2400,
      bytesWritten: 2.1e12,
      costUSD: 0.02,
      items: [
        { what: 'Step Functions, 180 transitions', costUSD: 0.0045 },
        { what: 'Amazon S3, requests and 12 MB of results', costUSD: 0.0155 },
      ],
    },
    outcomes: { ...Object.fromEntries(tests.map((test) => [test.id, allDone(test)])), ...outcomes },
  };
}

const ENDED_AT = '2026-11-22T11:02:41.000Z';

/** Earlier runs of the same configuration, with what this one measured times a factor each; the oldest first. */
function earlier(sample: Sample, factors: readonly number[]): HistoryEntry[] {
  const result = judge({ ...sample, history: [] });
  return factors.map((factor, index) => {
    const day = String(22 - factors.length + index).padStart(2, '0');
    const scaled = {
      ...result,
      runId: `202611${day}T101500Z-00${index}a`,
      startedAt: `2026-11-${day}T10:15:00.000Z`,
      figures: result.figures.map((figure) => ({
        ...figure,
        MBps: figure.MBps * factor,
        MBpsPerCore: figure.MBpsPerCore * factor,
      })),
    };
    return historyEntryOf(scaled, '', '');
  });
}

// --- storage -----------------------------------------------------------------------------------------------

/** The shared file system of papers 001 and 002. */
export const LUSTRE_PATH: MeasuredPath = {
  directory: '/sasdata',
  use: 'shared',
  writeMBpsPerCore: 50,
  readMBpsPerCore: 50,
  storage: {
    kind: 'lustre',
    servers: 3,
    serverType: 'c3.8xlarge',
    devices: [{ count: 8, type: 'gp2', sizeGiB: 750 }],
  },
};

export const SCRATCH_PATH: MeasuredPath = {
  directory: '/saswork',
  use: 'temporary',
  writeMBpsPerCore: 100,
  readMBpsPerCore: 100,
  storage: { kind: 'xfs', servers: 0, devices: [{ count: 5, type: 'instance-store', sizeGiB: 745 }] },
};

export const NFS_PATH: MeasuredPath = {
  directory: '/sasdata',
  use: 'shared',
  writeMBpsPerCore: 50,
  readMBpsPerCore: 50,
  storage: {
    kind: 'nfs',
    servers: 1,
    serverType: 'm6in.4xlarge',
    devices: [{ count: 1, type: 'st1', sizeGiB: 10_000 }],
  },
};

export const IO2_PATH: MeasuredPath = {
  directory: '/saswork',
  use: 'io2',
  writeMBpsPerCore: 100,
  readMBpsPerCore: 100,
  storage: { kind: 'xfs', servers: 0, devices: [{ count: 1, type: 'io2', sizeGiB: 40_960, iops: 5000 }] },
};

// --- runs --------------------------------------------------------------------------------------------------

/** Four nodes on three OSS, as in paper 002: the temporary space is fast, the shared one is short of servers. */
export function lustreSample(): Sample {
  const nodes = hosts(4, 'i2.8xlarge');
  const oss = hosts(3, 'c3.8xlarge', 'oss');
  const scratch = plan('1-sas-io-saswork', 'sas-io', [nodes], {
    path: SCRATCH_PATH,
    parameters: { Directory: '/saswork', FileMiB: '0', Data: 'zero' },
  });
  const shared = plan('2-sas-io-sasdata', 'sas-io', [nodes], {
    path: LUSTRE_PATH,
    parameters: { Directory: '/sasdata', FileMiB: '0', Data: 'zero' },
  });
  const network = plan(
    '3-network',
    'network',
    nodes.map((node) => [node]),
    { parameters: { Peers: '10.0.9.12', Seconds: '10', Mode: 'iperf3' } },
  );
  const mixed = plan('4-mixed-sas-sasdata', 'mixed-sas', [nodes], {
    path: { ...LUSTRE_PATH, writeMBpsPerCore: undefined, readMBpsPerCore: undefined },
    parameters: { Streams: '30' },
  });
  const outputs = {
    [scratch.id]: each(nodes, (node, index) =>
      sasIo(
        node,
        { write: 3010 - index * 25, read: 3120 + index * 15 },
        { setup: { directory: '/saswork', fileSystemType: 'xfs' } },
      ),
    ),
    [shared.id]: each(nodes, (node, index) =>
      sasIo(node, { write: 371 + index * 3, read: 388 - index * 2 }, { startedAt: START + 700 }),
    ),
    [network.id]: each(nodes, (node) =>
      [
        hostFacts(node, 16, 249_856),
        say({ kind: 'raw', tool: 'iperf3', peer: '10.0.9.12' }),
        iperf3(1178),
        DONE,
        '',
      ].join('\n'),
    ),
    [mixed.id]: each(nodes, (node, index) => mixedOutput(node, index)),
  };
  const sample: Sample = {
    run: runRecord('grid', [...nodes, ...oss], [scratch, shared, network, mixed]),
    outputs,
    history: [],
    endedAt: ENDED_AT,
  };
  return { ...sample, history: earlier(sample, [0.98, 1.01, 1, 1.02, 0.99, 1.01]) };
}

/** Eight clients of one NFS server, measured with IOZone as in paper 003. */
export function nfsSample(): Sample {
  const nodes = hosts(8, 'm6i.8xlarge');
  const test = plan('1-iozone-sasdata', 'iozone', [[nodes[0]!]], {
    path: NFS_PATH,
    parameters: {
      Directory: '/sasdata',
      Threads: '1',
      RecordKiB: '1024',
      Clients: nodes.map(({ privateIp }) => privateIp).join(','),
    },
  });
  const output = [
    hostFacts(nodes[0]!, 16, 126_976),
    setup({ test: 'iozone', fileSystemType: 'nfs4', processes: 8, fileMiB: 253_952, blockKiB: 1024 }),
    say({ kind: 'raw', tool: 'iozone', version: '3.489' }),
    iozone(8, { write: 402_118.4, rewrite: 396_772.1, read: 418_330.9, reread: 421_004.6 }),
    DONE,
    '',
  ].join('\n');
  return {
    run: runRecord('nfs', nodes, [test]),
    outputs: { [test.id]: { [nodes[0]!.instanceId]: output } },
    history: [],
    endedAt: ENDED_AT,
  };
}

/** One host with an io2 volume: the figures of paper 004 for r5b.4xlarge. */
export function io2Sample(): Sample {
  const nodes = hosts(1, 'r5b.4xlarge', 'sas');
  const test = plan('1-sas-io-saswork', 'sas-io', [nodes], {
    path: IO2_PATH,
    parameters: { Directory: '/saswork', FileMiB: '0', Data: 'zero' },
  });
  const output = sasIo(
    nodes[0]!,
    { write: 150.3 * 8, read: 150.29 * 8 },
    { cores: 8, memoryMiB: 126_976, setup: { directory: '/saswork', fileSystemType: 'xfs' } },
  );
  const sample: Sample = {
    run: runRecord('io2', nodes, [test]),
    outputs: { [test.id]: { [nodes[0]!.instanceId]: output } },
    history: [],
    endedAt: ENDED_AT,
  };
  return { ...sample, history: earlier(sample, [1, 1]) };
}

/** The same as `lustreSample`, and the third node was lost in the middle of the shared test. */
export function hostLostSample(): Sample {
  const { run, outputs, ...rest } = lustreSample();
  const lost = run.hosts[2]!.instanceId;
  const id = '2-sas-io-sasdata';
  const rewritten = outputs[id]![lost]!;
  return {
    ...rest,
    run: {
      ...run,
      outcomes: {
        ...run.outcomes,
        [id]: run.outcomes[id]!.map((outcome) =>
          outcome.instanceId === lost
            ? { instanceId: lost, status: 'lost', reason: 'the instance is terminated' }
            : outcome,
        ),
      },
    },
    outputs: {
      ...outputs,
      [id]: { ...outputs[id], [lost]: rewritten.slice(0, rewritten.indexOf('"kind":"phase"') - 40) },
    },
  };
}

/** Small files on the local disk of a small machine, whose caches could not be dropped, as `make demo` has it. */
export function reducedSample(): Sample {
  const nodes = hosts(2, 'i4i.2xlarge');
  const test = plan('1-sas-io-saswork', 'sas-io', [nodes], {
    path: SCRATCH_PATH,
    parameters: { Directory: '/saswork', FileMiB: '16', Data: 'zero' },
  });
  const small = {
    cores: 4,
    memoryMiB: 65_536,
    fileMiB: 16,
    setup: { reduced: true, cachesDropped: false, directory: '/saswork', fileSystemType: 'xfs' },
  };
  const sample: Sample = {
    run: {
      ...runRecord('demo', nodes, [test]),
      cause: 'by hand',
      notRepresentative: 'The hosts are folders of one machine: this measures its local disk.',
    },
    outputs: {
      [test.id]: each(nodes, (node, index) =>
        sasIo(node, { write: 640 + index * 40, read: 5200 + index * 310 }, small),
      ),
    },
    history: [],
    endedAt: ENDED_AT,
  };
  return sample;
}

/** The same as `lustreSample`, with earlier runs that were faster by a fifth. */
export function regressionSample(): Sample {
  const sample = lustreSample();
  return { ...sample, history: earlier(sample, [1.19, 1.21, 1.2]) };
}

// --- outputs of tools --------------------------------------------------------------------------------------

function each(
  nodes: readonly PlannedHost[],
  output: (node: PlannedHost, index: number) => string,
): Record<string, string> {
  return Object.fromEntries(nodes.map((node, index) => [node.instanceId, output(node, index)]));
}

/** The parts of `iperf3 --json` that matter. */
export function iperf3(MBps: number, seconds = 10): string {
  const sum = { start: 0, end: seconds, seconds, bytes: MBps * 1e6 * seconds, bits_per_second: MBps * 8e6 };
  return JSON.stringify(
    {
      start: { version: 'iperf 3.9', test_start: { protocol: 'TCP', num_streams: 4 } },
      intervals: [],
      end: {
        streams: [],
        sum_sent: { ...sum, retransmits: 12 },
        sum_received: sum,
        cpu_utilization_percent: { host_total: 21.3, remote_total: 34.1 },
      },
    },
    null,
    2,
  );
}

/** IOZone 3.489, distributed, in KiB/s. */
export function iozone(
  processes: number,
  rates: { write: number; rewrite: number; read: number; reread: number },
): string {
  // One process is the slowest and the fastest.
  const spread = processes > 1 ? 0.1 : 0;
  const part = (label: string, KiBps: number) =>
    [
      '',
      '\tTest running:',
      `\tChildren see throughput for ${String(processes).padStart(2)} ${label} \t= ` +
        `${KiBps.toFixed(2).padStart(10)} kB/sec`,
      `\tMin throughput per process \t\t\t= ${((KiBps / processes) * (1 - spread)).toFixed(2).padStart(10)} kB/sec `,
      `\tMax throughput per process \t\t\t= ${((KiBps / processes) * (1 + spread)).toFixed(2).padStart(10)} kB/sec`,
      `\tAvg throughput per process \t\t\t= ${(KiBps / processes).toFixed(2).padStart(10)} kB/sec`,
      '\tMin xfer \t\t\t\t\t= 212860928.00 kB',
    ].join('\n');
  return [
    '\tIozone: Performance Test of File I/O',
    '\t        Version $Revision: 3.489 $',
    '\tInclude fsync in write timing',
    '\tFile size set to 260046848 kB',
    '\tRecord Size 1024 kB',
    '\tNetwork distribution mode enabled.',
    `\tCommand line used: iozone -w -e -s 248g -i 0 -i 1 -r 1m -t ${processes} -+m clients`,
    `\tThroughput test with ${processes} processes`,
    part('initial writers', rates.write),
    part('rewriters', rates.rewrite),
    part('readers', rates.read),
    part('re-readers', rates.reread),
    '',
    'iozone test complete.',
  ].join('\n');
}

const STEPS: readonly (readonly [string, 'compute' | 'memory' | 'io', number, number, number, number])[] = [
  // name, kind, real seconds, user's and system's share, GB moved
  ['regression', 'compute', 180, 0.93, 0.03, 1.1],
  ['matrix', 'compute', 240, 1.64, 0.06, 0.2],
  ['sort-in-memory', 'memory', 150, 0.86, 0.12, 0.4],
  ['sort-large', 'io', 320, 0.42, 0.31, 9.6],
  ['merge', 'io', 260, 0.38, 0.36, 7.8],
];

function mixedOutput(node: PlannedHost, index: number): string {
  const rows = STEPS.flatMap(([step, kind, real, user, system, gigabytes], row) =>
    Array.from({ length: kind === 'compute' ? 3 : 2 }, (_, job) => {
      const realSeconds = real * (1 + 0.07 * ((job + index + row) % 4));
      const noise = 1 + 0.05 * ((job * 2 + index) % 3);
      return JSON.stringify({
        step,
        kind,
        job: `${step}-${job}`,
        realSeconds,
        userSeconds: real * user * noise,
        systemSeconds: real * system * noise,
        bytesRead: gigabytes * 6e8,
        bytesWritten: gigabytes * 4e8,
      });
    }),
  );
  return [
    hostFacts(node, 16, 249_856),
    setup({ test: 'mixed-sas', processes: 30 }),
    say({ kind: 'raw', tool: 'time' }),
    ...rows,
    DONE,
    '',
  ].join('\n');
}

export type { Outputs };
