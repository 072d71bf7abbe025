import type { HostOutcome } from '../shared/benchmark/plan';
import type { Instance, Invocation } from './ports';
import { reasonOf, refusalOf } from './said';
import { type Sent, UNSEEN_MS } from './sent';
import type { Step } from './steps';

/** What is seen of a step, at one moment. */
export interface Seen {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** By instance. */
  readonly invocations: Readonly<Record<string, Invocation>>;
  readonly instances: readonly Instance[];
  /** Keys in the bucket, by instance. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** What follows from it. */
export interface Look {
  /** Hosts that have ended, one way or the other. */
  readonly outcomes: HostOutcome[];
  /** Hosts that are still at it. */
  readonly running: string[];
  /** Hosts whose time is over: their commands are to be cancelled. */
  readonly overdue: string[];
}

/** A program that refuses to begin (EX_TEMPFAIL of sysexits.h). */
const REFUSED = 75;

/** How much longer than its own time a program may take until Systems Manager is asked to end it. */
const GRACE_MS = 60_000;

/** How long an end that was asked for is waited for. */
const CANCEL_MS = 120_000;

/** How long an output may come after the end. */
const OUTPUT_MS = 60_000;

const UNDER_WAY: readonly string[] = ['Pending', 'InProgress', 'Delayed', 'Cancelling'];

/** EC2's states of a machine that ends, or has ended. */
const GOING: readonly string[] = ['shutting-down', 'terminated', 'stopping', 'stopped'];

/** Looks at all hosts of a step. The same sight gives the same outcome. */
export function look(step: Step, sent: Sent, seen: Seen): Look {
  const outcomes: HostOutcome[] = [];
  const running: string[] = [];
  const overdue: string[] = [];
  for (const instanceId of step.hosts) {
    const found = hostOutcome(instanceId, step, sent, seen);
    if (typeof found === 'object') outcomes.push({ instanceId, ...found });
    else running.push(instanceId);
    if (found === 'overdue') overdue.push(instanceId);
  }
  return { outcomes, running, overdue };
}

type Ended = Omit<HostOutcome, 'instanceId'>;

function hostOutcome(
  instanceId: string,
  step: Step,
  sent: Sent,
  { now, invocations, instances, outputs }: Seen,
): Ended | 'running' | 'overdue' {
  const absent = sent.absent[instanceId];
  if (absent !== undefined) return { status: 'lost', reason: absent };
  const invocation = invocations[instanceId];
  const outputKey = outputs[instanceId];
  const withOutput = (ended: Ended): Ended => (outputKey ? { ...ended, outputKey } : ended);
  const givenUp = step.giveUpAt !== undefined && now >= step.giveUpAt;
  if (invocation && !UNDER_WAY.includes(invocation.status)) {
    const late = givenUp || now - (invocation.endedAt ?? 0) >= OUTPUT_MS;
    const waits = !outputKey && mayHaveOutput(invocation) && !late;
    return waits ? 'running' : withOutput(endOf(invocation, sent, instances));
  }
  const state = instances.find((one) => one.instanceId === instanceId)?.state;
  if (state === undefined || GOING.includes(state)) {
    return withOutput({ status: 'lost', reason: goneIn(state) });
  }
  if (givenUp) return withOutput({ status: 'timed-out', reason: unheardOf(sent, invocation) });
  const sentAt = sent.sentAt ?? now;
  const cancelled = sent.cancelledAt;
  if (!invocation && cancelled === undefined) {
    if (now - sentAt < UNSEEN_MS) return 'running';
    return { status: 'lost', reason: 'Systems Manager does not know that it was to run anything' };
  }
  const begin = Math.max(sentAt, sent.startAt * 1000);
  const late = now > begin + step.timeoutSeconds * 1000 + GRACE_MS;
  const pastDeadline = step.deadline !== undefined && now > step.deadline;
  if (!late && !pastDeadline) return 'running';
  if (cancelled === undefined || now - cancelled < CANCEL_MS) return 'overdue';
  return withOutput({
    status: 'timed-out',
    reason: `${tooLong(step, late)}; it did not react to being cancelled`,
  });
}

const goneIn = (state: string | undefined): string =>
  state === undefined ? 'the instance is gone' : `the instance is ${state}`;

/** Nobody has the time to hear more of it. */
const unheardOf = ({ cancelledAt }: Sent, invocation: Invocation | undefined): string => {
  const what = invocation ? 'it had not ended' : 'Systems Manager showed nothing of it';
  return (
    'the time of the whole run was over, and ' +
    `${what}${cancelledAt === undefined ? '' : '; it did not react to being cancelled'}`
  );
};

const tooLong = ({ timeoutSeconds }: Step, late: boolean): string =>
  late ? `it took longer than ${timeoutSeconds} s` : 'the time of the whole run was over';

const mayHaveOutput = ({ status, statusDetails, said }: Invocation): boolean =>
  said !== '' ||
  status === 'Success' ||
  /^(Failed|ExecutionTimedOut|Cancelled)$/.test(withoutBlanks(statusDetails));

/** With the blanks of the user guide or without. */
const withoutBlanks = (details: string): string => details.replace(/ /g, '');

/** What an ended command was (Systems Manager User Guide, "Understanding command statuses"). */
function endOf(invocation: Invocation, sent: Sent, instances: readonly Instance[]): Ended {
  const { instanceId, status, responseCode, said } = invocation;
  if (status === 'Success') return { status: 'done' };
  const state = instances.find((one) => one.instanceId === instanceId)?.state;
  switch (withoutBlanks(invocation.statusDetails || status)) {
    case 'Failed': {
      if (responseCode === REFUSED) return { status: 'refused', reason: refusalOf(said) };
      if (responseCode === undefined || responseCode < 0) {
        // No exit code: something else ended it.
        if (state === undefined || GOING.includes(state)) return { status: 'lost', reason: goneIn(state) };
      }
      return { status: 'failed', reason: reasonOf(responseCode, said) };
    }
    case 'ExecutionTimedOut':
    case 'TimedOut':
      // The clock ends the command of a machine that is gone, too.
      if (state === undefined || GOING.includes(state)) return { status: 'lost', reason: goneIn(state) };
      return { status: 'timed-out', reason: 'its own time was over' };
    case 'Cancelled':
      return sent.cancelledAt === undefined
        ? { status: 'failed', reason: 'somebody cancelled its command' }
        : { status: 'timed-out', reason: 'it took too long, and was cancelled' };
    case 'DeliveryTimedOut':
      return { status: 'lost', reason: 'Systems Manager could not deliver the command in time' };
    case 'Undeliverable':
    case 'Terminated':
      return { status: 'lost', reason: 'Systems Manager could not deliver the command' };
    default:
      return { status: 'failed', reason: `Systems Manager says ${invocation.statusDetails || status}` };
  }
}
