import type { Json } from '../assembly';

/** Who asks a key for what. */
export interface Asked {
  readonly action: string;
  /** The ARN of the role. */
  readonly role: string;
  readonly account: string;
}

/**
 * Whether a key policy allows a role an action by itself. A statement for the whole account does not: it only lets
 * policies of the role decide, and a role of a service has none that do. Of conditions those are understood that the
 * guides and this project write; any other is taken as not met.
 */
export function allows(policy: unknown, asked: Asked): boolean {
  const statements = [(policy as Json)?.Statement ?? []].flat() as Json[];
  const of = (effect: string) => statements.filter((one) => one.Effect === effect && concerns(one, asked));
  const denied = of('Deny').some((one) => one.Condition === undefined || met(one.Condition, asked));
  return !denied && of('Allow').some((one) => met(one.Condition, asked));
}

function concerns({ Action, NotAction, Principal }: Json, { action, role }: Asked): boolean {
  if (Action === undefined && NotAction === undefined) return false;
  const named = [Action ?? NotAction].flat() as string[];
  const listed = named.some((pattern) => like(action, pattern));
  if (listed === (Action === undefined)) return false;
  const principals = Principal === '*' ? ['*'] : ([Principal?.AWS ?? []].flat() as string[]);
  return principals.includes('*') || principals.includes(role);
}

function met(condition: Json, { role, account }: Asked): boolean {
  const values: { [key: string]: string } = {
    'aws:principalarn': role,
    'kms:calleraccount': account,
    'aws:principalaccount': account,
    // Volumes are asked for by EC2, which makes grants for itself.
    'kms:grantisforawsresource': 'true',
  };
  return Object.entries((condition ?? {}) as { [operator: string]: { [key: string]: Json } }).every(
    ([operator, tests]) =>
      Object.entries(tests).every(([key, wanted]) => {
        const value = values[key.toLowerCase()];
        if (value === undefined || !/^(String(Equals|Like)|Arn(Equals|Like)|Bool)$/.test(operator))
          return false;
        return ([wanted].flat() as unknown[]).some((pattern) => like(value, String(pattern)));
      }),
  );
}

/** Patterns of policies: '*' is anything, '?' one character; actions are the same in any case. */
function like(value: string, pattern: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, 'i').test(value);
}
