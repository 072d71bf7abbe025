import { namesOf } from './named';
import type { Instance } from './ports';
import { BenchmarkRefused } from './refusal';
import { refused } from './request';

/** Machines that can be measured on: the hosts, and the storage servers. */
export interface Machines {
  readonly hosts: Instance[];
  readonly servers: Instance[];
}

/** The machines of a benchmark as EC2 and Systems Manager show them. */
export interface ObservedMachines extends Machines {
  /** Those that can be sent something. */
  readonly online: ReadonlySet<string>;
}

/** The machines that are asked for by name or id, or all. */
export function chosenMachines({ hosts, servers }: Machines, wanted: string[] | undefined): Machines {
  if (!wanted) return { hosts, servers };
  const isCalled = (name: string) => (machine: Instance) =>
    machine.instanceId === name || machine.name === name;
  const all = [...hosts, ...servers];
  const missing = wanted.find((name) => !all.some(isCalled(name)));
  if (missing !== undefined) {
    const known = all.map(({ name, instanceId }) => name ?? instanceId).join(', ');
    throw refused(
      'hosts',
      missing,
      `hosts of the benchmark that run: ${known || 'none'}`,
      '["i-0123456789abcdef0"]',
    );
  }
  const isWanted = (machine: Instance) => wanted.some((name) => isCalled(name)(machine));
  return { hosts: hosts.filter(isWanted), servers: servers.filter(isWanted) };
}

/** Why every test is left out. */
export function nothingToMeasure(
  { hosts, servers }: Machines,
  online: ReadonlySet<string>,
  problems: string[],
): BenchmarkRefused {
  const running = [...hosts, ...servers];
  if (running.some(({ instanceId }) => online.has(instanceId))) {
    return new BenchmarkRefused(`nothing can be measured: ${problems.join(' ')}`);
  }
  return new BenchmarkRefused(
    running.length === 0
      ? 'no host of the benchmark runs, so that nothing can be measured. Start the hosts, or look whether they ' +
          'have the tag that the benchmark looks for.'
      : `${running.length} host(s) run, and Systems Manager hears from none: ${namesOf(running)}. Look at their ` +
          'agents, their role and their way to Systems Manager.',
  );
}
