import type { Transition } from '../history';
import { isAttached, mayWrite } from '../invariants/instance-states';
import { attached, formatted, served, taken } from '../invariants/rules';
import type { Evidence } from './evidence';
import { type Finding, type RecordCheck, States, type Violation, violationsAt } from './model';

/** The changes of attachments of what belongs to a slot. */
export function attachmentsOf({ history, watched }: Evidence): (Transition & { instance: string })[] {
  return history.filter((line): line is Transition & { instance: string } => {
    if (!line.instance) return false;
    if (line.kind === 'volume-attachment') return line.id in watched.slotOfVolume;
    return line.kind === 'interface-attachment' && line.id in watched.slotOfInterface;
  });
}

export const oneWriter: RecordCheck = {
  id: 'one-writer',
  find(evidence): Finding {
    const states = new States(evidence);
    const last = new Map<string, string>();
    const holders = new Map<string, Set<string>>();
    const violations: Violation[] = [];
    let checked = 0;
    for (const { id, to, instance, time } of attachmentsOf(evidence)) {
      const having = setOf(holders, id);
      if (!isAttached(to)) having.delete(instance);
      if (!isAttached(to) || having.has(instance)) continue;
      checked++;
      const former = last.get(id);
      // Whoever had it last may have something to write to it still, for all that the record says.
      const formers = [...new Set([...having, ...(former ? [former] : [])])].map((each) => ({
        ...states.seen(each, time),
        hasIt: having.has(each),
      }));
      const isShared = evidence.watched.shared?.includes(id);
      const found = attached(id, states.seen(instance, time), isShared ? [] : formers);
      violations.push(...violationsAt(time, found));
      having.add(instance);
      last.set(id, instance);
    }
    return { checked, violations };
  },
};

export const neverTakenFromLiving: RecordCheck = {
  id: 'never-taken-from-living',
  find(evidence): Finding {
    const states = new States(evidence);
    const violations: Violation[] = [];
    const changes = attachmentsOf(evidence);
    for (const { id, to, instance, time } of changes) {
      if (to !== 'detaching') continue;
      violations.push(...violationsAt(time, taken(`${id} was taken`, states.seen(instance, time))));
    }
    for (const { action, parameters, time } of evidence.calls) {
      if (!/^Detach(Volume|NetworkInterface)$/.test(action)) continue;
      const instance = String(parameters.InstanceId ?? '');
      const from = instance ? states.seen(instance, time) : undefined;
      const isForced = /^true$/i.test(String(parameters.Force ?? 'false'));
      violations.push(...violationsAt(time, taken(`${action} was asked`, from, isForced)));
    }
    return { checked: changes.length, violations };
  },
};

/**
 * The hosts' own record of what they have mounted. A host that is off has nothing mounted, and mounts anew when it
 * starts.
 */
export const oneServer: RecordCheck = {
  id: 'one-server',
  find(evidence): Finding {
    const { history, watched } = evidence;
    const states = new States(evidence);
    const mounted = new Map<string, string>();
    const violations: Violation[] = [];
    let checked = 0;
    for (const { kind, id, from, to, time, instance } of history) {
      if (kind === 'instance' && to && !mayWrite(to)) {
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
      const ofSlot = [...mounted].filter(([volume]) => watched.slotOfVolume[volume] === slot);
      const others = [...new Set(ofSlot.map(([, host]) => host))];
      const seen = others.map((host) => states.seen(host, time));
      violations.push(...violationsAt(time, served(slot, to, seen)));
      mounted.set(id, to);
    }
    return { checked, violations };
  },
};

export const formattedOnce: RecordCheck = {
  id: 'formatted-once',
  find({ history, watched }): Finding {
    const formats = new Map<string, number>();
    const violations: Violation[] = [];
    for (const { kind, id, time, instance } of history) {
      if (kind !== 'format' || !(id in watched.slotOfVolume)) continue;
      const before = formats.get(id) ?? 0;
      violations.push(...violationsAt(time, formatted(id, instance, before)));
      formats.set(id, before + 1);
    }
    return { checked: formats.size, violations };
  },
};

function setOf(map: Map<string, Set<string>>, key: string): Set<string> {
  const found = map.get(key) ?? new Set<string>();
  map.set(key, found);
  return found;
}
