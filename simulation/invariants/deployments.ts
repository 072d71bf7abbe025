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
