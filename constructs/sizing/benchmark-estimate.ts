import { type EstimatedHost, expectedDiskMBps, mibOfDisks, rawDisks, targetsOf } from './benchmark-hosts';
import { BENCHMARK_PRICES } from './data/benchmark-prices';
import { WANTED_MBPS_PER_CORE } from './data/published-results';
import { instanceTypeFacts } from './instance-types';
import { sustainedServerMBps, sustainedVolumeMBps } from './nfs-server';
import type { KnownStorage } from './plan/configuration';

export { type EstimatedDisks, type EstimatedHost, estimatedHost, UNKNOWN_HOST } from './benchmark-hosts';
export { BENCHMARK_PRICE_SOURCES, BENCHMARK_PRICES } from './data/benchmark-prices';

/** A test, and the hosts that run it: one list after the other. */
export interface EstimatedTest {
  readonly id: string;
  readonly test: string;
  readonly parameters: { readonly [name: string]: string };
  readonly waves: EstimatedHost[][];
  readonly path?: EstimatedPath;
}

export interface EstimatedPath {
  readonly use: 'temporary' | 'shared' | 'io2';
  readonly writeMBpsPerCore?: number;
  readonly storage?: KnownStorage;
}

/** What one test is expected to take. */
export interface TestEstimate {
  readonly id: string;
  /** Of each wave. */
  readonly waveSeconds: number[];
  readonly bytesWritten: number;
  readonly bytesRead: number;
}

/** What a run is expected to take and to cost. */
export interface RunEstimate {
  readonly seconds: number;
  readonly bytesWritten: number;
  readonly bytesRead: number;
  readonly costUSD: number;
  readonly items: { readonly what: string; readonly costUSD: number }[];
  readonly tests: TestEstimate[];
}

const MIB = 2 ** 20;

/** Sending a command, the hosts' common start, and waiting until its output is in the bucket. */
const AROUND_A_WAVE = 60;

/** Installing what is missing, and cleaning up. */
const AROUND_A_RUN = 180;

/** Duration, bytes and cost of a run. The duration is that of storage that gives what is wanted of it, and no more. */
export function estimateRun(tests: readonly EstimatedTest[]): RunEstimate {
  const each = tests.map(estimateTest);
  const total = (of: (test: TestEstimate) => number): number => each.reduce((sum, test) => sum + of(test), 0);
  const seconds = AROUND_A_RUN + total(({ waveSeconds }) => waveSeconds.reduce((sum, one) => sum + one, 0));
  const items = costs(tests, each, seconds);
  return {
    seconds: Math.ceil(seconds),
    bytesWritten: total(({ bytesWritten }) => bytesWritten),
    bytesRead: total(({ bytesRead }) => bytesRead),
    costUSD: cents(items.reduce((sum, { costUSD }) => sum + costUSD, 0)),
    items,
    tests: each,
  };
}

/** Duration and bytes of one test. */
export function estimateTest(test: EstimatedTest): TestEstimate {
  const work = WORK[test.test] ?? WORK.other!;
  const waves = test.waves.map((hosts) => {
    const moved = hosts.map((host) => work(test.parameters, host));
    const written = sum(moved.map((one) => one.written));
    const read = sum(moved.map((one) => one.read));
    // Disks that each host has for itself are moved at the hosts' own pace: the slowest one decides.
    const own = moved.map((one, index) =>
      one.ownDisks ? (one.written + one.read) / 1e6 / expectedDiskMBps(hosts[index]!) : 0,
    );
    const fixed = Math.max(0, ...moved.map((one, index) => one.seconds + own[index]!));
    const together = sum(moved.map((one) => (one.ownDisks ? 0 : one.written + one.read)));
    const seconds = fixed + together / 1e6 / expectedMBps(test.path, hosts);
    return { seconds: Math.ceil(seconds + AROUND_A_WAVE), written, read };
  });
  return {
    id: test.id,
    waveSeconds: waves.map(({ seconds }) => seconds),
    bytesWritten: sum(waves.map(({ written }) => written)),
    bytesRead: sum(waves.map(({ read }) => read)),
  };
}

