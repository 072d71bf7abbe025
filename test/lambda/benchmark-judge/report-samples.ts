import type { HostOutcome, MeasuredPath, TestName } from '../../../lambda/shared/benchmark/plan';
import type {
  BenchmarkResult,
  Figure,
  HistoryEntry,
  Limit,
  MeasuredHost,
  MixedSummary,
  TestResult,
} from '../../../lambda/shared/benchmark/result';

/** Results as the judge makes them, of any size. The numbers are invented, and look like those of the papers. */

const CORES = 16;
const SASWORK: MeasuredPath = {
  directory: '/saswork',
  use: 'temporary',
  writeMBpsPerCore: 100,
  readMBpsPerCore: 100,
  storage: { kind: 'xfs', servers: 0, devices: [{ count: 5, type: 'instance-store' }] },
};
const SASDATA: MeasuredPath = {
  directory: '/sasdata',
  use: 'shared',
  writeMBpsPerCore: 50,
  readMBpsPerCore: 50,
  storage: {
    kind: 'lustre',
    servers: 3,
    serverType: 'c5n.9xlarge',
    devices: [{ count: 8, type: 'gp3', sizeGiB: 750, iops: 4000, throughputMiBps: 250 }],
  },
};

export function sampleHosts(count: number): MeasuredHost[] {
  return Array.from({ length: count }, (_, index) => ({
    instanceId: `i-0${(index + 0xa1b2c3d4e5f).toString(16).padStart(16, '0').slice(-16)}`,
    name: `grid-node-${index + 1}`,
    instanceType: 'i4i.8xlarge',
    privateIp: `172.16.${Math.floor(index / 200)}.${10 + (index % 200)}`,
    physicalCores: CORES,
    logicalCpus: 2 * CORES,
    memoryMiB: 253_952,
    architecture: 'x86_64',
    kernel: '5.14.0-503.el9',
    system: 'Red Hat Enterprise Linux 9.5',
  }));
}

/** Deterministic: between 0 and 1. */
const spread = (seed: number) => Math.abs(Math.sin(seed * 12.9898) * 43758.5453) % 1;

export function sampleFigure(
  hosts: readonly MeasuredHost[],
  perCore: number,
  overrides: Partial<Figure> = {},
): Figure {
  const MBps = perCore * CORES * hosts.length;
  const even = MBps / hosts.length;
  const limits: Limit[] = [
    { kind: 'server-network', MBps: 4_687, what: '3 servers c5n.9xlarge with 12.5 Gbps each' },
    { kind: 'device', MBps: 6_291, what: '24 gp3 volumes of 250 MiB/s each on 3 servers' },
    { kind: 'instance-ebs', MBps: 3_562, what: 'EBS bandwidth of 3 servers c5n.9xlarge, 9,500 Mbps each' },
    { kind: 'client-network', MBps: 93_750, what: `network of ${hosts.length} hosts i4i.8xlarge` },
  ];
  return {
    testId: '2-sas-io-sasdata',
    test: 'sas-io',
    directory: '/sasdata',
    phase: 'write',
    hosts: hosts.map(({ instanceId }) => instanceId),
    physicalCores: CORES * hosts.length,
    MBps,
    MBpsPerCore: perCore,
    perHost: Object.fromEntries(
      hosts.map(({ instanceId }, index) => [instanceId, even * (0.9 + 0.2 * spread(index + perCore))]),
    ),
    wanted: 50,
    passed: perCore >= 50,
    caveats: [],
    bound: limits[2],
    limits: [...limits].sort((a, b) => a.MBps - b.MBps),
    explanation:
      'The servers moved what their EBS bandwidth allows. More servers, or servers of a type with more EBS ' +
      'bandwidth, would give more.',
    previous: { runId: '20261121T101500Z-aaaa', MBps: MBps * 0.97, change: 0.031 },
    ...overrides,
  };
}

