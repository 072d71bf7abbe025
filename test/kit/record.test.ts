import { OWN_AGENT } from '../../proof/kit/agent-name';
import { oneWriter } from '../../proof/kit/record/hardware';
import { judge } from '../../proof/kit/record/judge';
import {
  action,
  attachment,
  claim,
  command,
  complete,
  type Event,
  failOver,
  instance,
  mount,
  release,
  served,
  story,
  succeeded,
} from './samples';

/** The ids of the invariants that a story violates, with what they say. */
const violated = (...events: Event[]) =>
  judge(story(...events))
    .filter(({ violations }) => violations.length > 0)
    .map(({ id, violations }) => `${id}: ${violations.map(({ detail }) => detail).join('; ')}`);

/** The story of a fail-over up to where the old server shuts down and the new one runs. */
const untilShutdown = () => failOver().slice(0, 19);

test('a fail-over as it should be violates nothing, and every invariant has looked at something', () => {
  const verdicts = judge(story(...failOver()));
  expect(verdicts.filter(({ passed }) => !passed)).toEqual([]);
  expect(verdicts.find(({ id }) => id === 'completed-once')?.counts).toEqual({
    begun: 2,
    completed: 2,
    refusedSecondCompletions: 1,
    endedWithTheirInstance: 0,
  });
});

test('an invariant that has seen nothing has not passed', () => {
  expect(judge(story()).filter(({ passed }) => passed)).toEqual([]);
});