/** What hosts together are expected to get: what is wanted for their cores, unless the storage has less. */
export function expectedMBps(path: EstimatedPath | undefined, hosts: readonly EstimatedHost[]): number {
  const cores = sum(hosts.map((host) => host.cores));
  const wanted = cores * (path?.writeMBpsPerCore ?? WANTED_MBPS_PER_CORE[path?.use ?? 'temporary'].least);
  return Math.max(1, Math.min(wanted, storageMBps(path?.storage, hosts.length) ?? wanted));
}

/** What the storage delivers by its description; undefined when that does not say. */
function storageMBps(storage: EstimatedPath['storage'], hosts: number): number | undefined {
  if (!storage) return undefined;
  const devices = storage.devices.map((device) => {
    const each = sustainedVolumeMBps(device);
    return each === undefined ? undefined : each * device.count;
  });
  const ofDevices =
    devices.length > 0 && devices.every((one) => one !== undefined) ? sum(devices) : undefined;
  const facts = storage.serverType ? instanceTypeFacts(storage.serverType) : undefined;
  const ofServer = facts && sustainedServerMBps(facts, ofDevices !== undefined);
  const one = least([ofDevices, ofServer]);
  // Multi-Attach volumes and those of a single host are the hosts' own; instance store grows with the hosts.
  const count = storage.servers > 0 ? storage.servers : storage.kind === 'gfs2' ? 1 : hosts;
  return least([one === undefined ? undefined : one * count, storage.provisionedMBps]);
}

/** What one host writes and reads, and how long it takes whatever the storage gives. */
interface Work {
  readonly written: number;
  readonly read: number;
  readonly seconds: number;
  /** Whether it moves that on disks of its own, past the file system. */
  readonly ownDisks?: boolean;
}

type Parameters = EstimatedTest['parameters'];

const positiveNumber = (parameters: Parameters, name: string, otherwise: number): number => {
  const value = Number(parameters[name] ?? Number.NaN);
  return Number.isFinite(value) && value > 0 ? value : otherwise;
};

const countOfList = (parameters: Parameters, name: string): number =>
  (parameters[name] ?? '').split(',').filter(Boolean).length;

/** Bytes of all files of a host: as asked for, or twice its memory. */
function fileBytes(parameters: Parameters, host: EstimatedHost, processes: number): number {
  const mib = Number(parameters.FileMiB ?? 0);
  return mib > 0 ? mib * processes * MIB : 2 * host.memoryGiB * 1024 * MIB;
}

const WORK: { readonly [test: string]: (parameters: Parameters, host: EstimatedHost) => Work } = {
  'sas-io': (parameters, host) => {
    const kinds = parameters.Data === 'both' ? 2 : 1;
    const bytes = fileBytes(parameters, host, positiveNumber(parameters, 'Processes', host.cores)) * kinds;
    return { written: bytes, read: bytes, seconds: 0 };
  },
  iozone: (parameters, host) => {
    // Write, rewrite, read, reread; on each of the clients, where one host drives them.
    const clients = countOfList(parameters, 'Clients') || 1;
    const bytes = fileBytes(parameters, host, positiveNumber(parameters, 'Threads', 1)) * clients;
    return { written: 2 * bytes, read: 2 * bytes, seconds: 0 };
  },
  fio: (parameters, host) => {
    const jobs = (parameters.Jobs ?? 'sequential,mixed,metadata').split(',');
    const bytes = fileBytes(parameters, host, positiveNumber(parameters, 'Processes', host.cores));
    const mixed = jobs.includes('mixed') ? positiveNumber(parameters, 'Seconds', 60) : 0;
    return { written: bytes, read: bytes, seconds: mixed + (jobs.includes('metadata') ? 120 : 0) };
  },
  'mixed-sas': (parameters, host) => {
    // Seven of the paper's 19 tests move data, ten compute for some seconds of a processor.
    const jobs = positiveNumber(parameters, 'Jobs', 101);
    const bytes = ((positiveNumber(parameters, 'InputMiB', 1024) * jobs * 7) / 19) * MIB;
    const atOnce = Math.min(host.cores, positiveNumber(parameters, 'Streams', 30));
    return {
      written: 2 * bytes,
      read: 2 * bytes,
      seconds: (2 * jobs * positiveNumber(parameters, 'Scale', 1)) / atOnce,
    };
  },
  network: (parameters) => {
    // Each host sends to each other one, in slots.
    const slots = Math.max(1, countOfList(parameters, 'Peers') - (parameters.Mode === 'lnet' ? 0 : 1));
    return { written: 0, read: 0, seconds: slots * (positiveNumber(parameters, 'Seconds', 10) + 15) + 60 };
  },
  'raw-device': (parameters, host) => ({
    written: 0,
    read: mibOfDisks(rawDisks(host), positiveNumber(parameters, 'MaxMiB', 4096)) * MIB,
    seconds: 30,
    ownDisks: true,
  }),
  'lustre-server': (parameters, host) => {
    // obdfilter-survey writes each target, writes it again and reads it.
    const bytes = positiveNumber(parameters, 'MiB', 4096) * targetsOf(host) * MIB;
    return { written: 2 * bytes, read: bytes, seconds: 120, ownDisks: true };
  },
  other: () => ({ written: 0, read: 0, seconds: 600 }),
};

