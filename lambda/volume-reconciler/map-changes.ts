import { type Plain, toAttribute } from '../shared/attributes';
import type { Annotation, Claim } from './ports';

/** A change of a row, and what has to hold for it. */
export interface Change {
  readonly update: string;
  readonly condition: string;
  readonly values: { [name: string]: Plain };
}

/** Attribute names that DynamoDB reserves, and those in doubt, go by another name. */
const NAMES: { [alias: string]: string } = {
  '#owner': 'owner',
  '#command': 'command',
  '#phase': 'phase',
  '#reason': 'reason',
  '#timeline': 'timeline',
};

/** Whoever changes an owned slot is its owner, since the epoch that it knows. */
export const OWNED = '#owner = :owner AND epoch = :epoch';

/** What is noted with a change: in which phase the slot is, and since when. */
export const NOTE = '#phase = :phase, #timeline = :timeline';
/** What `NOTE` goes on with when there is a reason. */
export const REASON = ', #reason = :reason';

/** What the owner of a slot writes into its row, as long as it is the owner. */
export function ownedChange(
  claim: Claim,
  update: string,
  values: { [name: string]: Plain },
  note: Annotation,
  alsoRemove = '',
): Change {
  const separator = update === 'SET' ? ' ' : ', ';
  const set = `${update}${separator}${NOTE}${note.reason ? REASON : ''}`;
  const removed = `${note.reason ? '' : ', #reason'}${alsoRemove}`.slice(2);
  return {
    update: removed ? `${set} REMOVE ${removed}` : set,
    condition: OWNED,
    values: { ...ownerValues(claim), ...values, ...noteValues(note) },
  };
}

/** The expressions of a change, as DynamoDB takes them. */
export function expressionsOf({ update, condition, values }: Change) {
  const text = `${update} ${condition}`;
  const names = Object.entries(NAMES).filter(([alias]) => new RegExp(`${alias}\\b`).test(text));
  return {
    UpdateExpression: update,
    ConditionExpression: condition,
    ExpressionAttributeValues: attributes(values),
    ...(names.length > 0 ? { ExpressionAttributeNames: Object.fromEntries(names) } : {}),
  };
}

export const ownerValues = (claim: Claim) => ({ ':owner': claim.owner, ':epoch': claim.epoch });

/** The values of `NOTE` and `REASON`. */
export function noteValues(note: Annotation): { [name: string]: Plain } {
  const values: { [name: string]: Plain } = { ':phase': note.phase, ':timeline': { ...note.timeline } };
  if (note.reason) values[':reason'] = note.reason.slice(0, 1000);
  return values;
}

export const attributes = (values: { [name: string]: Plain }) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toAttribute(value)]));
