import { canNeverWriteAgain, mayWrite, type Owner, type Seen } from './instance-states';

/*
 * What must never happen, as far as those who look have it in common: each rule is told what has just happened and what
 * was so at that moment, and answers with what is wrong, in words. The numbers are those of the protocol
 * (docs/failover-protocol.md); list.ts says who evaluates which.
 */

const stateOf = ({ state }: Seen): string => state ?? 'not known';

/** An instance that had a thing before, or may still write to it. */
export interface Former extends Seen {
  /** It is still attached to it: then it will be when the instance starts again, too. */
  readonly hasIt?: boolean;
}

/** 1a, `one-writer`: a volume or interface of a slot begins to be attached. */
export function attached(thing: string, to: Seen, formers: readonly Former[]): string[] {
  const wrong = formers
    .filter(({ id, state, hasIt }) => id !== to.id && (hasIt || mayWrite(state)))
    .map((each) => `${thing} went to ${to.id} while ${each.id}, which ${had(each)}, was ${stateOf(each)}`);
  return to.state === 'terminated' ? [...wrong, `${thing} went to ${to.id}, which is terminated`] : wrong;
}

const had = ({ hasIt }: Former): string => (hasIt ? 'has it' : 'had it last');

/** 1b, `never-taken-from-living`: something goes off an instance on request, or that is asked for. */
export function taken(how: string, from: Seen | undefined, forced = false): string[] {
  const wrong = forced ? [`${how} by force`] : [];
  if (from !== undefined && mayWrite(from.state))
    wrong.push(`${how} from ${from.id}, which was ${stateOf(from)}`);
  return wrong;
}

/** 1c, `one-server`: a host mounts or serves what others have mounted or serve. */
export function served(what: string, by: string, others: readonly Seen[]): string[] {
  return others
    .filter(({ id, state }) => id !== by && mayWrite(state))
    .map((other) => `${what} is served by ${by} and by ${other.id}, which was ${stateOf(other)}`);
}

/** 2, `one-owner`: a slot gets an owner. */
export function claimed(
  slot: string,
  owner: string,
  former: string | undefined,
  alsoOwns: readonly string[],
): string[] {
  return [
    ...(former === undefined ? [] : [`${slot} went from ${former} to ${owner} without having been released`]),
    ...alsoOwns
      .filter((other) => other !== slot)
      .map((other) => `${owner} became owner of ${slot} and owns ${other} already`),
  ];
}

/** 3, `epochs-grow`: an epoch is written, to a row whose epoch was known. */
export function epochWritten(
  slot: string,
  known: number,
  epoch: number,
  newOwner: string | undefined,
): string[] {
  const wanted = newOwner === undefined ? known : known + 1;
  const why = newOwner === undefined ? 'without another owner' : `for ${newOwner}`;
  return epoch === wanted ? [] : [`the epoch of ${slot} went from ${known} to ${epoch} ${why}`];
}

/** 4, `released-after-end`: a slot leaves its owner. */
export function released(slot: string, owner: Owner): string[] {
  if (canNeverWriteAgain(owner)) return [];
  const { id, isMember, holds } = owner;
  const how = [stateOf(owner), ...(isMember ? ['in its group'] : []), ...(holds ? [`with ${holds}`] : [])];
  return [`${slot} was taken from ${id}, which was ${how.join(', ')}`];
}

/** 5a, `formatted-once`: a host formats a volume that was formatted so often before. */
export function formatted(volume: string, by: string | undefined, before: number): string[] {
  return before === 0 ? [] : [`${volume} was formatted for the ${before + 1}. time by ${by}`];
}

/** 7a, `served-is-true`: a row comes to say served. */
export function calledServed(slot: string, owner: string, epoch: number, hostSaidSo: boolean): string[] {
  return hostSaidSo
    ? []
    : [`the row of ${slot} says served by ${owner} in epoch ${epoch}, which ${owner} never said`];
}

/** 7c, `continued-after-served`: a launch is let through while these slots are not served, as who did it could know. */
export function letThrough(instance: string, hasServed: boolean, unserved: readonly string[]): string[] {
  if (hasServed || unserved.length === 0) return [];
  return [`${instance} was let through: it serves nothing, and ${unserved.join(', ')} is not served`];
}
