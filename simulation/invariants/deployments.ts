import type { Context, Invariant } from './invariant';

/** The request that CloudFormation waits for has the turn: none that it has given up takes the rows from it. */
export function latestRequestGoesOn({ violated }: Context): Invariant {
  const name = 'latest-request-goes-on';
  return {
    name,
    onAnswer(request, status, reason) {
      if (status === 'FAILED' && reason.includes('has taken the rows of the tier over'))
        violated(name, `request ${request} failed with: ${reason}`);
    },
  };
}

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
