import type { OtherFigure } from '../../shared/benchmark/result';
import { parseIperf3 } from '../parsers/iperf3';
import { parseLnet } from '../parsers/lnet';
import type { Measured, Measurement, Wave } from './figures';
import { missingHosts } from './figures-of-phases';

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
    for (const { tool, text, ended, peer = 'another host' } of records.raw) {
      const fail = (problem: string | undefined) =>
        problems.push(`${wave.plan.id}, ${wave.name(host)} to ${peer}: ${problem}.`);
      if (tool === 'iperf3') {
        const { value, problem } = parseIperf3(text);
        if (value) flows.push({ host, peer, phase: 'tcp', MBps: value.MBps });
        else fail(problem);
      } else if (tool === 'lnet-selftest') {
        // The mean of some of its samples would not be that of all.
        const { value, problem } = ended ? parseLnet(text) : { problem: 'its output was cut off' };
        const group = value?.find((one) => /client/i.test(one.group)) ?? value?.[0];
        if (!group) fail(problem);
        else {
          flows.push({ host, peer, phase: 'lnet-write', MBps: group.sentMBps });
          flows.push({ host, peer, phase: 'lnet-read', MBps: group.receivedMBps });
        }
      }
    }
  }
  const phases = [...new Set(flows.map(({ phase }) => phase))];
  return {
    figures: phases.map((phase) => figureOf(phase, flows, wave)),
    others: pairs(flows, wave),
    problems,
  };
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
    caveats: [],
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
