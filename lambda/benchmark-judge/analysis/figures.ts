import type { PlannedTest } from '../../shared/benchmark/plan';
import { fioFigures } from './figures-of-fio';
import { iozoneFigures } from './figures-of-iozone';
import { networkFigures } from './figures-of-network';
import { phaseFigures } from './figures-of-phases';
import { serverFigures } from './figures-of-servers';
import type { Measured, Wave } from './measurement';
import type { ObservedRun } from './observed';

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
          `${plan.id}, ${names.get(instanceId) ?? instanceId}: ${records.unreadable.length} line(s) could not ` +
          `be read, the first is ${records.unreadable[0]}`,
      ),
  );
}