const sampleMixed: MixedSummary = {
  testId: '4-mixed-sas',
  steps: [
    {
      name: 'means and frequencies',
      kind: 'compute',
      jobs: 30,
      realSeconds: 812.4,
      userSeconds: 790.2,
      systemSeconds: 12.8,
      ratio: 0.99,
    },
    {
      name: 'sort in memory',
      kind: 'memory',
      jobs: 6,
      realSeconds: 220.9,
      userSeconds: 198.4,
      systemSeconds: 20.1,
      ratio: 0.99,
    },
    {
      name: 'sort 12 GB',
      kind: 'io',
      jobs: 21,
      realSeconds: 1_930.2,
      userSeconds: 410.7,
      systemSeconds: 377.3,
      ratio: 0.41,
    },
  ],
  realMinutes: 1481,
  userMinutes: 1750,
  systemMinutes: 275,
  gigabytes: 92.42,
  ratioMean: 1.15,
  ratioStandardDeviation: 0.369,
  ratioRange: 2.107,
};

export function sampleHistory(count: number, keys: readonly string[] = HISTORY_KEYS): HistoryEntry[] {
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(Date.UTC(2026, 10, 22, 10, 15) - (count - index) * 86_400_000).toISOString();
    const rate = (key: string, position: number) =>
      (key.includes('saswork') ? 180 : 52) + 12 * (spread(index + position * 7) - 0.5);
    const numbers = (factor: number) =>
      Object.fromEntries(keys.map((key, position) => [key, rate(key, position) * factor]));
    return {
      benchmark: 'sas-grid-lustre',
      runId: `${day.replace(/[-:]|\.\d+/g, '')}-${index.toString(16).padStart(4, '0')}`,
      startedAt: day,
      verdict: index % 11 === 4 ? 'failed' : index % 13 === 7 ? 'incomplete' : 'passed',
      packageVersion: '0.1.0',
      MBps: numbers(64),
      MBpsPerCore: numbers(1),
      configuration: index < count / 4 ? 'before' : 'now',
      reportKey: `runs/${index}/report.html`,
    };
  });
}

const HISTORY_KEYS = [
  'sas-io|/saswork|write',
  'sas-io|/saswork|read',
  'sas-io|/sasdata|write',
  'sas-io|/sasdata|read',
  'iozone|/sasdata|write',
  'iozone|/sasdata|rewrite',
  'iozone|/sasdata|read',
  'iozone|/sasdata|reread',
];