describe('what must never happen is noticed', () => {
  test.each(['running', 'shutting-down', 'stopping', 'stopped'])(
    'a slot taken from an owner that is %s',
    (state) => {
      expect(
        violated(...failOver().slice(0, 16), instance('i-1', state), release('oss-00', 'i-1', 1)),
      ).toEqual([`released-after-end: oss-00 was taken from i-1, which was ${state}, in its group`]);
    },
  );

  test('a slot claimed without having been released', () => {
    expect(violated(...untilShutdown(), claim('oss-00', 'i-2', 2))).toEqual([
      'released-after-end: oss-00 was taken from i-1, which was shutting-down, in its group',
      'one-owner: oss-00 went from i-1 to i-2 without having been released',
    ]);
  });

  test('a slot taken from an instance that nobody knows', () => {
    expect(violated(claim('oss-01', 'i-9', 1), release('oss-01', 'i-9', 1))).toEqual([
      'released-after-end: oss-01 was taken from i-9, which was not known, in its group',
    ]);
  });

  test.each(['vol-a', 'eni-0'])('%s attached while its former holder shuts down', (thing) => {
    expect(violated(...untilShutdown(), attachment(thing, 'i-2', 'attaching'))).toEqual([
      `one-writer: ${thing} went to i-2 while i-1, which has it, was shutting-down`,
    ]);
  });

  const leaves = (state: string) => [
    ...failOver().slice(0, 16),
    instance('i-1', state),
    attachment('vol-a', 'i-1', 'detached', 'attached'),
    attachment('vol-a', 'i-2', 'attaching'),
  ];

  test.each(['running', 'shutting-down', 'stopping'])(
    'a volume moved on from an instance that is %s',
    (state) => {
      expect(violated(...leaves(state))).toEqual([
        `one-writer: vol-a went to i-2 while i-1, which had it last, was ${state}`,
      ]);
    },
  );

  test('one that is stopped cannot write to what was taken off it, and can to what is still on it', () => {
    expect(violated(...leaves('stopped'))).toEqual([]);
    expect(
      violated(...leaves('stopped').filter((event) => !('to' in event && event.to === 'detached'))),
    ).toEqual(['one-writer: vol-a went to i-2 while i-1, which has it, was stopped']);
  });

  test('what several servers share may be at both, and not at one that is terminated', () => {
    const shared = (...events: Event[]) => {
      const evidence = story(...events);
      const watched = { ...evidence.watched, shared: ['vol-a'] };
      return judge({ ...evidence, watched }, [oneWriter])[0]!.violations;
    };
    const both = [attachment('vol-a', 'i-1', 'attached'), attachment('vol-a', 'i-2', 'attaching')];
    expect(shared(...both)).toEqual([]);
    expect(shared(instance('i-2', 'terminated'), ...both)).toHaveLength(1);
  });

  test('detaching from a living server and attaching to the same again is no move', () => {
    const again = [
      attachment('vol-a', 'i-1', 'detached', 'attached'),
      attachment('vol-a', 'i-1', 'attaching'),
    ];
    expect(violated(...failOver().slice(0, 16), ...again)).toEqual([]);
  });

  test('a volume attached to an instance that is terminated', () => {
    const dead = [instance('i-3', 'running'), instance('i-3', 'terminated')];
    expect(violated(...dead, attachment('vol-c', 'i-3', 'attaching'))).toEqual([
      'one-writer: vol-c went to i-3, which is terminated',
    ]);
  });

  test.each(['running', 'shutting-down', 'stopping'])(
    'a volume detached from an instance that is %s',
    (state) => {
      const before = [...failOver().slice(0, 16), instance('i-1', state)];
      expect(violated(...before, attachment('vol-a', 'i-1', 'detaching', 'attached'))).toEqual([
        `never-taken-from-living: vol-a was taken from i-1, which was ${state}`,
      ]);
    },
  );

  test('the attempt to detach from a living instance, although EC2 refused it', () => {
    const parameters = { VolumeId: 'vol-a', InstanceId: 'i-1' };
    const refused: Event = { action: 'DetachVolume', parameters, error: 'IncorrectInstanceState' };
    expect(violated(...untilShutdown(), refused)).toEqual([
      'never-taken-from-living: DetachVolume was asked from i-1, which was shutting-down',
    ]);
  });

  test('a detach by force', () => {
    const forced: Event = {
      action: 'DetachNetworkInterface',
      parameters: { AttachmentId: 'e', Force: 'true' },
    };
    expect(violated(...failOver(), forced)).toEqual([
      'never-taken-from-living: DetachNetworkInterface was asked by force',
    ]);
  });

  test('a volume mounted by two hosts', () => {
    expect(violated(...untilShutdown(), mount('vol-a', 'i-2'))).toEqual([
      'one-server: oss-00 is served by i-2 and by i-1, which was shutting-down',
    ]);
  });

  test('two hosts with one volume each of the same slot', () => {
    const before = [instance('i-1', 'running'), mount('vol-a', 'i-1')];
    expect(violated(...before, mount('vol-b', 'i-2'))).toEqual([
      'one-server: oss-00 is served by i-2 and by i-1, which was running',
    ]);
  });

  test('a host whose machine is off has nothing mounted any more', () => {
    const before = [instance('i-1', 'running'), mount('vol-a', 'i-1'), instance('i-1', 'terminated')];
    expect(violated(...before, mount('vol-a', 'i-2'))).toEqual([]);
  });

  test('what the host tools themselves report', () => {
    const reported: Event = { kind: 'violation', id: 'vol-a', to: 'reformatted', instance: 'i-1' };
    expect(violated(reported)).toEqual(['one-server: vol-a: reformatted by i-1']);
  });

  test.each([1, 2, 4])('a change of owner with the epoch %d after 2', (epoch) => {
    const again = [instance('i-2', 'terminated'), release('oss-00', 'i-2', 2)];
    expect(violated(...failOver(), ...again, claim('oss-00', 'i-3', epoch))).toEqual([
      `epochs-grow: the epoch of oss-00 went from 2 to ${epoch} for i-3`,
    ]);
  });

  test('an instance that owns two slots', () => {
    expect(violated(...failOver(), claim('oss-01', 'i-2', 1))).toEqual([
      'one-owner: i-2 became owner of oss-01 and owns oss-00 already',
    ]);
  });

  test('a second format', () => {
    const again: Event = { kind: 'format', id: 'vol-b', to: 'OST0001', instance: 'i-2' };
    expect(violated(...failOver(), again)).toEqual([
      'formatted-once: vol-b was formatted for the 2. time by i-2',
    ]);
  });

  test('a slot called served before its host said so', () => {
    const before = [claim('oss-01', 'i-3', 1), command('oss-01', 'i-3', 1, 'c-3')];
    const message = 'served-is-true: the row of oss-01 says served by i-3 in epoch 1, which i-3 never said';
    expect(violated(...before, served('oss-01', 'i-3', 1), succeeded('c-3'))).toEqual([message]);
    expect(violated(...before, succeeded('c-9'), served('oss-01', 'i-3', 1))).toEqual([message]);
    expect(violated(...before, succeeded('c-3'), served('oss-01', 'i-3', 1))).toEqual([]);
  });

  test('a success of an earlier epoch does not count', () => {
    const before = [claim('oss-01', 'i-3', 1), command('oss-01', 'i-3', 1, 'c-3'), succeeded('c-3')];
    expect(violated(...before, served('oss-01', 'i-3', 2))).toEqual([
      'served-is-true: the row of oss-01 says served by i-3 in epoch 2, which i-3 never said',
    ]);
  });

  test('a launch that is let through before its slot is served', () => {
    expect(violated(...failOver().slice(0, 12), complete('i-1', 'CONTINUE'))).toEqual([
      'continued-after-served: i-1 was let through: it serves nothing, and oss-00 is not served',
    ]);
  });

  test('a launch without a slot that is let through while a slot is not served', () => {
    expect(violated(...untilShutdown(), complete('i-2', 'CONTINUE'))).toEqual([
      'continued-after-served: i-2 was let through: it serves nothing, and oss-00 is not served',
    ]);
  });

  test('a launch that no slot needs may be let through, and one that is given up, too', () => {
    expect(violated(...failOver(), complete('i-9', 'CONTINUE'))).toEqual([]);
    expect(violated(...untilShutdown(), complete('i-2', 'ABANDON'))).toEqual([]);
    expect(violated(...untilShutdown(), complete('i-1', 'CONTINUE', 'let-go'))).toEqual([]);
  });

  test('a lifecycle action that is completed twice', () => {
    expect(violated(...failOver(), complete('i-2', 'ABANDON'))).toEqual([
      'completed-once: serve-slot of i-2 was completed for the 2. time',
    ]);
    expect(violated(...failOver(), action('t-2', 'i-2', 'gone'))).toEqual([
      'completed-once: the action t-2 of i-2 ended 2 times',
    ]);
  });

  test('a lifecycle action that was left to time out', () => {
    expect(violated(action('t-5', 'i-5', 'waiting'), action('t-5', 'i-5', 'timed-out'))).toEqual([
      'completed-once: serve-slot of i-5 timed out',
    ]);
  });

  test('a write of the map or a move of a volume by hand', () => {
    const byHand = { userAgent: `aws-sdk-js ${OWN_AGENT}` };
    expect(violated(...failOver(), { ...served('oss-00', 'i-2', 2), ...byHand })).toEqual([
      'nothing-by-hand: oss-00 was written by hand',
    ]);
    expect(violated(...failOver(), { action: 'AttachVolume', ...byHand })).toEqual([
      'nothing-by-hand: AttachVolume was called by hand',
    ]);
  });

  test('a permission that is missing', () => {
    expect(violated(...failOver(), { action: 'AttachVolume', error: 'UnauthorizedOperation' })).toEqual([
      'allowed-by-roles: Reconciler may not ec2:AttachVolume',
    ]);
  });

  test('a write that is not understood', () => {
    const parameters = {
      Key: { tier: { S: 'oss' }, item: { S: 'slot#oss-00' } },
      UpdateExpression: 'SET #owner = :who',
    };
    expect(violated({ service: 'dynamodb', action: 'UpdateItem', parameters })).toEqual([
      'nothing-by-hand: a write of oss-00 was not understood',
    ]);
  });
});
