import type { SlotDecision } from './actions';
import { applyAll } from './apply';
import { decide } from './domain';
import { type PassEvent, parseEvent } from './event';
import { observe } from './observe';
import type { Lease, Ports, TierRows } from './ports';
import { noteRefusals } from './refused-attach';
import { isAsleep, isConverged, isLetGo, metricsOf, type PassResult, recoveriesOf, resultOf } from './result';
import { LEASE_MS, MAX_PASSES, type Settings } from './settings';
import { waitSeconds } from './waits';

/** How long a pass waits that found another execution at work. */
const BUSY_WAIT_SECONDS = 5;

/**
 * One pass: look, decide, take every next safe step, say whether all slots are served. Nothing is remembered between
 * passes, so that it may die after any call and the next pass goes on.
 *
 * It throws when the tier could not be looked at (the workflow tries again), never because of a bad event.
 */
export async function reconcile(event: unknown, ports: Ports, settings: Settings): Promise<PassResult> {
  const pass = parseEvent(event, settings.groupName);
  if (typeof pass === 'string') {
    ports.log.error('event ignored', { tier: settings.tier, reason: pass });
    return resultOf('ignored', 0, 0, [], []);
  }
  const lease = await takeLease(pass, ports);
  if (lease === undefined) {
    const late = isOutOfTime(pass, ports);
    const outcome = late ? 'out-of-time' : 'busy';
    ports.log.info('another execution is at work', {
      tier: settings.tier,
      execution: pass.execution,
      outcome,
    });
    // CloudFormation hears what the rows say: the group's first event is often there before its request, and holds the
    // lease to the end.
    const slots = late ? asNoted(await ports.map.read()) : [];
    return resultOf(outcome, pass.pass + 1, BUSY_WAIT_SECONDS, slots, []);
  }
  return lookAndAct(pass, lease, ports, settings);
}

/** The slots as the execution that looks at the tier has described them. */
function asNoted({ slots, broken }: TierRows): SlotDecision[] {
  const noted = { moving: false, actions: [] };
  return [
    ...slots.map(({ slot, owner, serverType, epoch, phase, reason }) => ({
      ...noted,
      slot,
      owner,
      serverType,
      epoch,
      phase,
      reason,
      settled: phase === 'served',
    })),
    ...broken.map(({ slot, problem: reason }) => ({
      ...noted,
      slot,
      epoch: 0,
      phase: 'blocked',
      reason,
      settled: false,
    })),
  ];
}

async function lookAndAct(
  pass: PassEvent,
  lease: Lease,
  ports: Ports,
  settings: Settings,
): Promise<PassResult> {
  const observation = await observe(lease, ports);
  const decision = decide(observation, settings);
  const steps = [...decision.slots.flatMap((slot) => slot.actions), ...decision.actions];
  const applied = await applyAll(steps, pass.execution, ports);
  await noteRefusals(applied, observation.rows, decision, ports);
  ports.log.metrics(settings.tierTag, metricsOf(decision, settings.slots.length));
  for (const times of recoveriesOf(applied)) ports.log.metrics(settings.tierTag, times);

  const finish = (outcome: PassResult['outcome'], wait: number): PassResult => {
    const result = resultOf(outcome, pass.pass + 1, wait, decision.slots, applied);
    ports.log.info('pass', { tier: settings.tier, execution: pass.execution, cause: pass.cause, ...result });
    return result;
  };

  const ending = isConverged(decision, applied)
    ? 'served'
    : isAsleep(decision, applied)
      ? 'asleep'
      : isLetGo(decision, applied)
        ? 'released'
        : decision.unseeded && applied.length === 0
          ? 'unseeded'
          : undefined;
  if (ending !== undefined) {
    // Whoever asked for another look since this pass began gets it.
    if (await ports.map.endLease(pass.execution, lease.wakeups)) return finish(ending, BUSY_WAIT_SECONDS);
    if (!isOutOfTime(pass, ports)) return finish('pending', 0);
    // Not for longer than its time: the next execution has to find the lease free, or it would wait for nobody.
    await ports.map.endLease(pass.execution);
    return finish(ending, 0);
  }
  if (isOutOfTime(pass, ports)) {
    await ports.map.endLease(pass.execution);
    return finish('out-of-time', 0);
  }
  return finish('pending', waitSeconds(decision, applied, pass, ports.clock.now()));
}

/**
 * The lease keeps two executions from doing the same work twice. It is an optimisation: clocks may differ and a pass
 * may outlive it, so nothing that matters for the data rests on it.
 */
async function takeLease(pass: PassEvent, ports: Ports): Promise<Lease | undefined> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const now = ports.clock.now();
    const lease = await ports.map.takeLease(pass.execution, now, now + LEASE_MS);
    if (lease !== undefined) return lease;
    // If the holder has gone since, there is nobody to wake: take the lease instead.
    if (await ports.map.wakeHolder(now)) return undefined;
  }
  return undefined;
}

function isOutOfTime(pass: PassEvent, ports: Ports): boolean {
  return pass.pass + 1 >= MAX_PASSES || ports.clock.now() - pass.startedAt >= pass.deadlineSeconds * 1000;
}
