import type { Plain } from '../shared/attributes';
import { slotItem } from '../shared/map';
import type { SlotSpec } from './ports';

/**
 * How long a request may be on its way after the update that it is of was undone: Lambda keeps it for five minutes (`maxEventAge` in
 * constructs/volume-reattachment/functions.ts), the function runs for five at most, and what undoes it was sent later.
 */
export const ON_THE_WAY_MS = 15 * 60_000;

/** Interfaces and volumes of updates that were undone before they had written anything, each with the time of that, milliseconds since 1970. */
export type Undone = { readonly [id: string]: number };

type Item = { readonly [attribute: string]: Plain | undefined };

/** By what a request describes the tier's slots. */
export interface Description {
  /** Interfaces and volumes. */
  readonly ids: readonly string[];
  /** Those by which they were not described before; none of a creation, whose rollback is a deletion. */
  readonly brought: readonly string[];
  /** Those by which the slots were described before and are no more. A rollback undoes them. */
  readonly dropped: readonly string[];
}

/** How a request describes the slots, and how that differs from the state before, if there was one. */
export function descriptionOf(slots: readonly SlotSpec[], before?: readonly SlotSpec[]): Description {
  const ids = slots.flatMap(idsOf);
  const former = before?.flatMap(idsOf) ?? ids;
  return { ids, brought: without(ids, former), dropped: without(former, ids) };
}

const without = (all: readonly string[], those: readonly string[]): string[] => {
  const known = new Set(those);
  return all.filter((id) => !known.has(id));
};

/** Those of an item's attribute whose update may still be on its way. */
export function undoneIn(attribute: Plain | undefined, now: number): Undone {
  if (typeof attribute !== 'object' || attribute === null || Array.isArray(attribute)) return {};
  const isRecent = (at: unknown) => typeof at === 'number' && Math.abs(now - at) < ON_THE_WAY_MS;
  return Object.fromEntries(Object.entries(attribute).filter(([, at]) => isRecent(at))) as Undone;
}

/**
 * What a request drops that neither a row names nor the request in turn brought (`came`, as the map has it): the update that was to bring it has not
 * come yet. One that had its turn never gets it back, also if it was refused; what it brought may be brought again at once.
 */
export function undoneBy(
  { dropped }: Description,
  came: Plain | undefined,
  items: readonly Item[],
  now: number,
): Undone {
  const named = items.filter(({ item }) => String(item).startsWith(slotItem(''))).flatMap(idsOf);
  const known = Array.isArray(came) ? [...named, ...came.map(String)] : named;
  return Object.fromEntries(without(dropped, known).map((id) => [id, now]));
}

/** Why a request comes too late, if it is of an update that was undone. */
export function tooLate({ ids }: Description, undone: Undone): string | undefined {
  const late = ids.find((id) => undone[id] !== undefined);
  if (late === undefined) return undefined;
  const until = new Date(undone[late]! + ON_THE_WAY_MS).toISOString();
  return (
    `the update that brought ${late} was undone a moment ago, and this request looks like one of it that is late. If ${late} is ` +
    `wanted after all, deploy, or continue the rollback, after ${until}`
  );
}

/** Of a slot, or of an item that may be one: a person may have written anything. */
function idsOf({ networkInterfaceId, volumes }: SlotSpec | Item): string[] {
  const each = Array.isArray(volumes) ? volumes : [];
  return [
    networkInterfaceId,
    ...each.map((volume) => (volume as { volumeId?: Plain } | null)?.volumeId),
  ].filter((id) => typeof id === 'string');
}
