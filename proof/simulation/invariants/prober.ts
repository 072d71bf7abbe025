import { MISSING_SHARE, PAUSE_MS, UNKNOWN_SHARE } from '../../../lambda/health-prober/settings';
import { isMiss, isUnanswered } from '../aws/probes';
import { declared, roundRead } from '../probe-rounds';
import { type Context, type Invariant, isServed, slotOf } from './invariant';

/** Between the intent in the map and the call to Auto Scaling a call may be slow, or repeated. */
const SLACK_MS = 3 * 60_000;

/** The health prober has one server replaced at a time, with a pause after which a replacement has proved itself. */
export function replacedAlone({ world, violated }: Context): Invariant {
  const name = 'replaced-alone';
  const marks = new Map<string, number>();
  return {
    name,
    onCall(call, outcome) {
      const id = declared(call, outcome);
      if (id === undefined) return;
      const now = world().scheduler.now();
      for (const [other, at] of marks) {
        if (other !== id && now - at < PAUSE_MS - SLACK_MS)
          violated(name, `${id} was declared unhealthy ${(now - at) / 1000} s after ${other}`);
      }
      if (!marks.has(id)) marks.set(id, now);
    },
  };
}

/**
 * A server is replaced only for rounds that it has missed itself, never when as many fail as have a cause in common,
 * and never when most cannot be reached.
 */
export function replacedWithCause({ world, violated, beganAt }: Context): Invariant {
  const name = 'replaced-with-cause';
  const read = roundRead(world);
  return {
    name,
    onMapWrite: read.onMapWrite,
    onCall(call, outcome) {
      const id = declared(call, outcome);
      if (id === undefined) return;
      const probes = [...world().ssm.probes.all.values()].flat();
      const missed = probes.filter((probe) => probe.instanceId === id && isMiss(probe)).length;
      const { misses } = world().options.deployment.prober.environment.settings;
      if (missed < misses) violated(name, `${id} was declared unhealthy and missed ${missed} rounds`);
      if (!probes.some((probe) => probe.instanceId === id && probe.status === 'Success'))
        violated(name, `${id} was declared unhealthy by a probe that never said of it that it serves`);
      const round = read.before(beganAt(call.worker));
      const count = round.filter(isMiss).length;
      const most = Math.max(1, Math.floor(world().stack.slots.length * MISSING_SHARE));
      if (count > most) violated(name, `${id} was declared unhealthy when ${count} servers failed at once`);
      const unanswered = round.filter(isUnanswered).length;
      if (unanswered > round.length * UNKNOWN_SHARE)
        violated(
          name,
          `${id} was declared unhealthy when ${unanswered} of ${round.length} servers were out of reach`,
        );
    },
  };
}

/** Nobody is replaced while a deployment, a repair or an instance refresh is under way. */
export function replacedAtRest({ world, violated, beganAt }: Context): Invariant {
  const name = 'replaced-at-rest';
  const unservedSince = new Map<string, number>();
  let busySince: number | undefined;
  let refreshingSince: number | undefined;
  return {
    name,
    onStep(now) {
      if (!now.stack.busy) busySince = undefined;
      else busySince ??= now.scheduler.now();
      if (!now.group.isRefreshing) refreshingSince = undefined;
      else refreshingSince ??= now.scheduler.now();
    },
    onMapWrite(item, _before, after) {
      const slot = slotOf(item);
      if (slot === undefined) return;
      if (isServed(after)) unservedSince.delete(slot);
      else if (!unservedSince.has(slot)) unservedSince.set(slot, world().scheduler.now());
    },
    onCall(call, outcome) {
      const id = declared(call, outcome);
      if (id === undefined) return;
      const began = beganAt(call.worker);
      const during = (since: number | undefined): boolean => since !== undefined && since < began;
      if (during(busySince)) violated(name, `${id} was declared unhealthy during a deployment`);
      if (during(refreshingSince)) violated(name, `${id} was declared unhealthy during an instance refresh`);
      // One that an undone update had added is no part of the tier any more.
      for (const slot of world().stack.slots)
        if (during(unservedSince.get(slot)))
          violated(name, `${id} was declared unhealthy while ${slot} was not served`);
    },
  };
}
