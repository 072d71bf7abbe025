import type { Held, Progress } from '../../../../lambda/shared/operation/lock';
import { parseStep, type Step, type StepPorts, takeStep } from '../../../../lambda/shared/operation/step';
import { SILENT } from '../../volume-reconciler/settings';

const BEGUN = '2026-01-01T20:00:00.000Z';
const EVENT = { operation: 'stop', execution: 'a', startedAt: BEGUN, input: {} };
const DEADLINE_SECONDS = 600;

/** The ports of a step that is taken so long after the execution began. */
function ports(held: Partial<Held> = {}, seconds = 1) {
  const done: unknown[][] = [];
  const made: StepPorts = {
    log: SILENT,
    now: () => Date.parse(BEGUN) + seconds * 1000,
    lock: {
      take: async () => ({
        operation: 'stop',
        execution: 'a',
        since: BEGUN,
        progress: { was: 'here' },
        ...held,
      }),
      note: async (...noted) => void done.push(['note', ...noted]),
      free: async (...freed) => void done.push(['free', ...freed]),
    },
  };
  return { ...made, done };
}

const take = (of: StepPorts, step: Step | Error, seen: Progress[] = []) =>
  takeStep(EVENT, of, DEADLINE_SECONDS, async (_event, progress) => {
    seen.push(progress);
    if (step instanceof Error) throw step;
    return step;
  });

test('what is under way is noted for the next step, which waits', async () => {
  const one = ports();
  const seen: Progress[] = [];
  await expect(
    take(one, { outcome: 'again', message: 'nodes stop', progress: { is: 'there' } }, seen),
  ).resolves.toEqual({
    outcome: 'again',
    message: 'nodes stop',
    waitSeconds: 5,
  });
  expect(seen).toEqual([{ was: 'here' }]);
  expect(one.done).toEqual([['note', 'a', 'nodes stop', { is: 'there' }]]);
});

test.each(['done', 'refused', 'failed'] as const)('after the end %s the lock is free', async (outcome) => {
  const one = ports();
  await expect(take(one, { outcome, message: 'so' })).resolves.toMatchObject({ outcome, message: 'so' });
  expect(one.done).toEqual([['free', 'a']]);
});

test('while another execution has the lock nothing is done', async () => {
  const one = ports({ operation: 'start', execution: 'b' });
  const seen: Progress[] = [];
  await expect(take(one, { outcome: 'done', message: '' }, seen)).resolves.toEqual({
    outcome: 'refused',
    message: `start is under way since ${BEGUN}: wait for its end, or stop b`,
    waitSeconds: 0,
  });
  expect(seen).toEqual([]);
  expect(one.done).toEqual([]);
});

test('while a step of an execution that was stopped may still run, it waits', async () => {
  const one = ports({ operation: 'start', execution: 'b', ending: true });
  const seen: Progress[] = [];
  await expect(take(one, { outcome: 'done', message: '' }, seen)).resolves.toEqual({
    outcome: 'again',
    message: 'Waiting for the end of start, whose execution was stopped',
    waitSeconds: 15,
  });
  expect(seen).toEqual([]);
  expect(one.done).toEqual([]);
});

test('an error of AWS is tried again, with the same progress', async () => {
  const one = ports();
  const throttled = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });
  await expect(take(one, throttled)).resolves.toMatchObject({
    outcome: 'again',
    message: expect.stringMatching(/tried again: .*Rate exceeded/),
  });
  expect(one.done).toEqual([['note', 'a', expect.stringContaining('Rate exceeded'), { was: 'here' }]]);
});

test.each<[string, Step | Error]>([
  ['what is waited for', { outcome: 'again', message: 'mounts are missing' }],
  ['an error', new Error('mounts are missing')],
])('out of time it ends with %s, and the lock is free', async (_name, step) => {
  const one = ports({}, DEADLINE_SECONDS + 1);
  await expect(take(one, step)).resolves.toMatchObject({
    outcome: 'failed',
    message: expect.stringMatching(/^It took too long\. .*mounts are missing/),
  });
  expect(one.done).toEqual([['free', 'a']]);
});

test('what is done in the last moment is done', async () => {
  const one = ports({}, DEADLINE_SECONDS + 1);
  await expect(take(one, { outcome: 'done', message: 'up' })).resolves.toMatchObject({ outcome: 'done' });
});

test('an event of the workflow is taken, another one is not', () => {
  expect(parseStep({ ...EVENT, input: { force: true } })).toEqual({ ...EVENT, input: { force: true } });
  for (const input of [undefined, null, 'force', ['force']]) {
    expect(parseStep({ ...EVENT, input }).input).toEqual({});
  }
  for (const wrong of [undefined, null, {}, { ...EVENT, execution: 1 }, { ...EVENT, startedAt: undefined }]) {
    expect(() => parseStep(wrong)).toThrow('no operation, execution and startedAt');
  }
});
