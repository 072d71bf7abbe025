import { BACKUP_TAGS } from '../../constructs/private/tags';
import { type DescribedSnapshot, type FoundSet, isUsable, momentOf, setsOf } from '../shared/backup-set';

const tagOf = ({ Tags }: DescribedSnapshot, key: string): string | undefined =>
  Tags?.find(({ Key }) => Key === key)?.Value;

export const copyOf = (snapshot: DescribedSnapshot): string | undefined =>
  tagOf(snapshot, BACKUP_TAGS.copyOf);

export const setOf = (snapshot: DescribedSnapshot): string | undefined => tagOf(snapshot, BACKUP_TAGS.set);

const isCopy = (snapshot: DescribedSnapshot): boolean => copyOf(snapshot) !== undefined;

/** What is there, told apart: a deployment of the same name in another region or account may copy to the same place. */
export interface There {
  /** What this function has copied. */
  readonly copies: readonly DescribedSnapshot[];
  readonly sets: readonly FoundSet[];
  /** Names of sets of which somebody else has brought something. One that is there twice is never restored. */
  readonly taken: ReadonlySet<string>;
}

/** @param source what own copies say of where they come from */
export function lookThere(listed: readonly DescribedSnapshot[], source: string): There {
  const isOwn = (each: DescribedSnapshot) => isCopy(each) && tagOf(each, BACKUP_TAGS.copyFrom) === source;
  const copies = listed.filter(isOwn);
  const others = setsOf(listed.filter((each) => !isOwn(each)));
  return { copies, sets: setsOf(copies), taken: new Set(others.map(({ set }) => set)) };
}

/** The copied sets that can be restored. */
export const usableThere = ({ sets, taken }: There): FoundSet[] =>
  sets.filter((each) => isUsable(each) && !taken.has(each.set));

/** The deployment's own sets that can be copied: complete, and EBS has copied all of them to itself. */
export const ownSets = (here: readonly DescribedSnapshot[]): FoundSet[] =>
  setsOf(here.filter((each) => !isCopy(each))).filter(isUsable);

/**
 * The next set to copy: the newest one, if it is newer than all that can be restored there. One that was overtaken
 * before its copy began is left out: the newer one would wait for it for hours. What somebody else has copied, or begun
 * to, is left to them.
 */
export function nextSet(own: readonly FoundSet[], there: There): FoundSet | undefined {
  const newest = Math.max(Number.NEGATIVE_INFINITY, ...usableThere(there).map(momentOf));
  return own
    .filter((each) => momentOf(each) > newest && !there.taken.has(each.set))
    .sort((a, b) => momentOf(b) - momentOf(a))[0];
}
