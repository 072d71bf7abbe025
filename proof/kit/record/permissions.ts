import type { ApiCall } from '../history';
import type { Finding, RecordCheck } from './model';

/**
 * Calls of functions and hosts that their roles did not allow, but for what they allowed a moment later, or until their
 * stack began to go: a function in flight then ends with an error, which harms nothing, since it may end at any of its
 * calls (test/simulation/every-crash).
 */
export function refusedByRole(calls: readonly ApiCall[]): ApiCall[] {
  return calls.filter(
    ({ role, error, early, late }) => role !== undefined && !early && !late && DENIED.test(error ?? ''),
  );
}

/** What the services call it. */
const DENIED = /^(AccessDenied|AccessDeniedException|AuthorizationError|UnauthorizedOperation)$/;

/** A permission that is missing is found here, and not on the first deployment to an account. */
export const allowedByRoles: RecordCheck = {
  id: 'allowed-by-roles',
  find({ calls }): Finding {
    return {
      checked: calls.filter(({ role }) => role !== undefined).length,
      violations: refusedByRole(calls).map(({ time, role, service, action }) => ({
        time,
        detail: `${role} may not ${service}:${action}`,
      })),
    };
  },
};
