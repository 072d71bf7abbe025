import type { PlannedHost } from '../shared/benchmark/plan';
import type { Instance } from './ports';

/** Servers of a group all have the same name: those get their id, too. */
export function named(machines: readonly Instance[]): PlannedHost[] {
  return machines.map(({ instanceId, name, instanceType, privateIp }) => {
    const shared = machines.filter((one) => one.name === name).length > 1;
    const own = name === undefined ? instanceId : shared ? `${name} (${instanceId})` : name;
    return { instanceId, name: own, instanceType, privateIp: privateIp ?? '' };
  });
}

const MOST_NAMES = 10;

/** As many names as a sentence takes. */
export function namesOf(machines: readonly Instance[]): string {
  const names = named(machines).map(({ name }) => name);
  const more = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
