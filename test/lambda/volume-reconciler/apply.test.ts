import type { Action } from '../../../lambda/volume-reconciler/actions';
import { applyAll } from '../../../lambda/volume-reconciler/apply';
import type { Ports } from '../../../lambda/volume-reconciler/ports';
import { SILENT, World } from './world';

const claim = { slot: 'oss-00', owner: 'i-001', epoch: 1 };
const note = { phase: 'serving', timeline: {} };
const order = { slot: 'oss-00', epoch: 1, address: '10.0.0.1', volumeIds: ['vol-00'], mayFormat: true };
const tell: Action = { kind: 'tell', claim, order, attempts: 1, failures: 0, note };
const served: Action = { kind: 'mark-served', claim, untagged: ['vol-00'], note };

/** Ports that write down what is called; answers by method, true or done unless told otherwise. */
function recording(answers: { [method: string]: unknown } = {}) {
  const calls: string[] = [];
  const port = (yes: unknown) =>
    new Proxy(
      {},
      {
        get: (_, name) => async () => {
          calls.push(String(name));
          const answer = String(name) in answers ? answers[String(name)] : yes;
          if (answer instanceof Error) throw answer;
          return answer;
        },
      },
    ) as never;
  const ports: Ports = {
    clock: new World().ports().clock,
    log: SILENT,
    map: port(true),
    compute: port({ done: true }),
    group: port({ done: true }),
    hosts: port({ id: 'c-1' }),
  };
  return { calls, ports };
}

test('the intent is recorded before the host is told, its id after', async () => {
  const { calls, ports } = recording();
  await applyAll([tell], 'run', ports);
  expect(calls).toEqual(['beginCommand', 'tell', 'recordCommand']);
});

test('a host whose slot has moved on meanwhile is not told', async () => {
  const { calls, ports } = recording({ beginCommand: false });
  const [applied] = await applyAll([tell], 'run', ports);
  expect(calls).toEqual(['beginCommand']);
  expect(applied).toMatchObject({ done: false, text: expect.stringContaining('has changed') });
});

test('volumes are tagged before the row says that they are served', async () => {
  const { calls, ports } = recording();
  await applyAll([served], 'run', ports);
  expect(calls).toEqual(['markFormatted', 'markServed']);
});

test('a row is not served while its volumes could not be tagged', async () => {
  const { calls, ports } = recording({ markFormatted: new Error('throttled') });
  const [applied] = await applyAll([served], 'run', ports);
  expect(calls).toEqual(['markFormatted']);
  expect(applied).toMatchObject({ done: false, text: expect.stringContaining('throttled') });
});

test('a step that fails stops no other', async () => {
  const { ports } = recording({ attachVolume: new Error('no permission') });
  const attach = (volumeId: string): Action => ({
    kind: 'attach-volume',
    slot: 'oss-00',
    volumeId,
    instanceId: 'i-001',
    device: '/dev/sdf',
  });
  const applied = await applyAll([attach('vol-00'), { kind: 'release', claim, timeline: {} }], 'run', ports);
  expect(applied.map((each) => each.done).sort()).toEqual([false, true]);
});

test('heartbeats are left to the execution that holds the lease', async () => {
  const { calls, ports } = recording({ noteBeat: false });
  await applyAll([{ kind: 'heartbeat', instanceIds: ['i-001'], hook: 'serve-slot' }], 'run', ports);
  expect(calls).toEqual(['noteBeat']);
});
