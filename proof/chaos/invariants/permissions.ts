import { refusedByRole } from '../../kit/verify';
import type { Finding, Invariant } from './model';

/** Roles allow what functions and hosts do, also in the worst of hours. */
export const allowedByRoles: Invariant = {
  id: 'allowed-by-roles',
  title: 'No function or host was refused a call by its role',
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
