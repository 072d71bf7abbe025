import { ofKind } from '../parsers/records';
import type { Measurement } from './measurement';
import type { ObservedRun } from './observed';
import { isManaged, type KnownLimit } from './storage-limits';
import { counted, rounded } from './text';

/** Slower than this by so much, a measured part was no limit: the whole was faster than it. */
const FASTER = 1.05;

/**
 * What other tests of the same run say of the parts that a figure depends on: its hosts' network, their raw devices,
 * and servers by themselves. A part that came out slower than the whole was not measured at its best, and is no limit.
 */
export function measuredLimits(
  figure: Measurement,
  all: readonly Measurement[],
  run: ObservedRun,
): KnownLimit[] {
  const storage = figure.plan.path?.storage;
  const local = storage !== undefined && storage.servers === 0 && !isManaged(storage);
  const reading = figure.phase.includes('read');
  const found = [
    ...(storage && !local ? network(figure, all, reading) : []),
    ...(reading && local ? rawDevices(figure, all) : []),
    ...(reading && storage && storage.servers > 0 && !isManaged(storage)
      ? serverDisks(figure, all, storage.servers)
      : []),
    ...(storage?.kind === 'lustre' && storage.servers > 0 ? servers(all, reading, storage.servers) : []),
    ...(figure.phase === 'write-random-data' ? randomSource(figure, run) : []),
  ];
  return found.filter(({ MBps }) => MBps > 0 && figure.MBps <= MBps * FASTER);
}

function network(figure: Measurement, all: readonly Measurement[], reading: boolean): KnownLimit[] {
  return ['tcp', reading ? 'lnet-read' : 'lnet-write'].flatMap((phase) => {
    const MBps = ofHosts(figure.hosts, perHostOf(all, 'network', phase));
    if (MBps === undefined) return [];
    const way = phase === 'tcp' ? 'TCP' : 'LNet';
    const what =
      `the network of ${counted(figure.hosts.length, 'host')}, ${rounded(MBps / figure.hosts.length)} MB/s each ` +
      `by this run's ${way} test`;
    return [measured('client-network', MBps, what)];
  });
}

function rawDevices(figure: Measurement, all: readonly Measurement[]): KnownLimit[] {
  const MBps = ofHosts(figure.hosts, perHostOf(all, 'raw-device', 'read'));
  if (MBps === undefined) return [];
  const what = `the disks of ${counted(figure.hosts.length, 'host')}, as this run read them without a file system`;
  return [measured('device', MBps, what)];
}

/** Of the servers, which are none of the hosts that measured. Those that were not tried count as their equals. */
function serverDisks(figure: Measurement, all: readonly Measurement[], count: number): KnownLimit[] {
  const hosts = new Set(figure.plan.waves.flat());
  const rates = Object.entries(perHostOf(all, 'raw-device', 'read'))
    .filter(([host]) => !hosts.has(host))
    .map(([, rate]) => rate);
  if (rates.length === 0) return [];
  const each = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  const tried = rates.length < count ? `, of which ${rates.length} took part in it` : '';
  const what =
    `the disks of ${counted(count, 'server')}, ${rounded(each)} MB/s each, as this run read them without a file ` +
    `system${tried}`;
  return [measured('device', each * count, what)];
}

/** Servers that were not tried are taken for equal to those that were. */
function servers(all: readonly Measurement[], reading: boolean, count: number): KnownLimit[] {
  const rates = Object.values(perHostOf(all, 'lustre-server', reading ? 'read' : 'write'));
  if (rates.length === 0) return [];
  const each = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  const tried = rates.length < count ? `, of which ${rates.length} took part in it` : '';
  const what =
    `${counted(count, 'server')}, ${rounded(each)} MB/s each by this run's test on the servers ` +
    `themselves${tried}`;
  return [measured('server-count', each * count, what)];
}

/** Data that cannot be compressed come from somewhere: the program says how fast they came without a file system. */
function randomSource(figure: Measurement, run: ObservedRun): KnownLimit[] {
  const hosts = run.tests.find(({ plan }) => plan.id === figure.plan.id)?.hosts;
  const rates = figure.hosts.map((host) => {
    const notes = hosts?.get(host) ? ofKind(hosts.get(host)!.records, 'note') : [];
    const said = notes.map(({ text }) => /source of random data gives (\d+) MB\/s/.exec(text)?.[1]);
    return Number(said.find((one) => one !== undefined) ?? Number.NaN);
  });
  const MBps = rates.reduce((sum, rate) => sum + rate, 0);
  if (!Number.isFinite(MBps)) return [];
  return [measured('client-cpu', MBps, 'the source of random data on the hosts that measured')];
}

function measured(kind: KnownLimit['kind'], MBps: number, what: string): KnownLimit {
  return { kind, MBps, mostMBps: Number.POSITIVE_INFINITY, what, measured: true };
}

/** What each host did in a test, whichever wave it was in. */
function perHostOf(all: readonly Measurement[], test: string, phase: string): Record<string, number> {
  const found = all.filter((one) => one.plan.test === test && one.phase === phase);
  return Object.assign({}, ...found.map(({ perHost }) => perHost));
}

/** Undefined unless every host was measured. */
function ofHosts(hosts: readonly string[], perHost: Readonly<Record<string, number>>): number | undefined {
  if (hosts.length === 0 || hosts.some((host) => perHost[host] === undefined)) return undefined;
  return hosts.reduce((sum, host) => sum + perHost[host]!, 0);
}
