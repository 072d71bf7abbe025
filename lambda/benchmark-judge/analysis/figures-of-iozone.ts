import { type IozonePart, parseIozone } from '../parsers/iozone';
import { readBlock } from '../parsers/records';
import { apartCaveat, missingHosts, ranApart } from './figures-of-phases';
import type { Measured, Measurement, Wave } from './measurement';
import type { ObservedRun } from './observed';
import { setupCaveats, setupsOf } from './setups';
import { type Rates, ratesOf, type Window } from './windows';

/** A part of the test as one host printed it. */
interface Found extends IozonePart {
  readonly host: string;
  readonly complete: boolean;
  /** When the whole of IOZone ran that it is a part of; undefined where the program did not say. */
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/** Figures of IOZone: of the host that drives all clients (003), or the sum of hosts that each run it alone. */
export function iozoneFigures(wave: Wave, run: ObservedRun): Measured {
  const problems: string[] = [];
  const found: Found[] = [];
  for (const { instanceId: host, records } of wave.hosts) {
    for (const block of records.raw.filter(({ tool }) => tool === 'iozone')) {
      const { value, problem } = readBlock(block, parseIozone);
      for (const words of problem ? [problem] : value!.doubts)
        problems.push(`${wave.plan.id}, ${wave.name(host)}: ${words}.`);
      const { startedAt, endedAt } = block;
      for (const part of value?.parts ?? [])
        found.push({ ...part, host, complete: value!.complete, startedAt, endedAt });
    }
  }
  const clients = clientsOf(wave, run);
  const phases = [...new Set(found.map(({ phase }) => phase))];
  return { figures: phases.map((phase) => figureOf(phase, found, clients, wave)), others: [], problems };
}

function figureOf(
  phase: string,
  all: readonly Found[],
  clients: string[] | undefined,
  wave: Wave,
): Measurement {
  const parts = all.filter((one) => one.phase === phase);
  const perHost: Record<string, number> = {};
  for (const { host, MBps } of parts) perHost[host] = (perHost[host] ?? 0) + MBps;
  const hosts = clients ?? Object.keys(perHost);
  const total = Object.values(perHost).reduce((sum, rate) => sum + rate, 0);
  const together = clients === undefined ? togetherOf(parts) : undefined;
  const apart = together !== undefined && ranApart(together);
  const setups = setupsOf(wave.hosts, phase === 'reread' ? 'read' : phase);
  const alone = clients === undefined && hosts.length > 1;
  return {
    plan: wave.plan,
    phase,
    hosts,
    missing: clients ? undefined : missingHosts(hosts, wave),
    physicalCores: wave.cores(hosts),
    MBps: apart ? Math.min(total, together.MBps) : total,
    atMostMBps: total,
    // Who drives others prints their sum, the slowest and the fastest process, not which host they were on.
    perHost: hosts.length === 1 || alone ? perHost : {},
    cached: /read/.test(phase) && setups.some(({ reduced, cachesDropped }) => reduced && !cachesDropped),
    caveats: [
      ...setupCaveats(phase, setups, wave.plan),
      ...(parts.every(({ complete }) => complete) ? [] : ['IOZone did not come to its end.']),
      ...(parts.every(({ averageKiBps }) => averageKiBps !== undefined)
        ? []
        : ['What IOZone printed as average of a process does not go with the sum.']),
      ...(apart ? apartCaveat(together) : []),
      ...(alone && !apart
        ? [
            'Each host ran IOZone for itself: the sum is of hosts that began together, not of ' +
              'ones that went on together.',
          ]
        : []),
    ],
  };
}

/** What hosts did together that each ran IOZone for itself; undefined unless all say when they ran. */
function togetherOf(parts: readonly Found[]): Rates | undefined {
  const windows: Record<string, Window[]> = {};
  for (const { host, MBps, startedAt, endedAt } of parts) {
    if (startedAt === undefined || endedAt === undefined || endedAt <= startedAt) return undefined;
    // Its rate goes for all of its time: of how long each part took IOZone tells nothing.
    const bytes = MBps * 1e6 * (endedAt - startedAt);
    windows[host] = [...(windows[host] ?? []), { startedAt, endedAt, bytes }];
  }
  return ratesOf(windows);
}

/** The hosts behind the addresses that the driving host was given; undefined where each host runs for itself. */
function clientsOf({ plan, planned }: Wave, { record }: ObservedRun): string[] | undefined {
  const addresses = (plan.parameters.Clients ?? '').split(',').map((one) => one.trim());
  if (addresses.every((one) => one === '')) return undefined;
  const known = record.hosts.filter(({ privateIp }) => addresses.includes(privateIp));
  return known.length > 0 ? known.map(({ instanceId }) => instanceId) : planned;
}
