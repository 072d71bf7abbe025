import type { Phase } from '../../shared/benchmark/observations';
import { parseDd } from '../parsers/dd';
import { ofKind } from '../parsers/records';
import type { Measured, Measurement, Wave } from './measurement';
import { setupCaveats, setupsOf } from './setups';
import { percent, rounded } from './text';
import { type Rates, ratesOf, type Window } from './windows';

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
  return { figures, others: [], problems: [] };
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
    missing: missingHosts(hosts, wave),
    physicalCores,
    MBps: rates.MBps,
    atMostMBps: rates.atMostMBps,
    perHost: rates.perHost,
    seconds: rates.seconds,
    cpuShare: cpuShare(phase, wave, hosts),
    cached,
    caveats: [
      ...setupCaveats(phase, setups, wave.plan),
      ...apartCaveat(rates),
      ...(rates.seconds < SHORT_SECONDS
        ? [`It lasted ${rounded(rates.seconds)} s: too short for starting and the last sync not to weigh.`]
        : []),
      ...lostBytes(phase, wave, windows),
    ],
  };
}

/** Hosts that ran one after the other, or nearly so. */
export const ranApart = ({ overlap }: Rates): boolean => overlap < LEAST_OVERLAP;

export function apartCaveat(rates: Rates): string[] {
  if (!ranApart(rates)) return [];
  return [
    `The hosts ran together for only ${percent(rates.overlap)} of the time by their clocks: the figure is all ` +
      'bytes over the time in which any of them ran. The sum of what each did while it ran is ' +
      `${rounded(rates.atMostMBps)} MB/s.`,
  ];
}

/** Hosts of the wave that are not in a figure; undefined when all are. */
export function missingHosts(hosts: readonly string[], { planned }: Wave): string[] | undefined {
  const missing = planned.filter((host) => !hosts.includes(host));
  return missing.length > 0 ? missing : undefined;
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
