import type { OtherFigure } from '../../shared/benchmark/result';
import { type FioFlow, type FioJob, parseFio } from '../parsers/fio';
import type { Measured, Measurement, Wave } from './figures';
import { missingCaveat, setupCaveats, setupsOf } from './figures-of-phases';

interface Found {
  readonly host: string;
  readonly phase: string;
  readonly flow: FioFlow;
}

/** Figures of fio: sequential and mixed throughput, and operations on small files. */
export function fioFigures(wave: Wave): Measured {
  const problems: string[] = [];
  const flows: Found[] = [];
  const metadata: (Found & { readonly name: string })[] = [];
  for (const { instanceId: host, records } of wave.hosts) {
    for (const { tool, text, phase } of records.raw) {
      if (tool !== 'fio') continue;
      const { value, problem } = parseFio(text);
      const where = `${wave.plan.id}, ${wave.name(host)}`;
      if (!value) problems.push(`${where}: ${problem}.`);
      for (const failure of value?.failures ?? []) problems.push(`${where}: ${failure}.`);
      for (const job of value?.jobs ?? []) {
        if (isMetadata(job, phase)) {
          const flow = job.write ?? job.read;
          if (flow) metadata.push({ host, phase: 'metadata', flow, name: job.name });
        } else flows.push(...throughput(job, host));
      }
    }
  }
  const phases = [...new Set(flows.map(({ phase }) => phase))];
  return {
    figures: phases.map((phase) => figureOf(phase, flows, wave)),
    others: operations(metadata, wave),
    problems,
  };
}

function isMetadata(job: FioJob, phase: string | undefined): boolean {
  return /^file(create|stat|delete)$/.test(job.engine ?? '') || /metadata/.test(`${job.name} ${phase ?? ''}`);
}

function throughput({ rw, name, read, write }: FioJob, host: string): Found[] {
  const mixed = /^(rand)?rw\b|mixed/.test(`${rw ?? ''} ${name}`.trim()) || (read && write);
  const prefix = mixed ? 'mixed-' : '';
  return [
    ...(write ? [{ host, phase: `${prefix}write`, flow: write }] : []),
    ...(read ? [{ host, phase: `${prefix}read`, flow: read }] : []),
  ];
}

function figureOf(phase: string, flows: readonly Found[], wave: Wave): Measurement {
  const perHost: Record<string, number> = {};
  let seconds = 0;
  for (const found of flows.filter((one) => one.phase === phase)) {
    perHost[found.host] = (perHost[found.host] ?? 0) + found.flow.MBps;
    seconds = Math.max(seconds, found.flow.seconds);
  }
  const hosts = Object.keys(perHost);
  const MBps = Object.values(perHost).reduce((sum, rate) => sum + rate, 0);
  const setups = setupsOf(wave.hosts.filter(({ instanceId }) => hosts.includes(instanceId)));
  return {
    plan: wave.plan,
    phase,
    hosts,
    physicalCores: wave.cores(hosts),
    MBps,
    atMostMBps: MBps,
    perHost,
    seconds,
    cached: phase.includes('read') && setups.some(({ reduced, cachesDropped }) => reduced && !cachesDropped),
    caveats: [...setupCaveats(phase, setups), ...missingCaveat(hosts, wave)],
  };
}

function operations(found: readonly (Found & { name: string })[], wave: Wave): OtherFigure[] {
  return [...new Set(found.map(({ name }) => name))].map((name) => {
    const ofName = found.filter((one) => one.name === name);
    return {
      testId: wave.plan.id,
      test: wave.plan.test,
      name,
      value: ofName.reduce((sum, { flow }) => sum + flow.iops, 0),
      unit: 'operations/s',
      hosts: [...new Set(ofName.map(({ host }) => host))],
    };
  });
}
