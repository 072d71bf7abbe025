import { TIER_TAG } from '../../constructs/private/tags';
import { bySlot, parseTier, type SlotRow, type Timeline } from '../../lambda/shared/map';
import type { FoundDeployment, FoundResource } from '../deployment';
import type { GroupLook, Item } from './port';

/** A tier of servers whose volumes outlive them. */
export interface Tier {
  /** As the map has it, such as `oss`. */
  readonly name: string;
  readonly group?: GroupLook;
  readonly rows: readonly SlotRow[];
  /** Rows that cannot be read. */
  readonly broken: readonly { readonly slot: string; readonly problem: string }[];
  /** Of slots that were put to sleep: what the functions take for no phase. */
  readonly asleep: ReadonlySet<string>;
  /** What the logical ids of its resources begin with; undefined while its group is not there. */
  readonly prefix?: string;
}

/** The tiers of a deployment: those of the map, and those whose group is there before their slots. */
export function tiersOf(items: readonly Item[], groups: readonly GroupLook[], stack: string): Tier[] {
  const ofGroups = groups.filter(({ tags }) => tags[TIER_TAG]);
  const nameOf = ({ tags }: GroupLook) => {
    const { Name = '' } = tags;
    return Name.startsWith(`${stack}-`) ? Name.slice(stack.length + 1) : Name;
  };
  const names = new Set([...items.map(({ tier }) => String(tier)), ...ofGroups.map(nameOf)]);
  return [...names].sort().map((name) => {
    const own = items.filter(({ tier }) => tier === name);
    const group = ofGroups.find((one) => nameOf(one) === name);
    const { slots: rows, broken } = parseTier([...own]);
    const asleep = own.flatMap(({ phase, slot }) => (phase === 'asleep' ? [String(slot)] : []));
    return { name, group, rows, broken, asleep: new Set(asleep), prefix: group && prefixOf(group) };
  });
}

/** The tag is the stack and the path of the tier; logical ids are paths without what is no letter or digit. */
const prefixOf = ({ tags }: GroupLook): string =>
  tags[TIER_TAG]!.split('/')
    .slice(1)
    .join('')
    .replace(/[^A-Za-z0-9]/g, '');

/** What of a type belongs to a tier. */
export function ofTier<Resource extends FoundResource>(
  resources: readonly Resource[],
  { prefix }: Tier,
): Resource[] {
  return prefix ? resources.filter(({ logicalId }) => logicalId.startsWith(prefix)) : [];
}

export const isServed = ({ owner, epoch, servedEpoch, released }: SlotRow): boolean =>
  owner !== undefined && servedEpoch === epoch && !released;

/** When the trouble of a slot began, as far as anybody knows, ISO 8601. */
export function troubledSince({ timeline, claimedAt }: SlotRow): string | undefined {
  // A repair that has ended says nothing of what is the matter now.
  const { failed, detected, vacated }: Timeline = timeline.completed ? {} : timeline;
  return failed ?? detected ?? vacated ?? claimedAt;
}

/** Slots of all tiers, in their order. */
export const sorted = <T extends { readonly slot: string }>(slots: readonly T[]): T[] =>
  [...slots].sort(bySlot);

/** The name of the storage stack, whether it is there or not. */
export const storageStackOf = ({ name }: FoundDeployment): string => `${name}-storage`;
