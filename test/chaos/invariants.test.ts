import { judge } from '../../proof/chaos/invariants';
import { OWN_AGENT } from '../../proof/kit/agent-name';
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
      ).toEqual([`released-after-end: oss-00 was taken from i-1, which was ${state}`]);
    },
  );

  test('a slot claimed without having been released', () => {
    expect(violated(...untilShutdown(), claim('oss-00', 'i-2', 2))).toEqual([
      'released-after-end: oss-00 was taken from i-1, which was shutting-down',
      'one-owner: oss-00 went to i-2 while i-1 owned it',
    ]);
  });

  test('a slot taken from an instance that nobody knows', () => {
    expect(violated(claim('oss-01', 'i-9', 1), release('oss-01', 'i-9', 1))).toEqual([
      'released-after-end: oss-01 was taken from i-9, which was not known',
    ]);
  });

  test.each(['vol-a', 'eni-0'])('%s attached while its former holder shuts down', (thing) => {
    expect(violated(...untilShutdown(), attachment(thing, 'i-2', 'attaching'))).toEqual([
      `fenced-before-attach: ${thing} went to i-2 while i-1 was shutting-down`,
    ]);
  });

  test('a volume attached to an instance that is terminated', () => {
    const dead = [instance('i-3', 'running'), instance('i-3', 'terminated')];
    expect(violated(...dead, attachment('vol-c', 'i-3', 'attaching'))).toEqual([
      'fenced-before-attach: vol-c went to i-3, which is terminated',
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
      'never-taken-from-living: DetachVolume was asked for i-1, which was shutting-down',
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
      'served-by-one: oss-00: i-2 mounted vol-a while i-1 had vol-a mounted; oss-00: i-2 mounted vol-a while i-1 had vol-b mounted',
    ]);
  });

  test('two hosts with one volume each of the same slot', () => {
    const before = [instance('i-1', 'running'), mount('vol-a', 'i-1')];
    expect(violated(...before, mount('vol-b', 'i-2'))).toEqual([
      'served-by-one: oss-00: i-2 mounted vol-b while i-1 had vol-a mounted',
    ]);
  });

  test('a host whose machine is off has nothing mounted any more', () => {
    const before = [instance('i-1', 'running'), mount('vol-a', 'i-1'), instance('i-1', 'terminated')];
    expect(violated(...before, mount('vol-a', 'i-2'))).toEqual([]);
  });

  test('what the host tools themselves report', () => {
    const reported: Event = { kind: 'violation', id: 'vol-a', to: 'reformatted', instance: 'i-1' };
    expect(violated(reported)).toEqual(['served-by-one: vol-a: reformatted by i-1']);
  });

  test.each([1, 2])('a change of owner with the epoch %d after 2', (epoch) => {
    const again = [instance('i-2', 'terminated'), release('oss-00', 'i-2', 2)];
    expect(violated(...failOver(), ...again, claim('oss-00', 'i-3', epoch))).toEqual([
      `epochs-grow: oss-00 went to i-3 with epoch ${epoch} after 2`,
    ]);
  });

  test('an instance that owns two slots', () => {
    expect(violated(...failOver(), claim('oss-01', 'i-2', 1))).toEqual([
      'one-owner: i-2 got oss-01 and owned oss-00 already',
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
    const message = 'served-after-host-said-so: oss-01, epoch 1: no command of i-3 had succeeded';
    expect(violated(...before, served('oss-01', 'i-3', 1), succeeded('c-3'))).toEqual([message]);
    expect(violated(...before, succeeded('c-9'), served('oss-01', 'i-3', 1))).toEqual([message]);
    expect(violated(...before, succeeded('c-3'), served('oss-01', 'i-3', 1))).toEqual([]);
  });

  test('a success of an earlier epoch does not count', () => {
    const before = [claim('oss-01', 'i-3', 1), command('oss-01', 'i-3', 1, 'c-3'), succeeded('c-3')];
    expect(violated(...before, served('oss-01', 'i-3', 2))).toEqual([
      'served-after-host-said-so: oss-01, epoch 2: no command of i-3 had succeeded',
    ]);
  });

  test('a launch that is let through before its slot is served', () => {
    expect(violated(...failOver().slice(0, 12), complete('i-1', 'CONTINUE'))).toEqual([
      'continued-after-served: i-1, the owner of oss-00, which it did not serve, was let through',
    ]);
  });

  test('a launch without a slot that is let through while a slot is not served', () => {
    expect(violated(...untilShutdown(), complete('i-2', 'CONTINUE'))).toEqual([
      'continued-after-served: i-2, which owns no slot, was let through',
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