/** A run of a grid on Lustre that misses one figure. */
export function sampleResult(
  options: { hosts?: number; runs?: number } = {},
  overrides: Partial<BenchmarkResult> = {},
): BenchmarkResult {
  const hosts = sampleHosts(options.hosts ?? 4);
  const lost = hosts.length > 1 ? hosts.at(-1) : undefined;
  const done: HostOutcome[] = hosts
    .filter((host) => host !== lost)
    .map(({ instanceId }) => ({ instanceId, status: 'done', outputKey: `runs/x/outputs/${instanceId}` }));
  const test = (id: string, name: TestName, path?: MeasuredPath, more: HostOutcome[] = []): TestResult => ({
    id,
    test: name,
    path,
    outcomes: [...done, ...more],
    setup: [
      '16 processes of 16 GiB each, 64 KiB blocks; data: zero; file system: lustre; caches dropped between phases',
    ],
    startedAt: '2026-11-22T10:16:00.000Z',
    endedAt: '2026-11-22T10:40:00.000Z',
  });
  const all: HostOutcome[] = lost ? [{ instanceId: lost.instanceId, status: 'done' }] : [];
  const gone: HostOutcome[] = lost
    ? [
        {
          instanceId: lost.instanceId,
          status: 'timed-out',
          reason: 'it did not end within 3600 s, and was cancelled',
        },
      ]
    : [];
  const local = {
    testId: '1-sas-io-saswork',
    directory: '/saswork',
    wanted: 100,
    limits: [],
    bound: undefined,
  };
  const disks: Limit = {
    kind: 'device',
    MBps: 5_600 * hosts.length,
    what: '5 instance-store disks of each host',
  };
  const iozone = { testId: '3-iozone-sasdata', test: 'iozone' as const };
  const published = [
    { paper: '003', configuration: 'd2.8xlarge, 8 clients, IOZone', MBps: 1140 },
    { paper: '001', configuration: '3 OSS c3.8xlarge, 64 cores', MBps: 1500, MBpsPerCore: 23.4 },
  ];
  return {
    format: 1,
    runId: '20261122T101500Z-4f1c',
    benchmark: 'sas-grid-lustre',
    packageVersion: '0.1.0',
    startedAt: '2026-11-22T10:15:00.000Z',
    endedAt: '2026-11-22T12:02:41.000Z',
    cause: 'deployment',
    verdict: 'failed',
    reasons: [
      'Write (sas-io on /sasdata): 46.2 MB/s per core (2,957 MB/s for 64 cores), less than the wanted 50.',
      ...(lost
        ? [`iozone on /sasdata on ${lost.name}: it did not end within 3600 s, and was cancelled.`]
        : []),
    ],
    regressions: [
      'Read (iozone on /sasdata) fell by 14 %, from 3,410 MB/s in run 20261121T101500Z-aaaa to 2,933 MB/s.',
    ],
    hosts,
    tests: [
      test('1-sas-io-saswork', 'sas-io', SASWORK, all),
      test('2-sas-io-sasdata', 'sas-io', SASDATA, all),
      test('3-iozone-sasdata', 'iozone', SASDATA, gone),
      test('4-mixed-sas', 'mixed-sas', SASWORK, all),
      test('5-network', 'network', undefined, all),
    ],
    figures: [
      sampleFigure(hosts, 182.3, {
        ...local,
        phase: 'write',
        passed: true,
        limits: [disks],
        bound: disks,
        explanation: 'Each host moved what its instance-store disks can.',
      }),
      sampleFigure(hosts, 214.9, { ...local, phase: 'read', passed: true, limits: [disks], bound: disks }),
      sampleFigure(hosts, 46.2, { published }),
      sampleFigure(hosts, 53.8, { phase: 'read' }),
      sampleFigure(hosts, 44.1, { phase: 'write-random-data', wanted: undefined, passed: undefined }),
      sampleFigure(hosts, 51.4, { ...iozone, passed: true, published }),
      sampleFigure(hosts, 52.7, {
        ...iozone,
        phase: 'rewrite',
        wanted: undefined,
        passed: undefined,
        published,
      }),
      sampleFigure(hosts, 55.2, {
        ...iozone,
        phase: 'read',
        passed: undefined,
        caveats: ['The files are smaller than memory: part of them may have come from it.'],
      }),
      sampleFigure(hosts, 58.1, { ...iozone, phase: 'reread', wanted: undefined, passed: undefined }),
      sampleFigure(hosts, 72.4, {
        testId: '5-network',
        test: 'network',
        directory: undefined,
        phase: 'tcp',
        wanted: undefined,
        passed: undefined,
      }),
    ],
    otherFigures: [
      {
        testId: '5-network',
        test: 'network',
        name: 'round trip',
        value: 0.084,
        unit: 'ms',
        hosts: hosts.map(({ instanceId }) => instanceId),
      },
    ],
    mixed: [sampleMixed],
    estimate: {
      seconds: 5400,
      bytesWritten: 1.44e12,
      costUSD: 0.043,
      items: [
        { what: 'Step Functions: 900 transitions', costUSD: 0.0225 },
        { what: 'Lambda, logs and storage of the results', costUSD: 0.0205 },
      ],
    },
    history: sampleHistory(options.runs ?? 12),
    configuration: 'now',
    ...overrides,
  };
}

/** Harm, if it is not escaped, in text, in attributes, in styles and in charts. */
export const HOSTILE = `</style></svg><script>alert(1)</script><img src=x onerror=alert(1)>"'&\u0000{b|x}`;

/** The same value with every text in it changed, names of members too, but for those that a type has. */
export function everyString<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (Array.isArray(value)) return value.map((each) => everyString(each, change)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const free = Object.keys(value).some((key) => /^i-|\|/.test(key));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [free ? change(key) : key, everyString(each, change)]),
  ) as T;
}
