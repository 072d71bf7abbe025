import { OWN_AGENT } from '../agent-name';
import { calledServed, claimed, epochWritten, released } from '../invariants/rules';
import type { MapWrite } from './map-log';
import { type Finding, type RecordCheck, States, type Violation, violationsAt } from './model';

export const releasedAfterEnd: RecordCheck = {
  id: 'released-after-end',
  find(evidence): Finding {
    const states = new States(evidence);
    const owners = new Map<string, string>();
    const violations: Violation[] = [];
    let checked = 0;
    for (const { kind, slot, owner, time } of evidence.writes) {
      if (kind !== 'release' && kind !== 'claim') continue;
      checked++;
      const former = kind === 'release' ? owner : owners.get(slot);
      if (former) {
        // Nobody takes a server out of its group there, so that one that is stopped is still a member.
        const found = released(slot, { ...states.seen(former, time), isMember: true });
        violations.push(...violationsAt(time, found));
      }
      if (kind === 'claim') owners.set(slot, owner);
      else owners.delete(slot);
    }
    return { checked, violations };
  },
};

/** Only a claim writes an epoch: another write that would is not understood (`nothing-by-hand`). */
export const epochsGrow: RecordCheck = {
  id: 'epochs-grow',
  find({ writes }): Finding {
    const epochs = new Map<string, number>();
    const violations: Violation[] = [];
    const claims = writes.filter(({ kind }) => kind === 'claim');
    for (const { slot, owner, epoch, time } of claims) {
      const known = epochs.get(slot) ?? 0;
      violations.push(...violationsAt(time, epochWritten(slot, known, epoch, owner)));
      epochs.set(slot, Math.max(known, epoch));
    }
    return { checked: claims.length, violations };
  },
};

export const oneOwner: RecordCheck = {
  id: 'one-owner',
  find({ writes }): Finding {
    const owners = new Map<string, string>();
    const violations: Violation[] = [];
    let checked = 0;
    for (const { kind, slot, owner, time } of writes) {
      if (kind === 'release') owners.delete(slot);
      if (kind !== 'claim') continue;
      checked++;
      const alsoOwns = [...owners].flatMap(([other, has]) => (has === owner ? other : []));
      violations.push(...violationsAt(time, claimed(slot, owner, owners.get(slot), alsoOwns)));
      owners.set(slot, owner);
    }
    return { checked, violations };
  },
};

/** The host says so by the success of a command of this epoch. */
export const servedIsTrue: RecordCheck = {
  id: 'served-is-true',
  find({ writes, history }): Finding {
    const succeeded = new Map<string, number>();
    for (const { kind, id, to, time } of history) {
      if (kind === 'command' && to === 'Success') succeeded.set(id, time);
    }
    const violations: Violation[] = [];
    const served = writes.filter(({ kind }) => kind === 'served');
    const same = (a: MapWrite, b: MapWrite) =>
      a.slot === b.slot && a.owner === b.owner && a.epoch === b.epoch;
    for (const write of served) {
      const said = writes.some(
        (one) =>
          one.kind === 'command' &&
          same(one, write) &&
          (succeeded.get(one.commandId ?? '') ?? Number.POSITIVE_INFINITY) <= write.answered,
      );
      const { slot, owner, epoch, time } = write;
      violations.push(...violationsAt(time, calledServed(slot, owner, epoch, said)));
    }
    return { checked: served.length, violations };
  },
};

export const nothingByHand: RecordCheck = {
  id: 'nothing-by-hand',
  find({ writes, calls }): Finding {
    const violations: Violation[] = [];
    for (const { kind, slot, time, userAgent } of writes) {
      if (userAgent.includes(OWN_AGENT))
        violations.push({ time, detail: `${slot || 'the map'} was written by hand` });
      if (kind === 'unknown')
        violations.push({ time, detail: `a write of ${slot || 'the map'} was not understood` });
    }
    const moves = calls.filter(({ action }) => /^(Attach|Detach)(Volume|NetworkInterface)$/.test(action));
    for (const { action, time, userAgent } of moves) {
      if (userAgent.includes(OWN_AGENT)) violations.push({ time, detail: `${action} was called by hand` });
    }
    return { checked: writes.length + moves.length, violations };
  },
};
