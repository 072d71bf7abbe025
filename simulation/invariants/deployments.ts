import type { Context, Invariant } from './invariant';

/** No deployment fails, and none is rolled back, because a role that it has just changed does not count everywhere yet. */
export function permissionsAwaited({ violated }: Context): Invariant {
  const name = 'permissions-awaited';
  return {
    name,
    onAnswer(request, status, reason) {
      if (status === 'FAILED' && reason.includes('not authorized'))
        violated(name, `request ${request} failed with: ${reason}`);
    },
  };
}

/**
 * Among CloudFormation's requests the turn to write rows goes to functions that began later, never back: whoever began before may have been given up. (One that
 * Lambda begins again, or late, cannot be told from the latest.)
 */
export function turnsGoOn({ world, violated, beganAt }: Context): Invariant {
  const name = 'turns-go-on';
  let holderBegan = Number.NEGATIVE_INFINITY;
  return {
    name,
    onMapWrite(item, before, after, by) {
      if (item !== 'seed' || by === 'hand' || after?.requestId === before?.requestId) return;
      const began = beganAt(by.worker);
      if (began < holderBegan - CLOCKS_DIFFER_MS)
        violated(
          name,
          `${by.worker} took the turn at ${world().scheduler.now()} from one that began ${holderBegan - began} ms later`,
        );
      holderBegan = began;
    },
  };
}

/** Of clocks that differ by less nobody can say which function began before (lambda/volume-map-resource/turn.ts). */
const CLOCKS_DIFFER_MS = 2000;
