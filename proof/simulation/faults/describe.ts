import type { CapacityTurn } from '../aws/ec2/capacity';
import type { Fault, Target } from './kinds';
import type { Plan } from './plan';

/** A fault as people read it, with its time after the faults began. */
export function describeFault(fault: Fault): string {
  return 'at' in fault ? `+${duration(fault.at)} ${whatOf(fault)}` : whatOf(fault);
}

/** A fault without its time. */
export function whatOf(fault: Fault): string {
  if (fault.kind === 'call') {
    const what = 'ms' in fault.fault ? `${fault.fault.kind}, ${duration(fault.fault.ms)}` : fault.fault.kind;
    const by = fault.worker === undefined ? '' : ` by the ${fault.worker}`;
    return `call ${fault.nth} of ${fault.operation ?? 'any operation'}${by}: ${what}`;
  }
  if (fault.kind === 'event') {
    const what = fault.drop
      ? 'lost'
      : fault.copies
        ? `comes ${fault.copies} times`
        : `late by ${duration(fault.delayMs ?? 0)}`;
    return `event ${fault.nth} of ${SOURCES[fault.of]}: ${what}`;
  }
  if (fault.kind === 'invocation') return `invocation ${fault.nth} of the ${fault.worker}: ${fault.how}`;
  const { kind, at: _, ...rest } = fault;
  const details = Object.entries(rest).map(([name, value]) => `${name} ${show(name, value)}`);
  return `${kind}${details.length > 0 ? `: ${details.join(', ')}` : ''}`;
}

const SOURCES = {
  autoscaling: 'Auto Scaling',
  schedule: 'the schedules',
  cloudformation: 'CloudFormation',
} as const;

/** What a run begins with, in one line. */
export function describeScenario({ scenario }: Plan): string {
  const { seed, slots, volumesPerSlot, spareServers, start, pace, recoveryTimeoutSeconds } = scenario;
  const when = start === 'deployment' ? 'faults during the first deployment' : 'faults strike a served tier';
  return (
    `seed ${seed}: ${slots} slots of ${volumesPerSlot} volumes, ${spareServers} spare servers, ${pace} pace, ` +
    `recovery time-out ${recoveryTimeoutSeconds} s, ${when}`
  );
}

/** Minutes and seconds. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function show(name: string, value: unknown): string {
  if (name === 'turns')
    return (value as readonly CapacityTurn[])
      .map(({ ms, has }) => `${duration(ms)} of ${has.join(' and ')}`)
      .join(', then ');
  if (/[mM]s$/.test(name) || name === 'staleness') return duration(Number(value));
  if (name === 'target') return target(value as Target | 'all');
  if (name === 'targets') return (value as Target[]).map(target).join(' and ');
  return String(value);
}

const target = (value: Target | 'all'): string =>
  value === 'all'
    ? 'all hosts'
    : 'owner' in value
      ? `the owner of slot ${value.owner}`
      : `member ${value.member}`;
