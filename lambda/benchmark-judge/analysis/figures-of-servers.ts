import { parseObdfilter } from '../parsers/obdfilter';
import { readBlock } from '../parsers/records';
import { missingHosts, phaseFigures } from './figures-of-phases';
import type { Measured, Measurement, Wave } from './measurement';

/** Figures of Lustre servers alone, without the network: by obdfilter-survey, or by the program's own phases. */
export function serverFigures(wave: Wave): Measured {
  const problems: string[] = [];
  const rates: Record<string, Record<string, number>> = {};
  for (const { instanceId: host, records } of wave.hosts) {
    for (const block of records.raw) {
      if (block.tool !== 'obdfilter-survey') continue;
      const { value, problem } = readBlock(block, parseObdfilter, true);
      if (!value) {
        problems.push(`${wave.plan.id}, ${wave.name(host)}: ${problem}.`);
        continue;
      }
      const found = { write: value.writeMBps, rewrite: value.rewriteMBps, read: value.readMBps };
      for (const [phase, MBps] of Object.entries(found)) {
        if (MBps !== undefined) rates[phase] = { ...rates[phase], [host]: MBps };
      }
    }
  }
  const own = phaseFigures(wave);
  const surveyed = Object.entries(rates).map(([phase, perHost]) => figureOf(phase, perHost, wave));
  return {
    figures: [...surveyed, ...own.figures.filter(({ phase }) => !rates[phase])],
    others: [],
    problems,
  };
}

function figureOf(phase: string, perHost: Record<string, number>, wave: Wave): Measurement {
  const hosts = Object.keys(perHost);
  const MBps = Object.values(perHost).reduce((sum, rate) => sum + rate, 0);
  return {
    plan: wave.plan,
    phase,
    hosts,
    missing: missingHosts(hosts, wave),
    physicalCores: wave.cores(hosts),
    MBps,
    atMostMBps: MBps,
    perHost,
    cached: false,
    caveats: [],
  };
}
