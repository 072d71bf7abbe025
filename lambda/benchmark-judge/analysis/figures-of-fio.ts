import type { OtherFigure } from '../../shared/benchmark/result';
import { type FioFlow, type FioJob, parseFio } from '../parsers/fio';
import { readBlock } from '../parsers/records';
import { missingHosts, phaseFigures } from './figures-of-phases';
import type { Measured, Measurement, Wave } from './measurement';
import { setupCaveats, setupsOf } from './setups';

interface Found {
  readonly host: string;
  readonly phase: string;
  readonly name: string;
  readonly flow: FioFlow;
  /** Jobs of one group ran at the same time, groups one after the other. */
  readonly group: string;
}

/** Figures of fio: sequential and mixed throughput, and operations on small files. */
export function fioFigures(wave: Wave): Measured {
  const problems: string[] = [];
  const found: Found[] = [];
  for (const { instanceId: host, records } of wave.hosts) {
    for (const [index, block] of records.raw.entries()) {
      if (block.tool !== 'fio') continue;
      const { value, problem } = readBlock(block, parseFio);
      for (const words of problem ? [problem] : value!.failures)
        problems.push(`${wave.plan.id}, ${wave.name(host)}: ${words}.`);
      for (const job of value?.jobs ?? [])
        found.push(...flowsOf(job, block.phase, host, `${index}.${job.group}`));
    }
  }
  const metadata = found.filter(({ phase }) => phase === 'metadata');
  // What the program timed itself has the hosts' clocks in it, so that hosts can be put together. Both directions of
  // mixed work are one phase there.
  const timed = phaseFigures(wave);
  const whole = timed.figures.filter(({ phase }) => phase === 'write' || phase === 'read');
  const phases = new Set(found.map(({ phase }) => phase));
  for (const known of ['metadata', ...whole.map(({ phase }) => phase)]) phases.delete(known);
  return {
    figures: [...whole, ...[...phases].map((phase) => figureOf(phase, found, wave))],
    others: operations(metadata, wave),
    problems,
  };
}

function flowsOf(job: FioJob, phase: string | undefined, host: string, group: string): Found[] {
  const { rw, name, engine, read, write } = job;
  const found = (of: string, flow: FioFlow | undefined) =>
    flow ? [{ host, phase: of, name, flow, group }] : [];
  if (/^file(create|stat|delete)$/.test(engine ?? '') || /metadata/.test(`${name} ${phase ?? ''}`)) {
    return found('metadata', write ?? read);
  }
  const mixed = /^(rand)?rw\b/.test(rw ?? '') || /mixed/.test(name) || (read && write);
  const prefix = mixed ? 'mixed-' : '';
  return [...found(`${prefix}write`, write), ...found(`${prefix}read`, read)];
}

function figureOf(phase: string, all: readonly Found[], wave: Wave): Measurement {
  const perHost: Record<string, number> = {};
  let seconds = 0;
  const ofPhase = all.filter((one) => one.phase === phase);
  const hosts = [...new Set(ofPhase.map(({ host }) => host))];
  for (const host of hosts) {
    const rate = rateOf(ofPhase.filter((one) => one.host === host));
    perHost[host] = rate.MBps;
    seconds = Math.max(seconds, rate.seconds);
  }
  const MBps = sum(Object.values(perHost));
  const taking = wave.hosts.filter(({ instanceId }) => hosts.includes(instanceId));
  const setups = setupsOf(taking, phase.startsWith('mixed') ? 'mixed' : phase);
  return {
    plan: wave.plan,
    phase,
    hosts,
    missing: missingHosts(hosts, wave),
    physicalCores: wave.cores(hosts),
    MBps,
    atMostMBps: MBps,
    perHost,
    seconds,
    cached: phase.includes('read') && setups.some(({ reduced, cachesDropped }) => reduced && !cachesDropped),
    caveats: setupCaveats(phase, setups, wave.plan),
  };
}

/** Jobs of one group add up. Of several groups: all bytes over all their time. */
function rateOf(found: readonly Found[]): { MBps: number; seconds: number } {
  const groups = [...new Set(found.map(({ group }) => group))].map((group) => {
    const flows = found.filter((one) => one.group === group).map(({ flow }) => flow);
    return {
      MBps: sum(flows.map(({ MBps }) => MBps)),
      seconds: Math.max(...flows.map((flow) => flow.seconds)),
    };
  });
  const seconds = sum(groups.map((group) => group.seconds));
  return { MBps: sum(groups.map((group) => group.MBps * group.seconds)) / seconds, seconds };
}

function operations(found: readonly Found[], wave: Wave): OtherFigure[] {
  return [...new Set(found.map(({ name }) => name))].map((name) => {
    const ofName = found.filter((one) => one.name === name);
    return {
      testId: wave.plan.id,
      test: wave.plan.test,
      name,
      value: sum(ofName.map(({ flow }) => flow.iops)),
      unit: 'operations/s',
      hosts: [...new Set(ofName.map(({ host }) => host))],
    };
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
