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
  const denied = statementsOf(policy, 'Deny', asked).some((one) => met(one.Condition, asked));
  return !denied && statementsOf(policy, 'Allow', asked).some((one) => met(one.Condition, asked));
}

/** Whether a key policy denies it under a condition that is not understood here. */
export function mayDeny(policy: unknown, asked: Asked): boolean {
  return statementsOf(policy, 'Deny', asked).some(({ Condition }) => !understood(Condition, asked));
}

function statementsOf(policy: unknown, effect: string, asked: Asked): Json[] {
  const statements = [(policy as Json)?.Statement ?? []].flat() as Json[];
  return statements.filter((one) => one.Effect === effect && concerns(one, asked));
}

function concerns({ Action, NotAction, Principal }: Json, { action, role }: Asked): boolean {
  if (Action === undefined && NotAction === undefined) return false;
  const named = [Action ?? NotAction].flat() as string[];
  const listed = named.some((pattern) => like(action, pattern));
  if (listed === (Action === undefined)) return false;
  const principals = Principal === '*' ? ['*'] : ([Principal?.AWS ?? []].flat() as string[]);
  return principals.includes('*') || principals.includes(role);
}

function met(condition: Json, asked: Asked): boolean {
  return testsOf(condition, asked).every(
    ({ value, wanted }) => value !== undefined && wanted.some((pattern) => like(value, String(pattern))),
  );
}

function understood(condition: Json, asked: Asked): boolean {
  return testsOf(condition, asked).every(({ value }) => value !== undefined);
}

/** What a condition compares with what; the value is undefined where the test is not understood. */
function testsOf(condition: Json, { role, account }: Asked) {
  const values: { [key: string]: string } = {
    'aws:principalarn': role,
    'kms:calleraccount': account,
    'aws:principalaccount': account,
    // Volumes are asked for by EC2, which makes grants for itself.
    'kms:grantisforawsresource': 'true',
  };
  const operators = Object.entries((condition ?? {}) as { [operator: string]: { [key: string]: Json } });
  return operators.flatMap(([operator, tests]) => {
    const known = /^(String(Equals|Like)|Arn(Equals|Like)|Bool)$/.test(operator);
    return Object.entries(tests).map(([key, wanted]) => ({
      value: known ? values[key.toLowerCase()] : undefined,
      wanted: [wanted].flat() as unknown[],
    }));
  });
}

/** Patterns of policies: '*' is anything, '?' one character; actions are the same in any case. */
function like(value: string, pattern: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, 'i').test(value);
}
