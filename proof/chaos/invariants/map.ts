import { OWN_AGENT } from '../../kit/agent-name';
import type { MapWrite } from '../map-log';
import { type Finding, type Invariant, States, type Violation } from './model';

/** A slot is given away only when its owner can never write again. */
export const releasedAfterEnd: Invariant = {
  id: 'released-after-end',
  title: 'No slot was taken from an owner that was not terminated',
  find(evidence): Finding {
    const states = new States(evidence);
    const violations: Violation[] = [];
    const owners = new Map<string, string>();
    let checked = 0;
    for (const { kind, slot, owner, time } of evidence.writes) {
      if (kind !== 'release' && kind !== 'claim') continue;
      const former = kind === 'release' ? owner : owners.get(slot);
      if (former) {
        checked++;
        const state = states.at(former, time);
        if (state !== 'terminated') {
          violations.push({
            time,
            detail: `${slot} was taken from ${former}, which was ${state ?? 'not known'}`,
          });
        }
      }
      if (kind === 'claim') owners.set(slot, owner);
      else owners.delete(slot);
    }
    return { checked, violations };
  },
};

/** Every change of owner has a higher epoch than all before. */
export const epochsGrow: Invariant = {
  id: 'epochs-grow',
  title: 'Every change of owner raised the epoch of the slot',
  find({ writes }): Finding {
    const epochs = new Map<string, number>();
    const violations: Violation[] = [];
    const claims = writes.filter(({ kind }) => kind === 'claim');
    for (const { slot, owner, epoch, time } of claims) {
      const before = epochs.get(slot) ?? 0;
      if (epoch <= before) {
        violations.push({ time, detail: `${slot} went to ${owner} with epoch ${epoch} after ${before}` });
      }
      epochs.set(slot, Math.max(before, epoch));
    }
    return { checked: claims.length, violations };
  },
};

/** A slot has one owner, and an instance one slot. */
export const oneOwner: Invariant = {
  id: 'one-owner',
  title: 'No slot had two owners, and no instance two slots',
  find({ writes }): Finding {
    const owners = new Map<string, string>();
    const violations: Violation[] = [];
    let checked = 0;
    for (const { kind, slot, owner, time } of writes) {
      if (kind === 'release') owners.delete(slot);
      if (kind !== 'claim') continue;
      checked++;
      const former = owners.get(slot);
      if (former) violations.push({ time, detail: `${slot} went to ${owner} while ${former} owned it` });
      for (const [other, has] of owners) {
        if (has === owner && other !== slot) {
          violations.push({ time, detail: `${owner} got ${slot} and owned ${other} already` });
        }
      }
      owners.set(slot, owner);
    }
    return { checked, violations };
  },
};

/** The map says that a slot is served only after the host itself has said so, about this epoch. */
export const servedAfterHostSaidSo: Invariant = {
  id: 'served-after-host-said-so',
  title: 'The map called a slot served only after its host had said so',
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
      if (said) continue;
      const { slot, owner, epoch, time } = write;
      violations.push({ time, detail: `${slot}, epoch ${epoch}: no command of ${owner} had succeeded` });
    }
    return { checked: served.length, violations };
  },
};

/** Only the deployment's own functions write the map and move what belongs to slots. */
export const nothingByHand: Invariant = {
  id: 'nothing-by-hand',
  title: 'Nobody edited the map or moved a volume by hand, and every write was understood',
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
