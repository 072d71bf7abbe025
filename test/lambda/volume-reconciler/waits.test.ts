import type { Action, Decision, SlotDecision } from '../../../lambda/volume-reconciler/actions';
import type { Applied } from '../../../lambda/volume-reconciler/apply';
import { waitSeconds } from '../../../lambda/volume-reconciler/waits';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const ago = (seconds: number): number => NOW - seconds * 1000;

function decision(at: number | undefined, slots: Partial<SlotDecision>[] = [{}]): Decision {
  const slot = { slot: 'oss-00', epoch: 1, phase: 'attaching', moving: true, settled: false, actions: [] };
  return {
    slots: slots.map((more) => ({ ...slot, ...more })),
    actions: [],
    released: false,
    asleep: false,
    unseeded: false,
    unstable: 0,
    doomed: 0,
    endedLaunches: 0,
    lastChange: { at, quickStepAt: at },
  };
}

const attach: Action = {
  kind: 'attach-volume',
  slot: 'oss-00',
  volumeId: 'vol-0a',
  instanceId: 'i-0a',
  device: '/dev/sdf',
};
const step = (done: boolean, more: Partial<Applied> = {}): Applied => ({
  action: attach,
  text: '',
  done,
  advanced: false,
  ...more,
});
const early = { pass: 3, lastWaitSeconds: 0 };
const wait = (
  age: number | undefined,
  applied: Applied[] = [],
  passes = early,
  slots?: Partial<SlotDecision>[],
) => waitSeconds(decision(age === undefined ? undefined : ago(age), slots), applied, passes, NOW);

test('the next pass follows at once while something is about to end, then each second, then ever later', () => {
  expect([0, 59, 60, 119].map((age) => wait(age))).toEqual([0, 0, 1, 1]);
  const later = [1, 2, 3, 5, 5];
  let lastWaitSeconds = 0;
  for (const expected of later) {
    lastWaitSeconds = wait(120, [], { pass: 3, lastWaitSeconds });
    expect(lastWaitSeconds).toBe(expected);
  }
});

test('a step that EC2 or a host works on now is looked at a second later, one that changed the map at once', () => {
  expect(wait(0, [step(true)])).toBe(1);
  expect(wait(600, [step(true)])).toBe(1);
  expect(wait(600, [step(true, { advanced: true })])).toBe(0);
});

test('what was refused is not asked for again at once, and with many slots not soon either', () => {
  expect(wait(0, [step(false)])).toBe(1);
  const claim = { slot: 'oss-00', owner: 'i-0a', epoch: 1 };
  const order = { slot: 'oss-00', epoch: 1, address: '10.0.0.1', volumeIds: [], mayFormat: false };
  const note = { phase: 'serving', timeline: {} };
  const tell: Action = { kind: 'tell', claim, order, attempts: 1, failures: 0, note };
  // A host whose agent comes up is asked each second until it is there.
  expect(wait(0, [step(false, { action: tell })])).toBe(1);
  const many = Array.from({ length: 5 }, () => ({}));
  expect(wait(0, [], early, many)).toBe(1);
  expect(wait(0, [step(false)], { pass: 3, lastWaitSeconds: 3 }, many)).toBe(5);
});

test('where nothing is on its way, waits grow to 15 s', () => {
  const still = [{ moving: false, phase: 'blocked' }];
  expect(wait(undefined, [], { pass: 3, lastWaitSeconds: 2 }, still)).toBe(3);
  expect(wait(undefined, [], { pass: 3, lastWaitSeconds: 14 }, still)).toBe(15);
});

test('an execution that goes on and on gets slower, so that its passes last', () => {
  expect(wait(0, [], { pass: 299, lastWaitSeconds: 0 })).toBe(0);
  expect(wait(0, [], { pass: 300, lastWaitSeconds: 0 })).toBe(1);
  expect(wait(0, [], { pass: 599, lastWaitSeconds: 5 })).toBe(1);
  expect(wait(0, [], { pass: 600, lastWaitSeconds: 5 })).toBe(5);
});
