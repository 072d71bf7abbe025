import type { Evidence, Line } from '../evidence';
import { type Finding, type Invariant, States, type Violation } from './model';

const HOLDS = ['attaching', 'attached', 'busy', 'detaching'];
/** States in which an instance cannot write. Only terminated is for good. */
const OFF = ['terminated', 'stopped'];

/** The changes of attachments of what belongs to a slot. */
function attachments({ history, watched }: Evidence): (Line & { instance: string })[] {
  return history.filter((line): line is Line & { instance: string } => {
    if (!line.instance) return false;
    if (line.kind === 'volume-attachment') return line.id in watched.slotOfVolume;
    return line.kind === 'interface-attachment' && line.id in watched.slotOfInterface;
  });
}

/** Nothing goes to a server before the one that had it last was seen terminated. */
export const fencedBeforeAttach: Invariant = {
  id: 'fenced-before-attach',
  title: 'Nothing was attached before its former holder was terminated',
  find(evidence): Finding {
    const states = new States(evidence);
    const last = new Map<string, string>();
    const violations: Violation[] = [];
    let checked = 0;
    for (const { id, to, from, instance, time } of attachments(evidence)) {
      if (!to || !HOLDS.includes(to) || (from && HOLDS.includes(from))) continue;
      checked++;
      const former = last.get(id);
      const state = former && states.at(former, time);
      if (former && former !== instance && state !== 'terminated') {
        violations.push({ time, detail: `${id} went to ${instance} while ${former} was ${state}` });
      }
      if (states.at(instance, time) === 'terminated') {
        violations.push({ time, detail: `${id} went to ${instance}, which is terminated` });
      }
      last.set(id, instance);
    }
    return { checked, violations };
  },
};

/** Nothing is taken from a server that may still write to it: neither was it done nor tried. */
export const neverTakenFromLiving: Invariant = {
  id: 'never-taken-from-living',
  title: 'Nothing was detached from a living instance, nor by force',
  find(evidence): Finding {
    const states = new States(evidence);
    const violations: Violation[] = [];
    const changes = attachments(evidence);
    for (const { id, to, instance, time } of changes) {
      const state = states.at(instance, time);
      if (to === 'detaching' && !OFF.includes(state ?? '')) {
        violations.push({ time, detail: `${id} was taken from ${instance}, which was ${state}` });
      }
    }
    for (const { action, parameters, time } of evidence.calls) {
      if (!/^Detach(Volume|NetworkInterface)$/.test(action)) continue;
      const instance = String(parameters.InstanceId ?? '');
      const state = instance ? states.at(instance, time) : undefined;
      if (instance && !OFF.includes(state ?? '')) {
        violations.push({ time, detail: `${action} was asked for ${instance}, which was ${state}` });
      }
      if (/^true$/i.test(String(parameters.Force ?? 'false'))) {
        violations.push({ time, detail: `${action} was asked by force` });
      }
    }
    return { checked: changes.length, violations };
  },
};

/** A volume is formatted once in its life. */
export const formattedOnce: Invariant = {
  id: 'formatted-once',
  title: 'No volume was formatted twice',
  find({ history, watched }): Finding {
    const formats = new Map<string, number>();
    const violations: Violation[] = [];
    for (const { kind, id, time, instance } of history) {
      if (kind !== 'format' || !(id in watched.slotOfVolume)) continue;
      const count = (formats.get(id) ?? 0) + 1;
      formats.set(id, count);
      if (count > 1)
        violations.push({ time, detail: `${id} was formatted for the ${count}. time by ${instance}` });
    }
    return { checked: formats.size, violations };
  },
};

/**
 * The hosts' own record of who has a target mounted: never two at the same time. A host that is off has nothing
 * mounted.
 */
export const servedByOne: Invariant = {
  id: 'served-by-one',
  title: 'No two hosts served the same slot at the same time',
  find({ history, watched }): Finding {
    const mounted = new Map<string, string>();
    const violations: Violation[] = [];
    let checked = 0;
    for (const { kind, id, from, to, time, instance } of history) {
      if (kind === 'instance' && to && OFF.includes(to)) {
        for (const [volume, host] of mounted) if (host === id) mounted.delete(volume);
      }
      if (kind === 'violation') {
        violations.push({ time, detail: `${id}: ${to ?? 'no detail'}${instance ? ` by ${instance}` : ''}` });
      }
      const slot = watched.slotOfVolume[id];
      if (kind !== 'mount' || slot === undefined) continue;
      if (from && mounted.get(id) === from) mounted.delete(id);
      if (!to) continue;
      checked++;
      for (const [volume, host] of mounted) {
        if (watched.slotOfVolume[volume] !== slot || host === to) continue;
        violations.push({ time, detail: `${slot}: ${to} mounted ${id} while ${host} had ${volume} mounted` });
      }
      mounted.set(id, to);
    }
    return { checked, violations };
  },
};
