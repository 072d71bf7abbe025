import { type FoundStack, isTroubled, isUnderWay } from '../deployment';
import { count } from '../terminal';
import { PROGRAM } from '../usage';
import { FAILOVER, nextOfAlarm, nextOfReason, nextOfStack, OPERATIONS } from './next';
import type { HostReport, SlotReport, StatusReport, Trouble, Verdict } from './report';
import type { Tier } from './tiers';

/** Until then nobody needs to look at a slot: so long the alarm `Unserved` waits, too. */
const REPAIR_MINUTES = 15;

/** After so many probes that it missed a server is replaced, unless something speaks against it. */
const MISSED_PROBES = 3;

const person = (text: string, next: string): Trouble => ({ needs: 'person', text, next });
const time = (text: string, next: string): Trouble => ({ needs: 'time', text, next });

type Seen = Omit<StatusReport, 'verdict' | 'troubles'>;

/** What is the matter, and what to do: first what needs a person. */
export function troublesOf(report: Seen, stacks: readonly FoundStack[], tiers: readonly Tier[]): Trouble[] {
  const ofSlots = report.slots.flatMap((slot) => ofSlot(slot, report));
  const found = [
    ...stacks.flatMap((stack) => ofStack(stack, report.deployment)),
    ...ofMissing(report, stacks),
    ...ofOperation(report),
    ...ofAlarms(report),
    ...ofSlots,
    ...tiers.flatMap((tier) => ofTier(tier, report)),
    ...report.hosts.flatMap((host) => ofHost(host, report, ofSlots)),
  ];
  return [
    ...found.filter(({ needs }) => needs === 'person'),
    ...found.filter(({ needs }) => needs === 'time'),
  ];
}

/** What all of it comes to. */
export function verdictOf({ slots, unread }: Seen, troubles: readonly Trouble[]): Verdict {
  if (troubles.some(({ needs }) => needs === 'person')) return 'person';
  if (troubles.length > 0) return 'time';
  if (unread.length > 0) return 'unknown';
  return slots.some(isAsleep) ? 'asleep' : 'well';
}

const isAsleep = ({ phase }: SlotReport): boolean => phase === 'asleep';

const lookAgain = ({ deployment }: Seen): string => `wait: ${PROGRAM} status ${deployment} --watch`;

function ofStack({ name, status, reason, failures, since }: FoundStack, deployment: string): Trouble[] {
  const cause = failures[0];
  const why = cause ? `: ${cause.logicalId} (${cause.type}): ${cause.reason}` : reason ? `: ${reason}` : '';
  const more = failures.length > 1 ? `; ${count(failures.length - 1, 'more failure')}` : '';
  if (isUnderWay(status)) {
    const begun = since ? ` since ${since}` : '';
    return [
      time(`${name} is ${status}${begun}${why}${more}`, `wait: ${PROGRAM} status ${deployment} --watch`),
    ];
  }
  if (isTroubled(status))
    return [person(`${name} is ${status}${why}${more}`, nextOfStack(status, deployment))];
  if (status !== 'REVIEW_IN_PROGRESS') return [];
  return [person(`${name} was prepared, and never deployed`, `make deploy DEPLOYMENT=${deployment}`)];
}

/** A deployment that ended before its storage was made, or was deleted but for it. */
function ofMissing({ deployment }: Seen, stacks: readonly FoundStack[]): Trouble[] {
  if (stacks.some(({ part, status }) => part === 'storage' || isUnderWay(status) || isTroubled(status)))
    return [];
  return [person(`there is no stack ${deployment}-storage`, `make deploy DEPLOYMENT=${deployment}`)];
}

function ofOperation(report: Seen): Trouble[] {
  return report.underWay
    .filter(({ what }) => what === 'operation')
    .map(({ text }) => time(text, lookAgain(report)));
}

/** Alarms that ring of what sleeps are shown, and nobody has to go. */
function ofAlarms({ alarms, slots }: Seen): Trouble[] {
  if (slots.length > 0 && slots.every(isAsleep)) return [];
  return (alarms?.ringing ?? []).map(({ name, description }) =>
    person(`alarm ${name}${description ? `: ${description}` : ''}`, `see ${nextOfAlarm(name)}`),
  );
}

