import type { OtherFigure } from '../../shared/benchmark/result';
import { parseIperf3 } from '../parsers/iperf3';
import { parseLnet } from '../parsers/lnet';
import type { Parsed } from '../parsers/parsed';
import { type RawBlock, readBlock } from '../parsers/records';
import { missingHosts } from './figures-of-phases';
import type { Measured, Measurement, Wave } from './measurement';

interface Flow {
  readonly host: string;
  readonly peer: string;
  readonly phase: string;
  readonly MBps: number;
}

/** Figures of the network between hosts. A host tries its peers one after the other: its rate is the mean over them. */
export function networkFigures(wave: Wave): Measured {
  const problems: string[] = [];
  const flows: Flow[] = [];
  for (const { instanceId: host, records } of wave.hosts) {
    for (const block of records.raw) {
      const { tool, peer = 'another host' } = block;
      const rates = tool === 'iperf3' ? tcp(block) : tool === 'lnet-selftest' ? lnet(block) : undefined;
      if (rates?.problem) problems.push(`${wave.plan.id}, ${wave.name(host)} to ${peer}: ${rates.problem}.`);
      for (const [phase, MBps] of Object.entries(rates?.value ?? {})) flows.push({ host, peer, phase, MBps });
    }
  }
  const phases = [...new Set(flows.map(({ phase }) => phase))];
  return {
    figures: phases.map((phase) => figureOf(phase, flows, wave)),
    others: pairs(flows, wave),
    problems,
  };
}

/** MB/s by phase. */
type Rates = Parsed<{ readonly [phase: string]: number }>;

function tcp(block: RawBlock): Rates {
  const { value, problem } = readBlock(block, parseIperf3);
  return value ? { value: { tcp: value.MBps } } : { problem: problem! };
}

function lnet(block: RawBlock): Rates {
  const { value, problem } = readBlock(block, parseLnet, true);
  const group = value?.find((one) => /client/i.test(one.group)) ?? value?.[0];
  if (!group) return { problem: problem ?? 'lst printed no bandwidth' };
  return { value: { 'lnet-write': group.sentMBps, 'lnet-read': group.receivedMBps } };
}

function figureOf(phase: string, flows: readonly Flow[], wave: Wave): Measurement {
  const perHost: Record<string, number> = {};
  for (const host of new Set(flows.map((flow) => flow.host))) {
    const rates = flows.filter((flow) => flow.phase === phase && flow.host === host).map(({ MBps }) => MBps);
    if (rates.length > 0) perHost[host] = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  }
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
    // iperf3 runs on all hosts in rounds; with LNet one host after the other drives the rest.
    caveats:
      phase !== 'tcp' && hosts.length > 1
        ? ['The hosts were tried one after the other: together they may not get this sum.']
        : [],
  };
}

/** Each pair for itself: one slow way between two hosts disappears in a sum. */
function pairs(flows: readonly Flow[], wave: Wave): OtherFigure[] {
  return flows.map(({ host, peer, phase, MBps }) => ({
    testId: wave.plan.id,
    test: wave.plan.test,
    name: `${phase} ${wave.name(host)} to ${peer}`,
    value: MBps,
    unit: 'MB/s',
    hosts: [host],
  }));
}
