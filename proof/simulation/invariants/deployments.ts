import type { Context, Invariant } from './invariant';

/**
 * No deployment fails, and none is rolled back, because a role that it has just changed does not count everywhere yet.
 */
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
 * The turn to write rows goes to requests that CloudFormation made later, never back: one that it made before may have
 * been given up.
 */
export function turnsGoOn({ world, violated }: Context): Invariant {
  const name = 'turns-go-on';
  let made = Number.NEGATIVE_INFINITY;
  return {
    name,
    onMapWrite(item, before, after, by) {
      if (item !== 'seed' || by === 'hand' || after?.requestId === before?.requestId) return;
      const { stack } = world();
      const own = stack.requests.indexOf(String(after?.requestId));
      if (own < made)
        violated(
          name,
          `${by.worker} took the turn from one whose request was made ${made - own} requests later`,
        );
      made = own;
    },
  };
}

/** A tier keeps its map: a deployment with another one is refused, and going back to the right one is not. */
export function keepsItsMap({ world, violated }: Context): Invariant {
  const name = 'keeps-its-map';
  return {
    name,
    onAnswer(request, status, reason) {
      const { hasItsMap } = world().stack;
      if (status === 'SUCCESS' && !hasItsMap) violated(name, `request ${request} took another map`);
      if (status === 'FAILED' && hasItsMap && reason.includes('the table changes'))
        violated(name, `request ${request}, which goes back to the map, failed with: ${reason}`);
    },
  };
}
