import { parseIozone } from '../parsers/iozone';
import type { Measured, Wave } from './figures';
import type { ObservedRun } from './observed';
import { setupCaveats, setupsOf } from './setups';

/** Figures of the distributed IOZone test: one host drives, and what it prints is of all clients. */
export function iozoneFigures(wave: Wave, run: ObservedRun): Measured {
  const clients = clientsOf(wave, run);
  const problems: string[] = [];
  const figures = wave.hosts.flatMap(({ instanceId, records }) =>
    records.raw
      .filter(({ tool }) => tool === 'iozone')
      .flatMap(({ text }) => {
        const { value, problem } = parseIozone(text);
        if (!value) problems.push(`${wave.plan.id}, ${wave.name(instanceId)}: ${problem}.`);
        for (const doubt of value?.doubts ?? []) problems.push(`${wave.plan.id}: ${doubt}.`);
        const setups = setupsOf(wave.hosts);
        return (value?.parts ?? []).map(({ phase, MBps, processes, averageKiBps }) => ({
          plan: wave.plan,
          phase,
          hosts: clients,
          physicalCores: wave.cores(clients),
          MBps,
          atMostMBps: MBps,
          // IOZone names the sum, the slowest and the fastest process, not which host they were on; with one host there is no question.
          perHost: clients.length === 1 ? { [clients[0]!]: MBps } : {},
          cached: false,
          caveats: [
            ...setupCaveats(phase, setups, wave.plan),
            ...(value!.complete ? [] : ['IOZone did not come to its end.']),
            ...(averageKiBps === undefined
              ? [`IOZone's average of its ${processes} processes does not go with their sum.`]
              : []),
          ],
        }));
      }),
  );
  return { figures, others: [], problems };
}

/** The hosts behind the addresses that the driving host was given; the driving hosts where none is known. */
function clientsOf({ plan, planned }: Wave, { record }: ObservedRun): string[] {
  const addresses = (plan.parameters.Clients ?? '').split(',').map((one) => one.trim());
  const known = record.hosts.filter(({ privateIp }) => addresses.includes(privateIp));
  return known.length > 0 ? known.map(({ instanceId }) => instanceId) : planned;
}
