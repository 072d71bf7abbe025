/** Values by the name of the parameter that they were given in. */
export type Values = Readonly<Record<string, string>>;

const PREFIX = 'launched-with:';

// CloudFormation takes physical ids up to 1 KB.
const LONGEST_ID = 1024;

/**
 * The physical id of the guard: it carries the values that were given at launch. CloudFormation keeps it for as long as the stack is there,
 * hands it back with every change, and does not take over that of an update that failed: the values need no other place.
 *
 * @throws when they are too long for one
 */
export function identityOf(values: Values): string {
  const sorted = Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
  const identity = PREFIX + Buffer.from(JSON.stringify(sorted)).toString('base64url');
  if (identity.length <= LONGEST_ID) return identity;
  throw new Error(
    `the values that are fixed at launch take ${identity.length} characters; allowed: up to ${LONGEST_ID}`,
  );
}

/**
 * The values that a physical id carries; undefined when it carries none.
 *
 * @throws when it should carry some and cannot be read: then nothing is known, and nothing may change
 */
export function valuesOf(identity: string): Values | undefined {
  if (!identity.startsWith(PREFIX)) return undefined;
  const value: unknown = JSON.parse(Buffer.from(identity.slice(PREFIX.length), 'base64url').toString());
  if (typeof value !== 'object' || value === null) throw new Error(`'${identity}' carries no values`);
  return value as Values;
}

/**
 * Compares what was given at launch with what an update asks for. A parameter that only one of the two versions of the product has is no
 * change: the check of versions looks at what becomes of the resources then.
 *
 * @returns what is wrong, nothing when nothing changes
 */
export function changes(launched: Values, wanted: Values): string[] {
  return Object.entries(launched)
    .filter(([name, value]) => Object.hasOwn(wanted, name) && wanted[name] !== value)
    .map(([name, value]) => `${name} was '${value}' at launch and cannot become '${wanted[name]}'`);
}
