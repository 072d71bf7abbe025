import { letThrough } from '../invariants/rules';
import type { Evidence } from './evidence';
import { type Finding, type RecordCheck, States, type Violation, violationsAt } from './model';

const COMPLETE = 'CompleteLifecycleAction';
/** Times in the log are rounded to a tenth of a millisecond. */
const ROUNDING_SECONDS = 0.001;

/** Every lifecycle action ends by one completion, or because its instance is gone. What comes later is refused. */
export const completedOnce: RecordCheck = {
  id: 'completed-once',
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

export const continuedAfterServed: RecordCheck = {
  id: 'continued-after-served',
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
      const hasServed = before.some((write) => write.kind === 'served' && write.owner === instance);
      const found = letThrough(instance, hasServed, unservedSlots(before, states, time));
      violations.push(...violationsAt(time, found));
    }
    return { checked, violations };
  },
};

/** The slots that are not served after these writes, or whose server does not run. */
function unservedSlots(before: Evidence['writes'], states: States, time: number): string[] {
  const last = new Map<string, Evidence['writes'][number]>();
  for (const write of before) {
    const isNote = write.kind === 'note' || write.kind === 'command';
    if (write.slot && (!isNote || !last.has(write.slot))) last.set(write.slot, write);
  }
  return [...last.values()]
    .filter(({ kind, owner }) => kind !== 'served' || states.at(owner, time) !== 'running')
    .map(({ slot }) => slot);
}
