import type { ApiCall } from '../history';

/** A write of the volume map that took place. */
export interface MapWrite {
  readonly kind: /** The slot has an owner and a new epoch. */
    | 'claim'
    /** The slot has no owner any more. */
    | 'release'
    /** A command was sent to the owner. */
    | 'command'
    /** The owner serves this epoch. */
    | 'served'
    /** It does not any more. */
    | 'unserve'
    /** Notes for people, the intent to send a command, and what the deployment seeds. */
    | 'note'
    /** Of a slot, and none of the above. */
    | 'unknown';
  readonly tier: string;
  readonly slot: string;
  readonly owner: string;
  readonly epoch: number;
  readonly commandId?: string;
  /** Seconds since 1970: when the call came, and when it was answered. */
  readonly time: number;
  readonly answered: number;
  readonly userAgent: string;
}

type Item = Record<string, Record<string, unknown> | undefined>;

interface Update {
  readonly Key?: Item;
  readonly Item?: Item;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeValues?: Item;
}

interface TransactItem {
  readonly Update?: Update;
  readonly Put?: Update;
  readonly Delete?: Update;
  /** Writes nothing. */
  readonly ConditionCheck?: object;
}

/**
 * The writes of slots among the calls, those that were refused left out. Whoever wrote must be understood: a write that
 * is none of those that the reconciler and the deployment make is `unknown`.
 */
export function mapWrites(calls: readonly ApiCall[]): MapWrite[] {
  return calls.filter(({ service, error }) => service === 'dynamodb' && !error).flatMap(writesOf);
}

function writesOf(call: ApiCall): MapWrite[] {
  const { action, parameters } = call;
  if (action === 'UpdateItem') return slotWrite(call, parameters as Update);
  if (action === 'PutItem') return putWrite(call, parameters as Update);
  if (action === 'DeleteItem') return slotWrite(call, parameters as Update);
  if (action !== 'TransactWriteItems') return [];
  const items = parameters.TransactItems;
  // A list that the log has shortened is a text.
  if (!Array.isArray(items)) return [unknown(call)];
  return (items as TransactItem[]).flatMap((item) => {
    if (item.ConditionCheck) return [];
    return item.Put ? putWrite(call, item.Put) : slotWrite(call, item.Update ?? item.Delete ?? {});
  });
}

function slotWrite(call: ApiCall, update: Update): MapWrite[] {
  if (typeof update !== 'object' || typeof update.Key !== 'object') return [unknown(call)];
  const item = textOf(update.Key, 'item');
  if (!item.startsWith('slot#')) return [];
  const values = update.ExpressionAttributeValues ?? {};
  const base = {
    tier: textOf(update.Key, 'tier'),
    slot: item.slice('slot#'.length),
    owner: textOf(values, ':owner'),
    epoch: numberOf(values, ':epoch'),
    time: call.time,
    answered: call.answered,
    userAgent: call.userAgent,
  };
  const expression = update.UpdateExpression ?? '';
  if (values[':next']) return [{ ...base, kind: 'claim', epoch: numberOf(values, ':next') }];
  const [set = '', removed = ''] = expression.split(' REMOVE ');
  if (/#owner\b|\bowner\b/.test(removed)) return [{ ...base, kind: 'release' }];
  if (set.includes('servedEpoch = :epoch')) return [{ ...base, kind: 'served' }];
  if (set.includes('servedEpoch = :zero')) return [{ ...base, kind: 'unserve' }];
  if (set.includes('#command.id = :id')) {
    return [{ ...base, kind: 'command', commandId: textOf(values, ':id') }];
  }
  // Whatever else names an owner or an epoch to be written is not known here.
  const changes = /(#owner|\bowner|\bepoch|\bservedEpoch) =/.test(set) || expression === '';
  return [{ ...base, kind: changes ? 'unknown' : 'note' }];
}

/** Only the deployment makes rows of slots; owner rows and leases are no slots. */
function putWrite(call: ApiCall, put: Update): MapWrite[] {
  if (typeof put.Item !== 'object') return [unknown(call)];
  const item = textOf(put.Item, 'item');
  if (!item.startsWith('slot#')) return [];
  const { time, answered, userAgent } = call;
  const seeded = textOf(put.Item, 'owner') === '';
  return [
    {
      kind: seeded ? 'note' : 'unknown',
      tier: textOf(put.Item, 'tier'),
      slot: item.slice('slot#'.length),
      owner: textOf(put.Item, 'owner'),
      epoch: numberOf(put.Item, 'epoch'),
      time,
      answered,
      userAgent,
    },
  ];
}

function unknown({ time, answered, userAgent }: ApiCall): MapWrite {
  return { kind: 'unknown', tier: '', slot: '', owner: '', epoch: 0, time, answered, userAgent };
}

const textOf = (item: Item, name: string) => String(item[name]?.S ?? '');
const numberOf = (item: Item, name: string) => Number(item[name]?.N ?? 0);
