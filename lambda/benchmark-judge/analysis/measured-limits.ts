import type { Measurement } from './figures';
import type { KnownLimit } from './storage-limits';
import { counted, rounded } from './text';

/** Slower than this by so much, a measured part was no limit: the whole was faster than it. */
const FASTER = 1.05;

/**
 * What other tests of the same run say of the parts that a figure depends on: its hosts' network, their raw devices, and servers by themselves.
 * A part that came out slower than the whole was not measured at its best, and is no limit.
 */
export function measuredLimits(figure: Measurement, all: readonly Measurement[]): KnownLimit[] {
  const storage = figure.plan.path?.storage;
  const local = storage !== undefined && storage.servers === 0 && storage.provisionedMBps === undefined;
  const reading = figure.phase.includes('read');
  const found = [
    ...(local ? [] : network(figure, all, reading)),
    ...(reading && (local || !storage) ? rawDevices(figure, all) : []),
    ...(storage?.kind === 'lustre' ? servers(all, reading, storage.servers) : []),
  ];
  return found.filter(({ MBps }) => figure.MBps <= MBps * FASTER);
}

function network(figure: Measurement, all: readonly Measurement[], reading: boolean): KnownLimit[] {
  const phases = ['tcp', reading ? 'lnet-read' : 'lnet-write'];
  return all
    .filter(({ plan, phase }) => plan.test === 'network' && phases.includes(phase))
    .flatMap(({ perHost, phase }) => {
      const MBps = sumOf(figure.hosts, perHost);
      if (MBps === undefined) return [];
      const way = phase === 'tcp' ? 'TCP' : 'LNet';
      return [
        limit(
          'client-network',
          MBps,
          `the network of ${counted(figure.hosts.length, 'host')}, ${rounded(MBps / figure.hosts.length)} MB/s each by this run's ${way} test`,
        ),
      ];
    });
}

function rawDevices(figure: Measurement, all: readonly Measurement[]): KnownLimit[] {
  return all
    .filter(({ plan, phase }) => plan.test === 'raw-device' && phase.includes('read'))
    .flatMap(({ perHost }) => {
      const MBps = sumOf(figure.hosts, perHost);
      if (MBps === undefined) return [];
      return [
        limit(
          'device',
          MBps,
          `the disks of ${counted(figure.hosts.length, 'host')}, as this run read them without a file system`,
        ),
      ];
    });
}

function servers(all: readonly Measurement[], reading: boolean, count: number): KnownLimit[] {
  const phase = reading ? 'read' : 'write';
  return all
    .filter((one) => one.plan.test === 'lustre-server' && one.phase === phase && one.hosts.length > 0)
    .map(({ perHost, hosts }) => {
      const each = Object.values(perHost).reduce((sum, rate) => sum + rate, 0) / hosts.length;
      const tried = hosts.length < count ? `, of which ${hosts.length} took part in that test` : '';
      return limit(
        'server-count',
        each * count,
        `${counted(count, 'server')}${tried}, ${rounded(each)} MB/s each by this run's test on the servers themselves`,
      );
    });
}

function limit(kind: KnownLimit['kind'], MBps: number, what: string): KnownLimit {
  return { kind, MBps, mostMBps: Number.POSITIVE_INFINITY, what, measured: true };
}

/** Undefined unless every host was measured. */
function sumOf(hosts: readonly string[], perHost: Readonly<Record<string, number>>): number | undefined {
  if (hosts.length === 0 || hosts.some((host) => perHost[host] === undefined)) return undefined;
  return hosts.reduce((sum, host) => sum + perHost[host]!, 0);
}
