import type { ApiCall, Transition } from '../../proof/kit/history';
import { type Evidence, evidenceOf } from '../../proof/kit/record/evidence';

/** What happened, in its order: the position in the story is the second. */
export type Event = Partial<Transition> | Partial<ApiCall>;

const isCall = (event: Event): event is Partial<ApiCall> => 'action' in event;

/**
 * Evidence of a made-up story about slot oss-00 with its volumes vol-a and vol-b and interface eni-0, and oss-01 with
 * vol-c and eni-1.
 */
export function story(...events: Event[]): Evidence {
  const history: Transition[] = [];
  const calls: ApiCall[] = [];
  events.forEach((event, second) => {
    if (isCall(event)) {
      calls.push({
        service: 'ec2',
        action: '',
        parameters: {},
        userAgent: 'aws-sdk-js/3 of the function',
        role: 'Reconciler',
        time: second,
        answered: second + 0.1,
        ...event,
      });
    } else history.push({ kind: '', id: '', from: null, to: null, time: second, ...event });
  });
  return evidenceOf(history, calls, {
    slotOfVolume: { 'vol-a': 'oss-00', 'vol-b': 'oss-00', 'vol-c': 'oss-01' },
    slotOfInterface: { 'eni-0': 'oss-00', 'eni-1': 'oss-01' },
  });
}

export const instance = (id: string, to: string): Event => ({ kind: 'instance', id, to });

export const attachment = (id: string, owner: string, to: string, from: string | null = null): Event => ({
  kind: id.startsWith('eni') ? 'interface-attachment' : 'volume-attachment',
  id,
  instance: owner,
  from,
  to,
});

export const mount = (id: string, host: string): Event => ({
  kind: 'mount',
  id,
  from: null,
  to: host,
  instance: host,
});
const unmount = (id: string, host: string): Event => ({
  kind: 'mount',
  id,
  from: host,
  to: null,
  instance: host,
});

const key = (slot: string) => ({ tier: { S: 'oss' }, item: { S: `slot#${slot}` } });

function update(slot: string, UpdateExpression: string, values: Record<string, string | number>): Event {
  const ExpressionAttributeValues = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      `:${name}`,
      typeof value === 'number' ? { N: String(value) } : { S: value },
    ]),
  );
  const parameters = { TableName: 'map', Key: key(slot), UpdateExpression, ExpressionAttributeValues };
  return { service: 'dynamodb', action: 'UpdateItem', parameters };
}

function transaction(event: Event, second: object): Event {
  const { parameters } = event as ApiCall;
  return {
    ...event,
    action: 'TransactWriteItems',
    parameters: { TransactItems: [{ Update: parameters }, second] },
  };
}

/** The reconciler's writes, as lambda/volume-reconciler/aws-map.ts makes them. */
export const claim = (slot: string, owner: string, epoch: number): Event =>
  transaction(
    update(
      slot,
      'SET #owner = :owner, epoch = :next, claimedAt = :at, #phase = :phase REMOVE #command, #reason',
      {
        owner,
        next: epoch,
        epoch: epoch - 1,
      },
    ),
    { Put: { TableName: 'map', Item: { tier: { S: 'oss' }, item: { S: `owner#${owner}` } } } },
  );

export const release = (slot: string, owner: string, epoch: number): Event =>
  transaction(
    update(slot, 'SET #phase = :phase, #timeline = :timeline REMOVE #owner, claimedAt, #command, #reason', {
      owner,
      epoch,
    }),
    { Delete: { TableName: 'map', Key: { tier: { S: 'oss' }, item: { S: `owner#${owner}` } } } },
  );

export const command = (slot: string, owner: string, epoch: number, id: string): Event =>
  update(slot, 'SET #command.id = :id', { owner, epoch, id });

export const succeeded = (id: string): Event => ({ kind: 'command', id, from: 'sent', to: 'Success' });

export const served = (slot: string, owner: string, epoch: number): Event =>
  update(slot, 'SET servedEpoch = :epoch, formatted = :yes, #phase = :phase REMOVE #reason', {
    owner,
    epoch,
  });

export const complete = (id: string, result: string, hook = 'serve-slot', error?: string): Event => ({
  service: 'autoscaling',
  action: 'CompleteLifecycleAction',
  parameters: { InstanceId: id, LifecycleActionResult: result, LifecycleHookName: hook },
  error,
});

export const action = (token: string, owner: string, to: string): Event => ({
  kind: 'lifecycle-action',
  id: token,
  from: to === 'waiting' ? null : 'waiting',
  to,
  instance: owner,
  hook: 'serve-slot',
});

/** oss-00 goes from one server to another one as it should. */
export const failOver = (old = 'i-1', next = 'i-2'): Event[] => [
  instance(old, 'running'),
  claim('oss-00', old, 1),
  attachment('vol-a', old, 'attaching'),
  attachment('vol-b', old, 'attaching'),
  attachment('eni-0', old, 'attaching'),
  command('oss-00', old, 1, 'c-1'),
  { kind: 'format', id: 'vol-a', to: 'OST0000', instance: old },
  mount('vol-a', old),
  { kind: 'format', id: 'vol-b', to: 'OST0001', instance: old },
  mount('vol-b', old),
  succeeded('c-1'),
  action('t-1', old, 'waiting'),
  served('oss-00', old, 1),
  complete(old, 'CONTINUE'),
  action('t-1', old, 'completed'),
  complete(old, 'CONTINUE', 'serve-slot', 'ValidationError'),
  instance(old, 'shutting-down'),
  instance(next, 'running'),
  action('t-2', next, 'waiting'),
  instance(old, 'terminated'),
  unmount('vol-a', old),
  attachment('vol-a', old, 'detached', 'attached'),
  attachment('vol-b', old, 'detached', 'attached'),
  attachment('eni-0', old, 'detached', 'attached'),
  release('oss-00', old, 1),
  claim('oss-00', next, 2),
  attachment('vol-a', next, 'attaching'),
  attachment('vol-b', next, 'attaching'),
  attachment('eni-0', next, 'attaching'),
  command('oss-00', next, 2, 'c-2'),
  mount('vol-a', next),
  mount('vol-b', next),
  succeeded('c-2'),
  served('oss-00', next, 2),
  complete(next, 'CONTINUE'),
  action('t-2', next, 'completed'),
];
