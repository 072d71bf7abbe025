import { DynamoSeeds } from '../../lambda/volume-map-resource/aws';
import { DynamoVolumeMap } from '../../lambda/volume-reconciler/aws-map';
import type { ApiCall } from '../../proof/kit/history';
import { mapWrites } from '../../proof/kit/record/map-log';
import { claim, release, story } from './samples';

/** The calls that the reconciler's own map and the deployment's make, as the log would have them. */
function recorded(): { map: DynamoVolumeMap; seeds: DynamoSeeds; calls: ApiCall[] } {
  const calls: ApiCall[] = [];
  const send = async (made: { constructor: { name: string }; input: Record<string, unknown> }) => {
    calls.push({
      service: 'dynamodb',
      action: made.constructor.name.replace(/Command$/, ''),
      parameters: made.input,
      userAgent: 'aws-sdk-js',
      time: calls.length,
      answered: calls.length + 0.5,
    });
    return {};
  };
  const client = { send } as never;
  const request = {
    stackId: 'stack',
    requestId: 'request',
    step: 'seed',
    deletes: false,
  } as const;
  return {
    map: new DynamoVolumeMap(client, 'map', 'oss'),
    seeds: new DynamoSeeds(client, 'map', 'oss', request, { now: () => 0, sleep: async () => undefined }),
    calls,
  };
}

test('every write of the reconciler is understood as what it is', async () => {
  const { map, calls } = recorded();
  const was = { slot: 'oss-00', owner: 'i-1', epoch: 3 };
  const note = { phase: 'serving', timeline: {} } as const;
  await map.takeLease('me', 0, 1000);
  await map.wakeHolder(0);
  await map.noteBeat('me', 0);
  await map.claim({ ...was, epoch: 2 }, '2026-01-01T00:00:00Z', {});
  await map.beginCommand(was, { sentAt: 'now', attempts: 1, failures: 0 }, note, true);
  await map.recordCommand(was, 'now', 'c-1');
  await map.noteUnsent(was, 'now');
  await map.markServed(was, 'c-1', {}, ['now']);
  await map.unserve(was, { ...note, reason: 'gone' });
  await map.annotate('oss-00', 'i-1', 3, note);
  await map.annotate('oss-00', undefined, 3, note);
  await map.release(was, {});
  await map.endLease('me', 1);
  expect(mapWrites(calls).map(({ kind, slot, epoch }) => `${kind} ${slot} ${epoch}`)).toEqual([
    'claim oss-00 3',
    'note oss-00 3',
    'command oss-00 3',
    'note oss-00 3',
    'served oss-00 3',
    'unserve oss-00 3',
    'note oss-00 3',
    'note oss-00 3',
    'release oss-00 3',
  ]);
});

test('every write of the deployment is understood as one that gives no slot away', async () => {
  const { seeds, calls } = recorded();
  const volumes = [{ volumeId: 'vol-1', device: '/dev/sdf' }];
  const slot = { slot: 'oss-00', networkInterfaceId: 'eni-1', address: '10.0.0.10', volumes };
  await seeds.takeOver();
  await seeds.add({ ...slot, formatted: false, formatOffered: false, epoch: 0 }, 'stack');
  await seeds.describeAnew({ ...slot, adopted: false }, 0, false, 'stack');
  await seeds.takeBack('oss-00', 'stack');
  await seeds.retire('oss-00', 'stack');
  await seeds.letGo('oss-00', 'stack');
  expect(mapWrites(calls).map(({ kind, slot }) => `${kind} ${slot}`)).toEqual(Array(5).fill('note oss-00'));
});

test('a write that was refused did not take place', () => {
  const refused = { ...claim('oss-00', 'i-1', 1), error: 'TransactionCanceledException' };
  expect(story(refused, release('oss-00', 'i-1', 1)).writes.map(({ kind }) => kind)).toEqual(['release']);
});

test('a call whose parameters the log has shortened is not taken for harmless', () => {
  const parameters = { TransactItems: '[{"Update": ...' };
  expect(story({ service: 'dynamodb', action: 'TransactWriteItems', parameters }).writes).toMatchObject([
    { kind: 'unknown' },
  ]);
});