const minutesSince = (since: string | null, { at }: Seen): number =>
  since === null ? 0 : (Date.parse(at) - Date.parse(since)) / 60_000;

function ofSlot(slot: SlotReport, report: Seen): Trouble[] {
  const { phase, served, reason, server, state, health } = slot;
  if (phase === 'asleep') return [];
  const why = reason ? `: ${reason}` : '';
  if (!served) {
    const text = `slot ${slot.slot} is ${phase}${why}`;
    // The stack that is being deleted says so itself.
    if (phase === 'released' && isBeingDeployed(report)) return [];
    if (phase === 'released') return [person(text, `see ${OPERATIONS}/delete.md`)];
    const next = reason ? nextOfReason(reason) : `${FAILOVER}#a-slot-is-not-served`;
    const stuck = phase === 'blocked' || /kept for inspection/.test(reason ?? '');
    if (stuck || minutesSince(slot.since, report) > REPAIR_MINUTES) return [person(text, `see ${next}`)];
    return [time(text, lookAgain(report))];
  }
  if (state === 'stopping' || state === 'stopped')
    return [
      time(
        `slot ${slot.slot}: its server ${server} is ${state}: a person has stopped it, or EC2. It is terminated and ` +
          'replaced; its volumes and its address stay',
        `wait: it is replaced by itself. To let all servers go for a while: ${PROGRAM} stop ${report.deployment}`,
      ),
    ];
  if (state !== 'running')
    return [time(`slot ${slot.slot}: its server ${server} is ${state}`, `wait: it is replaced by itself`)];
  const missed = Number(/^missed (\d+)/.exec(health ?? '')?.[1] ?? 0);
  if (missed >= MISSED_PROBES)
    return [person(`slot ${slot.slot}: ${server} ${health}`, `see ${OPERATIONS}/reasons.md#a-service-fails`)];
  if (missed > 0 || health?.startsWith('called unhealthy'))
    return [time(`slot ${slot.slot}: ${server} ${health}`, lookAgain(report))];
  return [];
}

/** Of a tier as a whole: that nothing of it would be repaired, or that its slots do not exist yet. */
function ofTier({ name, group, rows, broken, asleep }: Tier, report: Seen): Trouble[] {
  const found: Trouble[] = [];
  const held = (group?.suspended ?? []).filter((process) =>
    ['Launch', 'Terminate', 'ReplaceUnhealthy', 'HealthCheck'].includes(process),
  );
  // An operation suspends them itself, and lets them go on when it ends.
  const isHeldByOperation = asleep.size > 0 || report.underWay.some(({ what }) => what === 'operation');
  if (group && held.length > 0 && !isHeldByOperation) {
    found.push(
      person(
        `tier ${name}: failed servers are not replaced, since somebody has suspended ${held.join(', ')}`,
        `aws autoscaling resume-processes --auto-scaling-group-name ${group.name} ` +
          `(${FAILOVER}#hold-a-tier-for-inspection)`,
      ),
    );
  }
  if (group && rows.length + broken.length === 0 && !isBeingDeployed(report) && !isUnread(report))
    found.push(
      person(`tier ${name} has servers, and no slot`, `make deploy DEPLOYMENT=${report.deployment}`),
    );
  return found;
}

const isBeingDeployed = ({ underWay }: Seen): boolean => underWay.some(({ what }) => what === 'deployment');

/** Without the map nothing can be said of slots. */
const isUnread = ({ unread }: Seen): boolean => unread.some((one) => one.includes('dynamodb:'));

function ofHost(
  { name, server, state, health, reasons }: HostReport,
  report: Seen,
  ofSlots: readonly Trouble[],
): Trouble[] {
  if (state === 'stopped') return [];
  if (state !== 'running')
    return [time(`${name === server ? '' : `${name}: `}${server} is ${state}`, lookAgain(report))];
  if (health !== 'unhealthy' && health !== 'silent') return [];
  const text = `${name} (${server}) is ${health}: ${reasons.join('; ') || 'it gives no reason'}`;
  // What its storage waits for, it waits for, too.
  if (ofSlots.some(({ needs }) => needs === 'time')) return [time(text, lookAgain(report))];
  return [person(text, `see ${FAILOVER}#a-server-of-a-grid-is-not-well`)];
}
