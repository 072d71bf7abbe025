import type { Phase, Setup } from '../../shared/benchmark/observations';
import { parseDd } from '../parsers/dd';
import { ofKind } from '../parsers/records';
import type { Measured, Measurement, Wave } from './figures';
import type { HostOutput, ObservedRun } from './observed';
import { counted, listed, percent, rounded } from './text';
import { ratesOf, type Window } from './windows';

/** Below this, starting the processes and the last sync weigh as much as the storage. */
const SHORT_SECONDS = 10;
/** Hosts that ran together for less of their time did not load the storage together. */
const LEAST_OVERLAP = 0.8;

/** Figures of tests that say themselves, host by host, how many bytes they moved from when to when. */
export function phaseFigures(wave: Wave): Measured {
  const names = [
    ...new Set(wave.hosts.flatMap(({ records }) => ofKind(records, 'phase').map((p) => p.phase))),
  ];
  const figures = names.flatMap((phase) => figureOf(phase, wave) ?? []);
  return { figures, others: [], problems: wave.hosts.flatMap((host) => unreadable(host, wave)) };
}

function figureOf(phase: string, wave: Wave): Measurement | undefined {
  const windows: Record<string, Window[]> = {};
  for (const { instanceId, records } of wave.hosts) {
    const found = ofKind(records, 'phase').filter((one) => one.phase === phase && one.bytes > 0);
    if (found.length > 0) windows[instanceId] = found;
  }
  const rates = ratesOf(windows);
  if (!rates) return undefined;
  const hosts = Object.keys(windows);
  const physicalCores = wave.cores(hosts);
  const taking = wave.hosts.filter(({ instanceId }) => hosts.includes(instanceId));
  const setups = taking.flatMap((host) => setupsOf([host], phase));
  const cached =
    phase.includes('read') && setups.some(({ reduced, cachesDropped }) => reduced && !cachesDropped);
  return {
    plan: wave.plan,
    phase,
    hosts,
    physicalCores,
    MBps: rates.MBps,
    atMostMBps: rates.atMostMBps,
    perHost: rates.perHost,
    seconds: rates.seconds,
    cpuShare: cpuShare(phase, wave, hosts),
    cached,
    caveats: [
      ...setupCaveats(phase, setups),
      ...missingCaveat(hosts, wave),
      ...(rates.overlap < LEAST_OVERLAP
        ? [
            `The hosts ran together for only ${percent(rates.overlap)} of the time by their clocks: the figure is all bytes over the time in which any of them ran. The sum of what each did while it ran is ${rounded(rates.atMostMBps)} MB/s.`,
          ]
        : []),
      ...(rates.seconds < SHORT_SECONDS
        ? [`It lasted ${rounded(rates.seconds)} s: too short for starting and the last sync not to weigh.`]
        : []),
      ...lostBytes(phase, wave, windows),
    ],
  };
}

/**
 * How hosts set a test up.
 *
 * @param phase only what goes for this one: with both kinds of data there is a set-up for each, and a note where caches could not be dropped
 */
export function setupsOf(hosts: readonly HostOutput[], phase?: string): Setup[] {
  return hosts.flatMap(({ records }) => {
    const all = ofKind(records, 'setup');
    const data = phase?.endsWith('-random-data') ? 'random' : 'zero';
    const several = phase !== undefined && new Set(all.map((one) => one.data)).size > 1;
    const kept = ofKind(records, 'note').some(
      ({ text }) => text === `caches were not dropped before the phase ${phase}`,
    );
    return all
      .filter((one) => !several || one.data === data)
      .map((one) => (kept ? { ...one, cachesDropped: false } : one));
  });
}

/** How a test was set up on its hosts. */
export function setupsIn({ tests }: ObservedRun, testId: string): Setup[] {
  return tests.filter(({ plan }) => plan.id === testId).flatMap(({ hosts }) => setupsOf([...hosts.values()]));
}

/** Why a figure with such a set-up cannot simply pass for the storage's. */
export function setupCaveats(phase: string, setups: readonly Setup[]): string[] {
  const caveats: string[] = [];
  if (setups.some(({ reduced }) => reduced)) {
    caveats.push(
      'The files were smaller than memory demands: caches of hosts and servers may have answered for the disks.',
    );
  }
  if (phase.includes('read') && setups.some(({ cachesDropped }) => !cachesDropped)) {
    caveats.push('Caches could not be dropped before reading.');
  }
  if (setups.some(({ data }) => data === 'zero') && !phase.includes('random-data')) {
    const compressing = setups.some(({ fileSystemType }) => /zfs|btrfs|nfs/.test(fileSystemType ?? ''));
    if (compressing) caveats.push('The data were zeros, which a server with compression does not write.');
  }
  return caveats;
}

/** Hosts of the wave that are not in a figure. */
export function missingCaveat(hosts: readonly string[], wave: Wave): string[] {
  const missing = wave.planned.filter((host) => !hosts.includes(host));
  if (missing.length === 0) return [];
  return [
    `${listed(missing.map(wave.name))} did not take part: the ${counted(hosts.length, 'other host')} had the storage to ${hosts.length === 1 ? 'itself' : 'themselves'}.`,
  ];
}

/** Where dd's own count is there, it has to agree with the program's. */
function lostBytes(
  phase: string,
  wave: Wave,
  windows: Readonly<Record<string, readonly Window[]>>,
): string[] {
  return wave.hosts.flatMap(({ instanceId, records }) => {
    const blocks = records.raw.filter((block) => block.tool === 'dd' && block.phase === phase);
    const read = blocks.map(({ text }) => parseDd(text).value);
    if (read.length === 0 || read.some((one) => !one)) return [];
    const bytes = read.reduce((sum, one) => sum + one!.bytes, 0);
    const said = (windows[instanceId] ?? []).reduce((sum, one) => sum + one.bytes, 0);
    return said > bytes
      ? [
          `On ${wave.name(instanceId)} dd counted ${rounded(bytes)} bytes, of ${rounded(said)} that were to be moved.`,
        ]
      : [];
  });
}

/** Busy processors of the hosts in a phase: logical ones, since the kernel counts those. */
function cpuShare(phase: string, wave: Wave, hosts: readonly string[]): number | undefined {
  let [used, available] = [0, 0];
  for (const { instanceId, records } of wave.hosts) {
    if (!hosts.includes(instanceId)) continue;
    const cpus = ofKind(records, 'host')[0]?.logicalCpus;
    const phases = ofKind(records, 'phase').filter((one) => one.phase === phase);
    if (!cpus || !phases.every(hasCpu)) return undefined;
    for (const one of phases) {
      used += one.userSeconds! + one.systemSeconds!;
      available += cpus * (one.endedAt - one.startedAt);
    }
  }
  return available > 0 ? used / available : undefined;
}

function hasCpu({ userSeconds, systemSeconds }: Phase): boolean {
  return userSeconds !== undefined && systemSeconds !== undefined;
}

function unreadable({ instanceId, records }: HostOutput, wave: Wave): string[] {
  return records.unreadable.map(
    (line) => `${wave.plan.id}, ${wave.name(instanceId)}: a line that could not be read: ${line}`,
  );
}
