import type { Limit } from '../../shared/benchmark/result';
import { measuredLimits } from './measured-limits';
import type { Measurement } from './measurement';
import type { ObservedRun } from './observed';
import { setupsIn } from './setups';
import { hostNetworkLimit, isManaged, type KnownLimit, storageLimits } from './storage-limits';
import { mbps, percent } from './text';

/** What a figure was held down by, and what else applies to it. */
export interface Bounds {
  readonly bound?: KnownLimit;
  /** The tightest first. */
  readonly limits: KnownLimit[];
}

/** A limit held a figure down when so much of it was used: file systems and protocols take their part. */
const NEAR = 0.7;
/** So much more than a limit for a while allows cannot have come by that way. Clocks and rounding explain less. */
const IMPOSSIBLE = 1.1;
/** Above what a limit holds all day, a figure is one of the time in which it does more. */
const BURST = 1.05;

/** Tests whose figures are of a path to storage. The others measure a part of it, and are limits themselves. */
const OF_STORAGE = ['sas-io', 'iozone', 'fio'];

/** The limits that apply to a figure, and the one that bound it. */
export function boundsOf(figure: Measurement, run: ObservedRun, all: readonly Measurement[]): Bounds {
  if (!OF_STORAGE.includes(figure.plan.test)) return { limits: [] };
  const tables = tableLimits(figure, run);
  const limits = [...tables, ...measuredLimits(figure, all, run), ...cpuLimit(figure)]
    .map((limit) => asUsed(limit, figure.MBps))
    .sort((a, b) => a.MBps - b.MBps);
  return { bound: cacheBehind(figure, tables) ?? boundBy(figure, limits), limits };
}

/** A figure that no way to the disks explains. */
function cacheBehind({ MBps }: Measurement, tables: readonly KnownLimit[]): KnownLimit | undefined {
  const impossible = tables
    .filter((limit) => MBps > IMPOSSIBLE * mostOf(limit))
    .sort((a, b) => mostOf(a) - mostOf(b))[0];
  if (!impossible) return undefined;
  const saved =
    impossible.kind === 'provisioned' ? ', or from throughput that the file system had saved up' : '';
  const what = `memory of hosts or servers${saved}: ${impossible.what} would have allowed ${mbps(mostOf(impossible))}`;
  return { kind: 'cache', MBps, mostMBps: MBps, what };
}

/**
 * Above what was bought memory is the likelier answer. A managed file system does more for a while, but nobody says by
 * how much.
 */
function mostOf({ kind, MBps, mostMBps }: KnownLimit): number {
  return kind === 'provisioned' ? MBps : mostMBps;
}

function boundBy({ MBps }: Measurement, limits: readonly KnownLimit[]): KnownLimit | undefined {
  const first = limits.find((limit) => limit.MBps * IMPOSSIBLE >= MBps);
  if (first && MBps >= NEAR * first.MBps) return first;
  // Between what it does all day and what it does for a while: it did the one, and then the other.
  const burst = limits.find(({ exceeded }) => exceeded);
  if (burst || !first) return burst;
  const what = 'none of the limits that are known';
  return { kind: 'unknown', MBps: first.MBps, mostMBps: first.MBps, what };
}

function tableLimits(figure: Measurement, run: ObservedRun): KnownLimit[] {
  const storage = figure.plan.path?.storage;
  const types = new Map(run.hosts.map(({ instanceId, instanceType }) => [instanceId, instanceType]));
  const hostTypes = figure.hosts.flatMap((host) => types.get(host) ?? []);
  const own = storage ? storageLimits(storage, hostTypes) : [];
  const remote = storage
    ? storage.servers > 0 || isManaged(storage)
    : setupsIn(run, figure.plan.id).some(({ fileSystemType }) => /lustre|nfs/.test(fileSystemType ?? ''));
  return remote ? [...own, ...hostNetworkLimit(hostTypes)] : own;
}

/** Processors that were busy for most of the time: with all of them busy it would have been so much. */
function cpuLimit({ MBps, cpuShare }: Measurement): KnownLimit[] {
  if (cpuShare === undefined || cpuShare < NEAR) return [];
  const all = MBps / Math.min(1, cpuShare);
  const what = `the processors of the hosts that measured, ${percent(Math.min(1, cpuShare))} busy`;
  return [{ kind: 'client-cpu', MBps: all, mostMBps: all, what, measured: true }];
}

/** A figure above what a limit holds all day was under what it does for a while. */
function asUsed(limit: KnownLimit, MBps: number): KnownLimit {
  if (MBps <= limit.MBps * BURST || limit.mostMBps <= limit.MBps) return limit;
  const exceeded = { ...limit, exceeded: true };
  if (limit.mostMBps === Number.POSITIVE_INFINITY)
    return { ...exceeded, what: `${limit.what}, exceeded for a while` };
  const what = `${limit.what}, for a while; ${mbps(limit.MBps)} all day`;
  return { ...exceeded, MBps: limit.mostMBps, what };
}

/** Without what only the judge needs. */
export function asLimit({ kind, MBps, what }: KnownLimit): Limit {
  return { kind, MBps, what };
}
