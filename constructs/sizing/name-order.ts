import type { InstanceTypeFacts } from './facts';

/** An order by name that is the same in every locale, and needs none. */
export function compareNames(a: InstanceTypeFacts, b: InstanceTypeFacts): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
