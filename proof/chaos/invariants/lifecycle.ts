import { type Finding, type Invariant, States, type Violation } from './model';

const COMPLETE = 'CompleteLifecycleAction';
/** Times in the log are rounded to a tenth of a millisecond. */
const ROUNDING_SECONDS = 0.001;

/**
 * Every lifecycle action ends once: by one completion, or because its instance is gone. What comes later is refused.
 */
export const completedOnce: Invariant = {
  id: 'completed-once',
  title: 'Every lifecycle action was completed once, and none was left to time out',
  find({ calls, history }): Finding {
    const violations: Violation[] = [];
    const done = new Map<string, number>();
    let refusedAgain = 0;
    for (const { action, parameters, error, time } of calls) {
      if (action !== COMPLETE) continue;
      const key = `${parameters.LifecycleHookName} of ${parameters.InstanceId}`;
      if (error === 'ValidationError') refusedAgain++;
      if (error) continue;
      const count = (done.get(key) ?? 0) + 1;
      done.set(key, count);
      if (count > 1) violations.push({ time, detail: `${key} was completed for the ${count}. time` });
    }
    const actions = history.filter(({ kind }) => kind === 'lifecycle-action');
    const ended = new Map<string, number>();
    for (const { id, to, time, instance, hook } of actions) {
      if (to === 'waiting') continue;
      const count = (ended.get(id) ?? 0) + 1;
      ended.set(id, count);
      if (count > 1)
        violations.push({ time, detail: `the action ${id} of ${instance} ended ${count} times` });
      if (to === 'timed-out')
        violations.push({ time, detail: `${hook ?? 'a hook'} of ${instance} timed out` });
    }
    const begun = actions.filter(({ to }) => to === 'waiting').length;
    const counts = {
      begun,
      completed: done.size,
      refusedSecondCompletions: refusedAgain,
      endedWithTheirInstance: actions.filter(({ to }) => to === 'gone').length,
    };
    return { checked: begun, violations, counts };
  },
};

/**
 * A launch goes through only when its server serves a slot. The one exception: a server that owns no slot while all of
 * its tier are served, which is one more than the tier needs.
 */
export const continuedAfterServed: Invariant = {
  id: 'continued-after-served',
  title: 'A launch was let through only after its server served a slot',
  find(evidence): Finding {
    const states = new States(evidence);
    const violations: Violation[] = [];
    let checked = 0;
    for (const { action, parameters, error, time } of evidence.calls) {
      if (action !== COMPLETE || error || parameters.LifecycleActionResult !== 'CONTINUE') continue;
      const instance = String(parameters.InstanceId ?? '');
      if (/^let-go$/.test(String(parameters.LifecycleHookName))) continue;
      checked++;
      const before = evidence.writes.filter((write) => write.answered <= time + ROUNDING_SECONDS);
      if (before.some((write) => write.kind === 'served' && write.owner === instance)) continue;
      const claim = evidence.writes.find((write) => write.kind === 'claim' && write.owner === instance);
      if (claim === undefined && allServed(before, states, time)) continue;
      const what = claim ? `the owner of ${claim.slot}, which it did not serve` : 'which owns no slot';
      violations.push({ time, detail: `${instance}, ${what}, was let through` });
    }
    return { checked, violations };
  },
};

function allServed(
  writes: Parameters<Invariant['find']>[0]['writes'],
  states: States,
  time: number,
): boolean {
  const last = new Map<string, (typeof writes)[number]>();
  for (const write of writes) {
    if (['claim', 'release', 'served', 'unserve'].includes(write.kind)) last.set(write.slot, write);
  }
  return (
    last.size > 0 &&
    [...last.values()].every(({ kind, owner }) => kind === 'served' && states.at(owner, time) === 'running')
  );
}
