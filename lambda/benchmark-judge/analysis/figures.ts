import type { PlannedTest } from '../../shared/benchmark/plan';
import type { OtherFigure } from '../../shared/benchmark/result';
import { fioFigures } from './figures-of-fio';
import { iozoneFigures } from './figures-of-iozone';
import { networkFigures } from './figures-of-network';
import { phaseFigures } from './figures-of-phases';
import { serverFigures } from './figures-of-servers';
import type { HostOutput, ObservedRun, ObservedTest } from './observed';

/** A measured number before it is judged and explained. */
export interface Measurement {
  readonly plan: PlannedTest;
  readonly phase: string;
  /** Those whose bytes are in it. */
  readonly hosts: string[];
  /** Those that were to take part and did not; undefined: none. */
  readonly missing?: string[];
  readonly physicalCores: number;
  readonly MBps: number;
  /** What it may have been at most, where clocks or waiting leave that open; else the same. */
  readonly atMostMBps: number;
  readonly perHost: Record<string, number>;
  readonly seconds?: number;
  /** Share of the processors that was busy, where it could be told. */
  readonly cpuShare?: number;
  /** The client's memory answered, or may have: not a measure of the storage. */
  readonly cached: boolean;
  readonly caveats: string[];
}

export interface Measured {
  readonly figures: Measurement[];
  readonly others: OtherFigure[];
  /** What could not be read, a sentence each. */
  readonly problems: string[];
}

/** One wave of a test: hosts that ran at the same time. */
export interface Wave {
  readonly test: ObservedTest;
  readonly plan: PlannedTest;
  readonly planned: string[];
  readonly hosts: HostOutput[];
  readonly cores: (hosts: readonly string[]) => number;
  readonly name: (host: string) => string;
}

type Reader = (wave: Wave, run: ObservedRun) => Measured;

const READERS: Readonly<Record<PlannedTest['test'], Reader | undefined>> = {
  'sas-io': phaseFigures,
  'raw-device': phaseFigures,
  iozone: iozoneFigures,
  fio: fioFigures,
  network: networkFigures,
  'lustre-server': serverFigures,
  // Its times have a summary of their own.
  'mixed-sas': undefined,
};

/** Every number that the tests of a run measured. A host that is missing takes no other host's numbers with it. */
export function measure(run: ObservedRun): Measured {
  const all: Measured[] = [];
  const names = new Map(run.hosts.map(({ instanceId, name }) => [instanceId, name]));
  for (const test of run.tests) {
    const read = READERS[test.plan.test];
    if (!read) continue;
    for (const planned of test.plan.waves) {
      const hosts = planned.flatMap((host) => test.hosts.get(host) ?? []);
      const cores = (ids: readonly string[]) => ids.reduce((sum, id) => sum + run.cores(id), 0);
      const name = (host: string) => names.get(host) ?? host;
      all.push(read({ test, plan: test.plan, planned, hosts, cores, name }, run));
    }
  }
  return {
    figures: all.flatMap(({ figures }) => figures),
    others: all.flatMap(({ others }) => others),
    problems: [...all.flatMap(({ problems }) => problems), ...unreadable(run, names)],
  };
}

/** Marked lines that are not what the programs print: most likely two programs wrote at the same time. */
function unreadable({ tests }: ObservedRun, names: ReadonlyMap<string, string>): string[] {
  return tests.flatMap(({ plan, hosts }) =>
    [...hosts.values()]
      .filter(({ records }) => records.done && records.unreadable.length > 0)
      .map(
        ({ instanceId, records }) =>
          `${plan.id}, ${names.get(instanceId) ?? instanceId}: ${records.unreadable.length} line(s) could not be read, the first is ${records.unreadable[0]}`,
      ),
  );
}
