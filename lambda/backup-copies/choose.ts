import { BACKUP_TAGS } from '../../constructs/private/tags';
import { type DescribedSnapshot, type FoundSet, isUsable, momentOf, setsOf } from '../shared/backup-set';

const tagOf = ({ Tags }: DescribedSnapshot, key: string): string | undefined =>
  Tags?.find(({ Key }) => Key === key)?.Value;

export const copyOf = (snapshot: DescribedSnapshot): string | undefined =>
  tagOf(snapshot, BACKUP_TAGS.copyOf);

export const setOf = (snapshot: DescribedSnapshot): string | undefined => tagOf(snapshot, BACKUP_TAGS.set);

const isCopy = (snapshot: DescribedSnapshot): boolean => copyOf(snapshot) !== undefined;

/** The sets that this function has copied, as far as they are there. */
export const copiedSets = (there: readonly DescribedSnapshot[]): FoundSet[] => setsOf(there.filter(isCopy));

/** The deployment's own sets that can be copied: complete, and EBS has copied all of them to itself. */
export const ownSets = (here: readonly DescribedSnapshot[]): FoundSet[] =>
  setsOf(here.filter((each) => !isCopy(each))).filter(isUsable);

/**
 * The next set to copy: the newest one, if it is newer than all that can be restored there. One that was overtaken
 * before its copy began is left out: the newer one would wait for it for hours. What a person has copied, or begun to,
 * is left to them: a set that is there twice is never restored.
 */
export function nextSet(own: readonly FoundSet[], there: readonly DescribedSnapshot[]): FoundSet | undefined {
  const byHand = new Set(setsOf(there.filter((each) => !isCopy(each))).map(({ set }) => set));
  const newest = Math.max(Number.NEGATIVE_INFINITY, ...copiedSets(there).filter(isUsable).map(momentOf));
  return own
    .filter((each) => momentOf(each) > newest && !byHand.has(each.set))
    .sort((a, b) => momentOf(b) - momentOf(a))[0];
}
