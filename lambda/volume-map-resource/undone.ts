import type { Plain } from '../shared/attributes';
import { slotItem } from '../shared/map';
import type { SeedRequest } from './ports';

/**
 * How long a request may be on its way after the update that it is of was undone: Lambda keeps it for as long as CloudFormation waits, an hour at most
 * (user guide, "Custom resources", ServiceTimeout), and the function runs for minutes.
 */
const ON_THE_WAY_MS = 2 * 3_600_000;

/** Interfaces that updates were to bring which were undone before they had written anything, each with the time of that, milliseconds since 1970. */
export type Undone = { readonly [interfaceId: string]: number };

type Item = { readonly [attribute: string]: Plain | undefined };

/** Those of an item's attribute whose update may still be on its way. */
export function undoneIn(attribute: Plain | undefined, now: number): Undone {
  if (typeof attribute !== 'object' || attribute === null || Array.isArray(attribute)) return {};
  const isRecent = (at: unknown) => typeof at === 'number' && Math.abs(now - at) < ON_THE_WAY_MS;
  return Object.fromEntries(Object.entries(attribute).filter(([, at]) => isRecent(at))) as Undone;
}

/**
 * What a request undoes that has not come yet: its stack had described slots by interfaces that it describes no more, and no row names one of them. An
 * update that has written a row has had its turn, and is known by its name.
 */
export function undoneBy({ undoes }: SeedRequest, items: readonly Item[], now: number): Undone {
  const slots = items.filter(({ item }) => String(item).startsWith(slotItem('')));
  const hasCome = slots.some(({ networkInterfaceId }) => undoes.includes(String(networkInterfaceId)));
  return hasCome ? {} : Object.fromEntries(undoes.map((each) => [each, now]));
}

/** Why a request comes too late, if it is of an update that was undone. CloudFormation deletes an interface that it has undone, and makes another next time. */
export function tooLate({ interfaces }: SeedRequest, undone: Undone): string | undefined {
  const late = interfaces.find((each) => undone[each] !== undefined);
  if (late === undefined) return undefined;
  const until = new Date(undone[late]! + ON_THE_WAY_MS).toISOString();
  return (
    `the update that made ${late} has been undone, and this request of it is late. If that interface was taken into the stack ` +
    `again since, deploy after ${until}`
  );
}