/** State transitions of a pass of the workflow: a function that looks, a choice, a pause. */
const TRANSITIONS = 4;

/** The longest pause between two looks is a minute, the first ones are shorter. */
const looksWithin = (seconds: number): number => Math.ceil(seconds / 60) + 15;

const OUTPUT_BYTES = 200_000;

function costs(
  tests: readonly EstimatedTest[],
  estimates: readonly TestEstimate[],
  seconds: number,
): RunEstimate['items'] {
  const waves = sum(tests.map((test) => test.waves.length));
  const hosts = sum(tests.flatMap((test) => test.waves.map((wave) => wave.length)));
  const passes = looksWithin(seconds) + waves * 8;
  const prices = BENCHMARK_PRICES;
  // Two for each phase, which are four at most.
  const metrics = tests.length * 8 + 1;
  const efs = tests
    .map((test, index) => ({ kind: test.path?.storage?.kind, estimate: estimates[index]! }))
    .filter(({ kind }) => kind === 'efs')
    .map(({ estimate }) => estimate);
  const items = [
    {
      what: `Step Functions, some ${passes * TRANSITIONS} transitions`,
      costUSD: passes * TRANSITIONS * prices.stateTransition,
    },
    {
      what: `Lambda, some ${passes} calls of a second`,
      costUSD: passes * (prices.lambdaRequest + 0.5 * prices.lambdaGBSecond),
    },
    {
      what: `S3, ${hosts} outputs, kept for a year`,
      costUSD:
        (2 * hosts + 20) * prices.s3Put +
        (4 * hosts + passes) * prices.s3Get +
        ((hosts * OUTPUT_BYTES) / 1e9) * 12 * prices.s3GBMonth,
    },
    {
      what: 'DynamoDB, KMS and logs',
      costUSD:
        passes * (2 * prices.dynamoWrite + 3 * prices.dynamoRead + 4 * prices.kmsRequest) +
        (passes * 2000 * prices.logGB) / 1e9,
    },
    {
      what: `CloudWatch, some ${metrics} metrics for an hour`,
      costUSD: metrics * prices.metricHour,
    },
  ];
  if (efs.length > 0) {
    const written = sum(efs.map(({ bytesWritten }) => bytesWritten)) / 1e9;
    const read = sum(efs.map(({ bytesRead }) => bytesRead)) / 1e9;
    items.push({
      what: `EFS, ${Math.round(written)} GB written and ${Math.round(read)} GB read, where its throughput is elastic`,
      costUSD: written * prices.efsWriteGB + read * prices.efsReadGB,
    });
  }
  return items.map(({ what, costUSD }) => ({ what, costUSD: cents(costUSD) }));
}

/** To a hundredth of a cent: what is less is no cost. */
const cents = (usd: number): number => Math.round(usd * 10_000) / 10_000;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const least = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((value) => value !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
};
